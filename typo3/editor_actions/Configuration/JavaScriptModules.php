<?php

declare(strict_types=1);

return [
    'dependencies' => ['backend'],
    'tags' => ['backend.contextmenu'],
    'imports' => ['@editor-actions/typo3/' => 'EXT:editor_actions/Resources/Public/JavaScript/'],
];
