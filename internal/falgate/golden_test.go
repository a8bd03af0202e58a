package falgate_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/testsite"
	"editor-actions/internal/typo3"
)

func rooms(s *testsite.Site, change func(*config.Settings)) (*typo3.CMS, *falgate.Gate) {
	cfg := s.Settings
	if change != nil {
		change(&cfg)
	}
	settings := func() *config.Settings { return &cfg }
	cms := typo3.New(s.DB, settings, time.Now)
	return cms, falgate.New(cms, s.DB, settings, slog.New(slog.DiscardHandler))
}

func TestP13_GoldenMatrix(t *testing.T) {
	t.Parallel()
	testsite.Each(t, func(t *testing.T, s *testsite.Site) {
		cms, gate := rooms(s, nil)
		var got bytes.Buffer
		if err := falgate.WriteAccessTSV(t.Context(), &got, gate, cms, nil); err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimRight(string(testsite.Read(t, "typo3/main-matrix.tsv.gz")), "\n"), "\n")
		lines := strings.Split(strings.TrimRight(got.String(), "\n"), "\n")
		have := map[string][]string{}
		for _, l := range lines {
			c := strings.Split(l, "\t")
			have[c[0]+"|"+c[2]+"|"+c[6]] = c
		}
		bad, rows := 0, 0
		for _, l := range want[1:] {
			w := strings.Split(l, "\t")
			rows++
			c, ok := have[w[0]+"|"+w[2]+"|"+w[6]]
			if !ok {
				c = []string{"no row"}
			}
			if !ok || strings.Join(c[:13], "\t") != strings.Join(w[:13], "\t") {
				if bad++; bad <= 15 {
					t.Errorf("got  %s\nwant %s", strings.Join(c, "\t"), strings.Join(w, "\t"))
				}
				continue
			}
			if c[13] == "yes" && (w[7] != "1" || w[9] != "1" || w[10] != "yes") {
				t.Errorf("usable is wider than TYPO3: %s", l)
			}
		}
		if bad > 0 || rows != 5032 || len(lines) != 5033 {
			t.Errorf("%d of %d rows differ, %d lines printed", bad, rows, len(lines)-1)
		}
	})
}
