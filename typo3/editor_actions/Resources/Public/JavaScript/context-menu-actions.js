/**
 * Callbacks of the context menu. TYPO3 gives the table, the identifier of the
 * record and the data attributes of the item.
 */
class ContextMenuActions {
	static openEditorActions(table, identifier, dataset) {
		top.TYPO3.Backend.ContentContainer.setUrl(dataset.actionUrl);
	}
}

export default ContextMenuActions;
