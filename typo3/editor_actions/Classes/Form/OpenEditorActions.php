<?php

declare(strict_types=1);

namespace EditorActions\EditorActions\Form;

use EditorActions\EditorActions\ServiceAddress;
use TYPO3\CMS\Backend\Form\AbstractNode;

/**
 * The control beside the texts of a file that opens the service's page of that file
 * in a tab of its own, so that nothing typed in the form is lost.
 */
final class OpenEditorActions extends AbstractNode
{
    public const NODE = 'editorActions';

    /**
     * @return array<string, mixed> as TYPO3's FieldControl node reads it
     */
    public function render(): array
    {
        $uid = self::fileUid($this->data['databaseRow']['file'] ?? null);
        if ($uid === 0) {
            return []; // a record that is not stored yet
        }
        return [
            'iconIdentifier' => 'editor-actions',
            'title' => 'LLL:EXT:editor_actions/Resources/Private/Language/locallang.xlf:control.title',
            'linkAttributes' => [
                'href' => ServiceAddress::fromSettings()->file($uid),
                'target' => '_blank',
                'rel' => 'noopener',
            ],
        ];
    }

    /**
     * FormEngine gives the relation as a number, as "sys_file_23", or as a list of
     * rows, depending on the TCA of the version.
     */
    public static function fileUid(mixed $value): int
    {
        if (is_array($value)) {
            $first = reset($value);
            return self::fileUid(is_array($first) ? ($first['uid'] ?? null) : $first);
        }
        if (is_int($value)) {
            return max(0, $value);
        }
        if (is_string($value) && preg_match('/^(?:sys_file_)?([1-9][0-9]{0,9})(?:\||$)/D', $value, $match) === 1) {
            return (int)$match[1];
        }
        return 0;
    }
}
