<?php

// Runs the extension's own code against stubs of TYPO3. It says nothing about TYPO3
// itself: it shows that the classes load, and what they decide.

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

define('TYPO3', true);
require __DIR__ . '/stubs.php';
spl_autoload_register(static function (string $class): void {
    $prefix = 'EditorActions\\EditorActions\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/../Classes/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    }
});

use EditorActions\EditorActions\Backend\ModuleController;
use EditorActions\EditorActions\ContextMenu\FileItemProvider;
use EditorActions\EditorActions\Form\OpenEditorActions;
use EditorActions\EditorActions\ServiceAddress;
use TYPO3\CMS\Core\Configuration\ExtensionConfiguration;
use TYPO3\CMS\Core\Information\Typo3Version;
use TYPO3\CMS\Core\Resource\File;
use TYPO3\CMS\Core\Resource\Folder;
use TYPO3\CMS\Core\Resource\ResourceFactory;
use TYPO3\CMS\Core\Utility\GeneralUtility;

$passed = 0;
$failed = 0;
$is = static function (string $what, mixed $got, mixed $want) use (&$passed, &$failed): void {
    if ($got === $want) {
        $passed++;
        return;
    }
    $failed++;
    fwrite(STDERR, 'php: ' . $what . ': got ' . var_export($got, true) . ', want ' . var_export($want, true) . PHP_EOL);
};

// Where the service is.
foreach ([
    '/editor-actions' => '/editor-actions/files/7',
    '/editor-actions/' => '/editor-actions/files/7',
    ' /cms/actions ' => '/cms/actions/files/7',
    'https://actions.example.org' => 'https://actions.example.org/files/7',
    'https://actions.example.org:8443/x/' => 'https://actions.example.org:8443/x/files/7',
    '' => '/editor-actions/files/7',
    'javascript:alert(1)' => '/editor-actions/files/7',
    '//evil.example' => '/editor-actions/files/7',
    'http://plain.example' => '/editor-actions/files/7',
    'https://user@host.example' => '/editor-actions/files/7',
    '/a"b' => '/editor-actions/files/7',
    '/a/../b' => '/editor-actions/files/7',
    "/a\n" => '/a/files/7',
    "/a\nb" => '/editor-actions/files/7',
    'https://x.example/?q=1' => '/editor-actions/files/7',
] as $setting => $want) {
    $is('setting ' . json_encode($setting), ServiceAddress::fromText((string)$setting)->file(7), $want);
}
$is('not configured', ServiceAddress::fromSettings()->files(), '/editor-actions/files');
ExtensionConfiguration::$serviceUrl = ['an array'];
$is('wrong type', ServiceAddress::fromSettings()->files(), '/editor-actions/files');
ExtensionConfiguration::$serviceUrl = '/editor-actions';
$is('review', ServiceAddress::fromSettings()->review(), '/editor-actions/review');
$is('negative uid', ServiceAddress::fromSettings()->file(-3), '/editor-actions/files/0');
$is('origin of a path', ServiceAddress::fromSettings()->origin(), '');
$is('origin', ServiceAddress::fromText('https://a.example:8443/x')->origin(), 'https://a.example:8443');

// The context menu.
$resources = new ResourceFactory();
$resources->known = [
    '1:/a.jpg' => new File(23),
    '1:/a b & ü.jpg' => new File(24, 'image/png'),
    '1:/report.pdf' => new File(25, 'application/pdf'),
    '1:/secret.jpg' => new File(26, 'image/jpeg', false),
    '1:/new.jpg' => new File(0),
    '1:/folder/' => new Folder(),
    '9:/x.jpg' => new RuntimeException('no such storage'),
    '1:/../x.jpg' => new TypeError('hostile'),
    // TYPO3 would look these up as well; the file list never asks for them.
    '23' => new File(23),
    'file:23' => new File(23),
    '0:/typo3conf/a.jpg' => new File(27),
    'EXT:core/a.jpg' => new File(28),
    "1:/a.jpg\0" => new File(23),
    "1:/a.jpg\0.pdf" => new File(23),
    '-1:/a.jpg' => new File(23),
    '1e0:/a.jpg' => new File(23),
];
GeneralUtility::$instances[ResourceFactory::class] = $resources;
$items = static function (string $table, string $identifier, array $before = []): array {
    $provider = new FileItemProvider();
    $provider->setContext($table, $identifier);
    return $provider->canHandle() ? $provider->addItems($before) : ['not handled'];
};
$is('other table', $items('pages', '1'), ['not handled']);
$is('image', array_keys($items('sys_file', '1:/a.jpg')), ['editorActions']);
$is('address', $items('sys_file', '1:/a.jpg')['editorActions']['additionalAttributes'], [
    'data-callback-module' => '@editor-actions/typo3/context-menu-actions',
    'data-action-url' => '/typo3/module/editor_actions?file=23',
]);
$is('name with signs', $items('sys_file', '1:/a b & ü.jpg')['editorActions']['additionalAttributes']['data-action-url'], '/typo3/module/editor_actions?file=24');
$is('before info', array_keys($items('sys_file', '1:/a.jpg', ['rename' => 1, 'info' => 2, 'delete' => 3])), ['rename', 'editorActions', 'info', 'delete']);
$none = ['1:/gone.jpg', '', ':', '1:', "\0", '<script>', '../../etc/passwd', 'https://evil.example/a.jpg', str_repeat('1:/', 100000)];
foreach (array_merge(array_diff(array_map('strval', array_keys($resources->known)), ['1:/a.jpg', '1:/a b & ü.jpg']), $none) as $identifier) {
    $is('no item for ' . json_encode(substr($identifier, 0, 40)), $items('sys_file', $identifier, ['info' => 2]), ['info' => 2]);
}
$GLOBALS['disabledItems'] = ['editorActions'];
$is('disabled by TSconfig', $items('sys_file', '1:/a.jpg'), []);
unset($GLOBALS['disabledItems']);

