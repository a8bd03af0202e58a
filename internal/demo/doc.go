// Package demo makes a small site in the shape of TYPO3: its tables on SQLite,
// two file storages with some forty files in nested folders, pages that use
// them, and four people with passwords.
//
// [Build] makes the site in an empty folder and answers a [Site]; a second call
// finds it and changes nothing, so that what people did in the demo stays. A
// build that was interrupted is done again. Nothing is ever deleted that the
// demo did not make: a folder with other things in it is refused.
//
// The pictures are drawn by the package paint below this one. The rows are what
// TYPO3's own indexer would write: hashes, sizes, media type by content, and
// width and height of the upright picture.
//
// The room knows nothing of runs or models. It does not create the service's
// own tables (the migrations do) nor the key file its settings name.
package demo
