<?php

declare(strict_types=1);

namespace EditorActions\EditorActions\ContextMenu;

use TYPO3\CMS\Backend\ContextMenu\ItemProviders\AbstractProvider;
use TYPO3\CMS\Backend\Routing\UriBuilder;
use TYPO3\CMS\Core\Resource\File;
use TYPO3\CMS\Core\Resource\ResourceFactory;
use TYPO3\CMS\Core\Utility\GeneralUtility;

/**
 * "Suggest texts" on a picture in the file list. The item is there for pictures the
 * user may read; what may be done with one is the service's own decision.
 *
 * No property of the parent is declared again: TYPO3 types them differently from
 * version to version.
 */
final class FileItemProvider extends AbstractProvider
{
    private const ITEM = 'editorActions';

    public function canHandle(): bool
    {
        return $this->table === 'sys_file';
    }

    public function getPriority(): int
    {
        return 90; // after the file list's own, whose priority is 100
    }

    /**
     * @param array<string, mixed> $items
     * @return array<string, mixed>
     */
    public function addItems(array $items): array
    {
        $this->initDisabledItems();
        $own = $this->prepareItems([
            self::ITEM => [
                'type' => 'item',
                'label' => 'LLL:EXT:editor_actions/Resources/Private/Language/locallang.xlf:menu.suggest',
                'iconIdentifier' => 'editor-actions',
                'callbackAction' => 'openEditorActions',
            ],
        ]);
        if (!isset($items['info'])) {
            return $items + $own;
        }
        $position = (int)array_search('info', array_keys($items), true);
        return array_slice($items, 0, $position, true) + $own + array_slice($items, $position, null, true);
    }

    protected function canRender(string $itemName, string $type): bool
    {
        return $itemName === self::ITEM && !in_array($itemName, $this->disabledItems, true) && $this->picture() !== null;
    }

    /**
     * @return array<string, string>
     */
    protected function getAdditionalAttributes(string $itemName): array
    {
        $picture = $this->picture();
        if ($picture === null) {
            return [];
        }
        $address = GeneralUtility::makeInstance(UriBuilder::class)->buildUriFromRoute('editor_actions', ['file' => (string)$picture->getUid()]);
        return [
            'data-callback-module' => '@editor-actions/typo3/context-menu-actions',
            'data-action-url' => (string)$address,
        ];
    }

    /**
     * The file list gives files and folders by their combined identifier, and only that
     * form is looked up. File::isImage() would not do: TYPO3 counts PDF among what it can
     * make pictures of.
     */
    private function picture(): ?File
    {
        if (preg_match('#^[1-9][0-9]*:[^\x00]+$#D', $this->identifier) !== 1) {
            return null;
        }
        try {
            $file = GeneralUtility::makeInstance(ResourceFactory::class)->retrieveFileOrFolderObject($this->identifier);
            if ($file instanceof File
                && $file->getUid() > 0
                && str_starts_with($file->getMimeType(), 'image/')
                && $file->checkActionPermission('read')
            ) {
                return $file;
            }
        } catch (\Throwable) {
            // no such file, no access, no storage: no item
        }
        return null;
    }
}