// The control in the form.
$control = static function (mixed $file): array {
    $node = new OpenEditorActions();
    $node->setData(['databaseRow' => ['file' => $file]]);
    return $node->render();
};
foreach ([
    [23, 23], ['23', 23], ['sys_file_23', 23], ['sys_file_23|a.jpg', 23], [[23], 23], [['23'], 23], [[['uid' => 23, 'table' => 'sys_file']], 23], [[['uid' => '23']], 23],
    [0, 0], ['', 0], [null, 0], [[], 0], ['NEW123', 0], ['-1', 0], [-1, 0], ['23abc', 0], ["23\n", 0], [[['x' => 1]], 0], [true, 0], [1.5, 0], ['99999999999', 0],
] as [$value, $want]) {
    $is('file ' . json_encode($value), OpenEditorActions::fileUid($value), $want);
}
$is('new record', $control(null), []);
$is('link', $control('23')['linkAttributes'], ['href' => '/editor-actions/files/23', 'target' => '_blank', 'rel' => 'noopener']);
require __DIR__ . '/../ext_localconf.php';
$registered = array_values($GLOBALS['TYPO3_CONF_VARS']['SYS']['formEngine']['nodeRegistry'])[0];
$is('node', [$registered['nodeName'], $registered['class']], ['editorActions', OpenEditorActions::class]);
$GLOBALS['TCA']['sys_file_metadata']['columns'] = ['title' => ['config' => ['type' => 'input']], 'alternative' => ['config' => ['type' => 'input']], 'other' => ['config' => []]];
require __DIR__ . '/../Configuration/TCA/Overrides/sys_file_metadata.php';
$columns = $GLOBALS['TCA']['sys_file_metadata']['columns'];
$is('TCA', [$columns['title']['config']['fieldControl'] ?? null, isset($columns['other']['config']['fieldControl']), isset($columns['description'])], [['editorActions' => ['renderType' => 'editorActions']], false, false]);

// The module.
$GLOBALS['LANG'] = new TYPO3\CMS\Core\Localization\LanguageService();
$page = static function (array $query): array {
    $request = new class($query) implements Psr\Http\Message\ServerRequestInterface {
        public function __construct(private array $query)
        {
        }

        public function getQueryParams(): array
        {
            return $this->query;
        }
    };
    $controller = new ModuleController(new TYPO3\CMS\Backend\Template\ModuleTemplateFactory(), new TYPO3\CMS\Core\Page\PageRenderer());
    $view = $controller->handleRequest($request);
    return [$view->template, $view->assigned['address']];
};
foreach ([
    [[], '/editor-actions/files'], [['file' => '23'], '/editor-actions/files/23'], [['page' => 'review'], '/editor-actions/review'],
    [['file' => '0'], '/editor-actions/files'], [['file' => '../x'], '/editor-actions/files'], [['file' => ['23']], '/editor-actions/files'],
    [['file' => "23\n"], '/editor-actions/files'], [['page' => 'https://evil.example'], '/editor-actions/files'],
] as [$query, $want]) {
    $is('module ' . json_encode($query), $page($query), ['Module', $want]);
}
foreach ([12 => 'file', 13 => 'file', 14 => 'media'] as $major => $parent) {
    Typo3Version::$major = $major;
    $is('parent in ' . $major, (require __DIR__ . '/../Configuration/Backend/Modules.php')['editor_actions']['parent'], $parent);
}
$is('policy for a path', (require __DIR__ . '/../Configuration/ContentSecurityPolicies.php')->entries, []);
ExtensionConfiguration::$serviceUrl = 'https://actions.example.org/x';
$policy = (require __DIR__ . '/../Configuration/ContentSecurityPolicies.php')->entries[0][1]->mutations[0];
$is('policy', [$policy->mode->value, $policy->directive->value, $policy->sources[0]->value], ['extend', 'frame-src', 'https://actions.example.org']);
foreach (['Icons', 'JavaScriptModules'] as $name) {
    $is($name, is_array(require __DIR__ . '/../Configuration/' . $name . '.php'), true);
}

