#!/usr/bin/env bash
# Checks the TYPO3 extension: the syntax of every PHP file and of the JavaScript
# module, every language file, and what its classes decide, with stubs of TYPO3.
set -euo pipefail
cd "$(dirname "$0")/../typo3"

fail() {
	echo "php.sh: $*" >&2
	exit 1
}

command -v php >/dev/null || fail "PHP is not installed: run scripts/setup.sh test"
php -r 'exit(extension_loaded("dom") ? 0 : 1);' || fail "PHP has no DOM: run scripts/setup.sh test"

while IFS= read -r -d '' file; do
	php -l "$file" >/dev/null || fail "$file does not parse"
done < <(find . -name '*.php' -print0)

# Well-formed? (The dollar is PHP's.) Whether English and German have the same ids is for Tests/run.php.
while IFS= read -r -d '' file; do
	# shellcheck disable=SC2016
	php -r 'exit((new DOMDocument())->load($argv[1]) ? 0 : 1);' "$file" || fail "$file is not well-formed"
done < <(find . -name '*.xlf' -print0)

if command -v node >/dev/null; then
	while IFS= read -r -d '' file; do
		node --input-type=module --check <"$file" || fail "$file does not parse"
	done < <(find . -name '*.js' -print0)
fi

php editor_actions/Tests/run.php
