package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keysFile is a settings file of the service's site with its keyset.
func (s *service) keysFile() string {
	s.t.Helper()
	file := siteFile(s.t, s.site)
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	path := s.settings.Load().Sealing.KeysetFile
	if err := os.WriteFile(file, append(text, []byte("sealing: {keysetFile: "+path+"}\n")...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// A running service goes on while its keys are rotated: a card that waits is decided
// afterwards, and so is one that is made afterwards.
func TestS46_KeysRotateUnderARunningService(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		c := s.as(editorUID)
		id, card := s.proposed(c, fileLake)
		file := s.keysFile()
		store, picture := s.toolPicture(id)
		code, out, errs := command(t, nil, "keys", "rotate", "--config", file)
		if code != 0 || !strings.Contains(out, "2 runs and pictures are under the new key, 0 were already.") {
			t.Fatalf("%d %s %s", code, out, errs)
		}
		if data, err := store.OpenArtifact(t.Context(), picture); err != nil || string(data) != "pixels" {
			t.Errorf("the picture of a tool: %q %v", data, err)
		}
		s.as(s.reviewer()).decide(id, map[string]any{"verb": "approve", "turn": card.Turn, "digest": card.Digest})
		if run := c.await(id, "completed"); !run.Written {
			t.Errorf("%+v", run)
		}
		next, _ := s.proposed(c, fileLake)
		code, out, _ = command(t, nil, "keys", "rotate", "--resume", "--config", file)
		if code != 0 || !strings.Contains(out, "runs and pictures are under the new key") {
			t.Errorf("%d %s", code, out)
		}
		code, out, _ = command(t, nil, "keys", "status", "--config", file)
		if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 3 || !slices.Equal(strings.Fields(lines[2])[1:], []string{"yes", "1", "0"}) {
			t.Errorf("%d %s", code, out)
		}
		if code, _, errs = command(t, nil, "keys", "rotate", "--retire", "--config", file); code != exitFailure || !strings.Contains(errs, "Wait until every instance has noticed it") {
			t.Errorf("%d %s", code, errs)
		}
		_ = c.card(next)
		// The key is lost: clear words, nothing destroyed, and the card can be put away.
		path := s.settings.Load().Sealing.KeysetFile
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := command(t, nil, "keys", "init", "--config", file); code != 0 {
			t.Fatal(errs)
		}
		for _, args := range [][]string{{"keys", "status"}, {"keys", "rotate"}} {
			code, _, errs := command(t, nil, append(args, "--config", file)...)
			if code != exitFailure || !strings.Contains(errs, "kept") {
				t.Errorf("%v: %d %s", args, code, errs)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := command(t, nil, "keys", "status", "--config", file); code != 0 {
			t.Errorf("with the key back: %d %s", code, errs)
		}
		if card := c.card(next); card.Unreadable {
			t.Error("with the key back the card is unreadable")
		}
	})
}

func TestKeys_OnlyAFileCanBeRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, yaml := range map[string]string{"nothing": "{}\n", "inline": "sealing: {keyset: '{}'}\n"} {
		file := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := command(t, nil, "keys", "rotate", "--config", file); code != exitUsage || !strings.Contains(errs, "only a file can be rotated") {
			t.Errorf("%s: %d %s", name, code, errs)
		}
	}
}
