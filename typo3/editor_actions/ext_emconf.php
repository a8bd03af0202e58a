<?php

$EM_CONF['editor_actions'] = [
    'title' => 'Editor actions',
    'description' => 'Opens the editor actions from the TYPO3 backend: a module, a context menu item on files, a control beside the texts of a file',
    'category' => 'module',
    'state' => 'beta',
    'version' => '0.1.0',
    'constraints' => [
        'depends' => [
            'typo3' => '12.4.0-14.3.99',
            'backend' => '12.4.0-14.3.99',
        ],
        'conflicts' => [],
        'suggests' => [],
    ],
    'autoload' => [
        'psr-4' => ['EditorActions\\EditorActions\\' => 'Classes/'],
    ],
];
