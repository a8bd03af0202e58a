<?php

declare(strict_types=1);

use EditorActions\EditorActions\Form\OpenEditorActions;

defined('TYPO3') or die();

$GLOBALS['TYPO3_CONF_VARS']['SYS']['formEngine']['nodeRegistry'][1796083200] = [
    'nodeName' => OpenEditorActions::NODE,
    'priority' => 30,
    'class' => OpenEditorActions::class,
];
