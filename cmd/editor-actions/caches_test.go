package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/secret"
	"editor-actions/internal/webhook"
)

// cacheReceiver is the program on TYPO3's side that flushes caches by tag.
type cacheReceiver struct {
	mu     sync.Mutex
	status []int // answered in turn, the last one for ever
	sent   []*http.Request
	bodies [][]byte
	url    string
}

func receiveCaches(t *testing.T, status ...int) *cacheReceiver {
	c := &cacheReceiver{status: status}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		w.WriteHeader(c.status[min(len(c.sent), len(c.status)-1)])
		c.sent, c.bodies = append(c.sent, r), append(c.bodies, body)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL + "/CANARY-address"
	return c
}

// TYPO3 flushes caches that are not in its database too; from outside they are
// reached through a message (P14).
func TestP14_CachesElsewhereAreTold(t *testing.T) {
	key := secret.New("a key of the operator's")
	for name, tc := range map[string]struct {
		status []int
		sends  int
		failed bool
	}{
		"at once":        {[]int{204}, 1, false},
		"second attempt": {[]int{503, 204}, 2, false},
		"refused":        {[]int{401}, 1, true}, // the write stays a write (P18)
	} {
		t.Run(name, func(t *testing.T) {
			eachService(t, nil, func(t *testing.T, s *service) {
				hook := receiveCaches(t, tc.status...)
				s.change(func(c *config.Settings) { c.TYPO3.CacheWebhook.URL, c.TYPO3.CacheWebhook.Secret = hook.url, key })
				editor, admin := s.as(editorUID), s.as(s.reviewer())
				id, card := s.proposed(editor, fileLake)
				if len(hook.sent) != 0 {
					t.Error("told before anything was written")
				}
				r, res := admin.decide(id, decisionBody(card, "approve"))
				mustOutcome(t, r, res, "written")
				if run := editor.await(id, "completed"); !run.Written {
					t.Errorf("%+v", run)
				}
				if len(hook.sent) != tc.sends {
					t.Fatalf("%d messages, want %d", len(hook.sent), tc.sends)
				}
				req, body := hook.sent[0], hook.bodies[0]
				if req.Header.Get("Webhook-Id") != id || req.Header.Get("Webhook-Signature") != webhook.Signature(key, id, req.Header.Get("Webhook-Timestamp"), body) {
					t.Errorf("headers %v", req.Header)
				}
				var m struct {
					Type string
					Data struct {
						File, Metadata uint32
						Tags           []string
					}
				}
				if err := json.Unmarshal(body, &m); err != nil || m.Type != "caches.stale" || m.Data.File != fileLake || m.Data.Metadata != s.metadata(fileLake).UID {
					t.Errorf("%v %s", err, body)
				}
				if want := []string{"sys_file_metadata", "sys_file_metadata_23", "sys_file_23"}; !slices.Equal(m.Data.Tags, want) {
					t.Errorf("tags %v, want %v", m.Data.Tags, want)
				}
				log := s.log.String()
				if strings.Contains(log, "tell caches") != tc.failed || strings.Contains(log, "CANARY-address") || strings.Contains(log, key.Reveal()) {
					t.Errorf("the log says something else:\n%s", log)
				}
				if strings.Contains(string(body), "scripted") {
					t.Errorf("a text in %s", body)
				}
			})
		})
	}
}
