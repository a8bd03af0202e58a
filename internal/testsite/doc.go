// Package testsite gives tests a TYPO3 site of their own: the database and
// files that a real TYPO3 made (testdata/typo3), fresh for every test, on SQLite or
// on the MariaDB named by EDITOR_ACTIONS_TEST_MYSQL, with our migrations applied.
package testsite
