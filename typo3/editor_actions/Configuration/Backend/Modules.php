<?php

declare(strict_types=1);

use EditorActions\EditorActions\Backend\ModuleController;
use TYPO3\CMS\Core\Information\Typo3Version;

$labels = 'LLL:EXT:editor_actions/Resources/Private/Language/locallang.xlf:';

return [
    'editor_actions' => [
        'parent' => (new Typo3Version())->getMajorVersion() >= 14 ? 'media' : 'file',
        'position' => ['bottom'],
        'access' => 'user',
        'workspaces' => 'live',
        'path' => '/module/file/editor-actions',
        'iconIdentifier' => 'editor-actions',
        'inheritNavigationComponentFromMainModule' => false,
        'labels' => [
            'title' => $labels . 'module.title',
            'shortDescription' => $labels . 'module.short',
            'description' => $labels . 'module.description',
        ],
        'routes' => [
            '_default' => ['target' => ModuleController::class . '::handleRequest'],
        ],
    ],
];
