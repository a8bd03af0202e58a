package downscaler

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// cache keeps results in a folder that instances may share. An entry is named
// by the source's hash and the parameters and carries the hash of its picture: a
// torn or foreign file is ignored and replaced. A nil cache keeps nothing.
type cache struct {
	dir   string
	limit int64
	mu    sync.Mutex
	added int64 // bytes since the last sweep
}

// cacheHeader is the first line of an entry.
type cacheHeader struct {
	Answer answer `json:"answer"`
	SHA256 string `json:"sha256"`
}

func openCache(dir string, limit int64) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &cache{dir: dir, limit: limit, added: limit}, nil // the first store sweeps
}

func (c *cache) path(key string) string { return filepath.Join(c.dir, key[:2], key) }

// load answers the bytes of an entry that is whole. Whether they may be sent is
// for the caller to measure.
func (c *cache) load(key string) ([]byte, answer, bool) {
	if c == nil {
		return nil, answer{}, false
	}
	raw, err := os.ReadFile(c.path(key))
	if err != nil {
		return nil, answer{}, false
	}
	head, data, ok := bytes.Cut(raw, []byte("\n"))
	var h cacheHeader
	if !ok || json.Unmarshal(head, &h) != nil {
		return nil, answer{}, false
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, answer{}, false
	}
	now := time.Now()
	_ = os.Chtimes(c.path(key), now, now) // keeps it from the next sweep
	return data, h.Answer, true
}

// store is an optimisation: what goes wrong only costs the next reader time.
func (c *cache) store(key string, data []byte, a answer) {
	if c == nil {
		return
	}
	sum := sha256.Sum256(data)
	head, err := json.Marshal(cacheHeader{a, hex.EncodeToString(sum[:])})
	if err != nil {
		return
	}
	entry := slices.Concat(head, []byte("\n"), data)
	path := c.path(key)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return
	}
	_, err = f.Write(entry)
	if closeErr := f.Close(); err != nil || closeErr != nil || os.Rename(f.Name(), path) != nil {
		_ = os.Remove(f.Name())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.added += int64(len(entry)); c.added >= c.limit/16 {
		c.sweep()
		c.added = 0
	}
}

// sweep removes the entries used longest ago until three quarters of the limit are left.
func (c *cache) sweep() {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var all []entry
	var total int64
	_ = filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a folder that vanished is none of the sweep's business
		}
		if info, err := d.Info(); err == nil {
			all = append(all, entry{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if total <= c.limit {
		return
	}
	slices.SortFunc(all, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range all {
		if total <= c.limit/4*3 {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}
