package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// Clicks on one form at the same moment: every answer leads to the one batch there is.
func TestBatch_ClicksAtOnceAreOneBatch(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		var words []string
		for _, uid := range pictures[:12] {
			words = append(words, fmt.Sprint(uid))
		}
		for round := range 5 {
			s.exec("DELETE FROM tx_editoractions_run")
			key := fmt.Sprintf("form-key-%d", round)
			var (
				wg      sync.WaitGroup
				replies [4]reply
				address [4]string
			)
			for i := range replies {
				wg.Go(func() { address[i], replies[i] = c.startBatch(key, strings.Join(words, " ")) })
			}
			wg.Wait()
			for i, r := range replies {
				if r.code != http.StatusSeeOther || address[i] != address[0] {
					t.Errorf("%d: %d %s", i, r.code, address[i])
				}
			}
			if n := s.count("SELECT COUNT(*) FROM tx_editoractions_run"); n != 12 {
				t.Errorf("%d runs", n)
			}
		}
	})
}
