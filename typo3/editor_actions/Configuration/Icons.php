<?php

declare(strict_types=1);

use TYPO3\CMS\Core\Imaging\IconProvider\SvgIconProvider;

return [
    'editor-actions' => [
        'provider' => SvgIconProvider::class,
        'source' => 'EXT:editor_actions/Resources/Public/Icons/Extension.svg',
    ],
];
