package database_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"editor-actions/internal/testsite"
)

// What the TYPO3 extension declares is what the migrations make, column by column
// and index by index: otherwise TYPO3's database analyser would offer to change, or to
// drop, tables that are not its own.
func TestExtension_DeclaresTheTablesOfTheMigrations(t *testing.T) {
	t.Parallel()
	s := testsite.MariaDB(t)
	want := describe(t, s.DB)
	sql, err := os.ReadFile("../../typo3/editor_actions/ext_tables.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables(t, s) {
		if strings.HasPrefix(table, "tx_editoractions_") {
			mustExec(t, s.DB, "DROP TABLE "+table)
		}
	}
	for statement := range strings.SplitSeq(string(sql), ";\n") {
		if strings.Contains(statement, "CREATE TABLE") {
			mustExec(t, s.DB, statement)
		}
	}
	if diff := cmp.Diff(want, describe(t, s.DB)); diff != "" || len(want) < 60 {
		t.Errorf("ext_tables.sql differs from the migrations (%d lines):\n%s", len(want), diff)
	}
}

// describe is one line per column and per part of an index of our tables.
func describe(t *testing.T, db *gorm.DB) []string {
	t.Helper()
	var columns, indexes []string
	if err := db.Raw(`SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, COALESCE(column_default, 'none'), COALESCE(collation_name, ''), extra)
		FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name LIKE 'tx\_editoractions\_%'`).Scan(&columns).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Raw(`SELECT CONCAT_WS(' ', table_name, 'index', index_name, seq_in_index, column_name, non_unique)
		FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name LIKE 'tx\_editoractions\_%'`).Scan(&indexes).Error; err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(append(columns, indexes...)))
}
