<?php

declare(strict_types=1);

use EditorActions\EditorActions\Form\OpenEditorActions;

defined('TYPO3') or die();

foreach (['alternative', 'title', 'description'] as $field) {
    if (isset($GLOBALS['TCA']['sys_file_metadata']['columns'][$field]['config'])) {
        $GLOBALS['TCA']['sys_file_metadata']['columns'][$field]['config']['fieldControl'][OpenEditorActions::NODE] = [
            'renderType' => OpenEditorActions::NODE,
        ];
    }
}