// TYPO3 never creates a table of the service.
$pool = new TYPO3\CMS\Core\Database\ConnectionPool();
$declares = static function (?array $tables) use ($pool): array {
    $pool->tables = $tables;
    $other = "CREATE TABLE tx_other (\n  uid INT\n);";
    $event = new TYPO3\CMS\Core\Database\Event\AlterTableDefinitionStatementsEvent([$other, (string)file_get_contents(__DIR__ . '/../ext_tables.sql')]);
    (new EditorActions\EditorActions\Database\ServiceTables($pool))($event);
    preg_match_all('/^CREATE TABLE (\w+)/m', implode("\n", $event->getSqlData()), $found);
    return $found[1];
};
preg_match_all('/^CREATE TABLE (\w+)/m', (string)file_get_contents(__DIR__ . '/../ext_tables.sql'), $declared);
$tables = $declared[1];
$is('the tables of the service', [in_array('tx_editoractions_run', $tables, true), in_array('tx_editoractions_migration', $tables, true), preg_grep('/^tx_editoractions_/', $tables, PREG_GREP_INVERT)], [true, true, []]);
$is('all tables there', $declares($tables), ['tx_other', ...$tables]);
$is('no table there', $declares([]), ['tx_other']);
$is('one table there', $declares(['tx_editoractions_event', 'pages']), ['tx_other', 'tx_editoractions_event']);
$is('no database', $declares(null), ['tx_other']);
$event = new TYPO3\CMS\Core\Database\Event\AlterTableDefinitionStatementsEvent([(string)file_get_contents(__DIR__ . '/../ext_tables.sql')]);
$pool->tables = $tables;
(new EditorActions\EditorActions\Database\ServiceTables($pool))($event);
$is('an existing table is declared as it is', $event->getSqlData(), [(string)file_get_contents(__DIR__ . '/../ext_tables.sql')]);

// The address reaches the frame through Fluid, which escapes it.
$template = (string)file_get_contents(__DIR__ . '/../Resources/Private/Templates/Module.html');
$is('template', [str_contains($template, 'src="{address}"'), str_contains($template, 'title="{title}"'), preg_match('/raw|escapeOutput/', $template)], [true, true, 0]);

// One version, one name, in both files that say it.
$composer = json_decode((string)file_get_contents(__DIR__ . '/../composer.json'), true, 512, JSON_THROW_ON_ERROR);
require __DIR__ . '/../ext_emconf.php';
$typo3 = $composer['extra']['typo3/cms'];
$is('version', $typo3['version'], $EM_CONF['editor_actions']['version']);
$is('key', $typo3['extension-key'], 'editor_actions');
$is('namespace', $composer['autoload'], $EM_CONF['editor_actions']['autoload']);
$is('description', $composer['description'], $EM_CONF['editor_actions']['title'] . ' - ' . $EM_CONF['editor_actions']['description']);

// Every label is used and every used one is there; both languages have the same.
$units = static function (string $file, string $text): array {
    $document = new DOMDocument();
    $document->load($file);
    $found = [];
    foreach ($document->getElementsByTagName('trans-unit') as $unit) {
        $found[$unit->getAttribute('id')] = trim((string)$unit->getElementsByTagName($text)[0]?->textContent) !== '';
    }
    return $found;
};
$folder = __DIR__ . '/../Resources/Private/Language/';
$english = $units($folder . 'locallang.xlf', 'source');
$is('texts', [count($english) > 5, in_array(false, $english, true)], [true, false]);
foreach (glob($folder . '*.xlf') as $file) {
    $name = basename($file);
    $partner = str_starts_with($name, 'de.') ? substr($name, 3) : 'de.' . $name;
    $is($partner . ' beside ' . $name, is_file($folder . $partner), true);
    if ($name !== $partner && str_starts_with($name, 'de.')) {
        $is($name, $units($file, 'target'), $units($folder . $partner, 'source'));
        $is($name . ' has the sources of ' . $partner, $units($file, 'source'), $units($folder . $partner, 'source'));
    }
}
$code = '';
$sources = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(dirname(__DIR__), FilesystemIterator::SKIP_DOTS));
foreach ($sources as $file) {
    if (preg_match('#\.(php|txt|html)$#', $file->getFilename()) === 1 && !str_contains($file->getPathname(), '/Tests/')) {
        $code .= file_get_contents($file->getPathname());
    }
    if ($file->getExtension() === 'svg') {
        $drawing = new DOMDocument();
        $is($file->getFilename(), $drawing->load($file->getPathname()), true);
    }
}
foreach (array_keys($english) as $label) {
    $is('label ' . $label, str_contains($code, $label), true);
}

echo 'php: ' . $passed . ' checks passed' . ($failed > 0 ? ', ' . $failed . ' failed' : '') . PHP_EOL;
exit($failed > 0 ? 1 : 0);
