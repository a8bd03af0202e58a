#!/usr/bin/env bash
# Checks the TYPO3 extension: the syntax of every PHP file and of the JavaScript
# module, the language files, and what its classes decide, with stubs of TYPO3.
set -euo pipefail
cd "$(dirname "$0")/../typo3/editor_actions"

command -v php >/dev/null || {
	echo "php.sh: PHP is not installed: run scripts/setup.sh test" >&2
	exit 1
}
while IFS= read -r -d '' file; do
	php -l "$file" >/dev/null || {
		php -l "$file" >&2
		exit 1
	}
done < <(find . -name '*.php' -print0)

if command -v node >/dev/null; then
	node --input-type=module --check <Resources/Public/JavaScript/context-menu-actions.js
fi
php Tests/run.php
