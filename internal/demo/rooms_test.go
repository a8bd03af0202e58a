package demo_test

import (
	"log/slog"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/demo"
	"editor-actions/internal/falgate"
	"editor-actions/internal/typo3"
)

// What the rooms that decide about rights make of the demo's people and files.
func TestP13_PeopleOfTheDemoAndTheirFiles(t *testing.T) {
	t.Parallel()
	site := build(t, t.TempDir(), demo.Options{Draft: true})
	s := site.Settings(&config.Settings{})
	settings := func() *config.Settings { return s }
	db, _, err := database.Open(s.TYPO3.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close(db) })
	cms := typo3.New(db, settings, time.Now)
	gate := falgate.New(cms, db, settings, slog.New(slog.DiscardHandler))

	people := map[string]*typo3.BackendUser{}
	for _, who := range demo.SignIns {
		u, err := cms.CheckPassword(t.Context(), who.Username, who.Password)
		if err != nil {
			t.Fatalf("%s cannot sign in: %v", who.Username, err)
		}
		people[who.Username] = u
	}
	if people["reviewer"].Language != "de" || !people["reviewer"].InGroup(uint32(demo.ReviewersGroup)) || !people["admin"].Admin {
		t.Error("reviewer or admin is not who they should be")
	}

	uid := func(name string) typo3.FileUID {
		var u uint32
		if err := db.Raw("SELECT uid FROM sys_file WHERE name = ?", name).Scan(&u).Error; err != nil || u == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		return typo3.FileUID(u)
	}
	for _, c := range []struct{ who, file, usable string }{
		{"editor", "Obstschale.jpg", "yes"},
		{"editor", "Gruß vom See (Rückseite).jpg", "yes"},
		{"editor", "Mu\u0308hle mit Tulpen.jpg", "yes"},
		{"editor", "Grundriss Erdgeschoss.png", "excluded_folder"},
		{"editor", "gelöscht.jpg", "missing"},
		{"editor", "Postkarte neu.jpg", "no_metadata_row"},
		{"reviewer", "Obstschale.jpg", "yes"},
		{"reviewer", "Straßenbahn Linie 3.jpg", "yes"},
		{"admin", "Straßenbahn Linie 3.jpg", "yes"},
		{"editor-readonly", "Obstschale.jpg", "no_edit_meta"},
		{"editor-readonly", "Straßenbahn Linie 3.jpg", "no_read"},
	} {
		access, _, err := gate.Access(t.Context(), people[c.who], uid(c.file))
		if err != nil || access.Usable != c.usable {
			t.Errorf("%s, %s: %q, want %q (%v)", c.who, c.file, access.Usable, c.usable, err)
		}
	}
}
