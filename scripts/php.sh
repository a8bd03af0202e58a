#!/usr/bin/env bash
# Checks the TYPO3 extension: the syntax of every PHP file, the language files,
# the JavaScript module, and what its classes decide, with stubs of TYPO3.
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

# Both language files are well-formed and name the same units.
php -r '
$units = static function (string $path): array {
    $document = new DOMDocument();
    if (!$document->load($path)) {
        exit(1);
    }
    $ids = [];
    foreach ($document->getElementsByTagName("trans-unit") as $unit) {
        $text = $unit->getElementsByTagName(str_contains($path, "/de.") ? "target" : "source")[0]?->textContent;
        if (trim((string)$text) === "") {
            fwrite(STDERR, "php.sh: $path: " . $unit->getAttribute("id") . " has no text\n");
            exit(1);
        }
        $ids[] = $unit->getAttribute("id");
    }
    sort($ids);
    return $ids;
};
$folder = "Resources/Private/Language/";
if ($units($folder . "locallang.xlf") !== $units($folder . "de.locallang.xlf")) {
    fwrite(STDERR, "php.sh: the language files name different units\n");
    exit(1);
}'

if command -v node >/dev/null; then
	node --input-type=module --check <Resources/Public/JavaScript/context-menu-actions.js
fi
php Tests/run.php
