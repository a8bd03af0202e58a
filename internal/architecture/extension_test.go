package architecture_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	createTable  = regexp.MustCompile(`(?m)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(([^;]*)\)[^);]*;$`)
	alterTable   = regexp.MustCompile(`ALTER TABLE (\w+) ([^;]*)`)
	addColumn    = regexp.MustCompile(`ADD COLUMN (\w+) +(\w+(?:\(\d+\))?)`)
	addKey       = regexp.MustCompile(`ADD KEY (\w+)`)
	item         = regexp.MustCompile(`^(?:(PRIMARY) KEY|UNIQUE KEY (\w+)|KEY (\w+)|(\w+) +(\w+(?:\(\d+\))?(?: UNSIGNED)?))(?:[ ,]|$)`)
	versionTable = regexp.MustCompile(`(?m)^const versionTable = "(\w+)"$`)
	tableOptions = regexp.MustCompile(`(?m)^\)(.*);$`)
)

// declared reads tables as "table.column TYPE" and "table key name".
func declared(t *testing.T, sql string) []string {
	t.Helper()
	out := map[string]bool{}
	for _, table := range createTable.FindAllStringSubmatch(sql, -1) {
		for line := range strings.Lines(table[2]) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			m := item.FindStringSubmatch(line)
			switch {
			case m == nil:
				t.Errorf("%s: %q is neither a column nor a key", table[1], line)
			case m[4] != "":
				out[table[1]+"."+m[4]+" "+m[5]] = true
			default:
				out[table[1]+" key "+m[1]+m[2]+m[3]] = true
			}
		}
	}
	for _, table := range alterTable.FindAllStringSubmatch(sql, -1) {
		for _, m := range addColumn.FindAllStringSubmatch(table[2], -1) {
			out[table[1]+"."+m[1]+" "+m[2]] = true
		}
		for _, m := range addKey.FindAllStringSubmatch(table[2], -1) {
			out[table[1]+" key "+m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// read gives a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The TYPO3 extension declares the service's tables, so that TYPO3's database analyser
// leaves them alone. A table, column or key that is missing on either side fails here.
// The test of the same name in internal/database compares what a server makes of both.
func TestExtension_DeclaresTheTablesOfTheMigrations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "migrations/mysql/*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	var sql strings.Builder
	for _, file := range files {
		sql.WriteString(read(t, "migrations/mysql/"+filepath.Base(file)))
	}
	// The migration library makes a table of its own.
	version := versionTable.FindStringSubmatch(read(t, "internal/database/migrate.go"))
	if version == nil {
		t.Fatal("internal/database/migrate.go names no table of versions")
	}
	want := declared(t, sql.String())
	for _, part := range []string{".id BIGINT UNSIGNED", ".version_id BIGINT", ".is_applied TINYINT(1)", ".tstamp DATETIME", " key PRIMARY"} {
		want = append(want, version[1]+part)
	}
	slices.Sort(want)
	if len(want) < 60 {
		t.Fatalf("read only %d columns and keys from the migrations", len(want))
	}

	got := declared(t, read(t, "typo3/editor_actions/ext_tables.sql"))
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("the migrations make %s, ext_tables.sql does not declare it", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("ext_tables.sql declares %s, no migration makes it", line)
		}
	}
}

// TYPO3 has a parser of its own for ext_tables.sql, which refuses the whole file over a
// word that it does not know, and takes the connection's collation for every text
// column that names none.
func TestExtension_DeclaresWhatTYPO3Parses(t *testing.T) {
	t.Parallel()
	sql := read(t, "typo3/editor_actions/ext_tables.sql")
	for _, m := range tableOptions.FindAllStringSubmatch(sql, -1) {
		if m[1] != "" && m[1] != " ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin" {
			t.Errorf("table options %q", m[1])
		}
	}
	text := regexp.MustCompile(`^\w+ (?:CHAR|VARCHAR|TEXT|LONGTEXT)\b`)
	collated := regexp.MustCompile(`^\w+ \S+ CHARACTER SET (?:ascii COLLATE ascii|utf8mb4 COLLATE utf8mb4)_bin `)
	for line := range strings.Lines(sql) {
		line = strings.TrimSpace(line)
		if text.MatchString(line) && !collated.MatchString(line) {
			t.Errorf("%q names no collation", line)
		}
		if strings.HasPrefix(line, "CREATE") && strings.Contains(line, "IF NOT EXISTS") {
			t.Errorf("%q: the extension's listener does not know this form", line)
		}
	}
}
