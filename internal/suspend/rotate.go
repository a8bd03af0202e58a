package suspend

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"editor-actions/internal/config"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"golang.org/x/sys/unix"
	"gorm.io/gorm"
)

// rewrapRows is how many rows one transaction renews: some milliseconds.
const rewrapRows = 200

// retireAfter is how long a keyset must have been unchanged before a key may be taken
// out of it: every instance has noticed the last rotation by then.
const retireAfter = time.Minute

// ErrKeysetFresh means that not every instance may have noticed the last rotation.
var ErrKeysetFresh = errors.New("the keyset is too fresh to take keys out of it")

// KeyInfo is one key of a keyset, without the key.
type KeyInfo struct {
	ID      uint32
	Primary bool
	Rows    int // runs whose state it seals

	Artifacts int // pictures of tools that it seals
}

// Foreign counts what no key of the keyset can have sealed.
type Foreign struct{ Runs, Artifacts int }

// Any reports whether there is something.
func (f Foreign) Any() bool { return f.Runs+f.Artifacts > 0 }

// changeKeyset replaces a keyset file by a changed one, whole or not at all. Two
// changes at the same time wait for each other.
func changeKeyset(path string, change func(m *keyset.Manager) error) error {
	path, err := filepath.EvalSymlinks(path) // a link stays a link
	if err != nil {
		return fmt.Errorf("sealing.keysetFile: %w", err)
	}
	file, info, err := lockKeyset(path)
	if err != nil {
		return err
	}
	defer file.Close() // and the lock with it
	text, _, _, err := keysetText(config.Sealing{KeysetFile: path})
	if err != nil {
		return err
	}
	if err := checkKeyset(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return fmt.Errorf("%s: a key of the keyset is damaged", path) // the library's error may quote it
	}
	m := keyset.NewManagerFromHandle(handle)
	if err := change(m); err != nil {
		return err
	}
	if handle, err = m.Handle(); err != nil {
		return fmt.Errorf("suspend: change keyset: %w", err)
	}
	var buf bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&buf)); err != nil {
		return fmt.Errorf("suspend: write keyset: %w", err)
	}
	tmp, err := keysetBeside(path, buf.Bytes())
	if err != nil {
		return err
	}
	err = errors.Join(os.Chmod(tmp, info.Mode().Perm()), sameOwner(tmp, info), os.Rename(tmp, path), syncFolder(path))
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("suspend: replace keyset file: %w", err)
	}
	return nil
}

// lockKeyset opens and locks the file that path names now: whoever held the lock before
// has put another one in its place.
func lockKeyset(path string) (*os.File, os.FileInfo, error) {
	for {
		file, err := os.Open(path) //nolint:gosec // the operator names it
		if err != nil {
			return nil, nil, fmt.Errorf("sealing.keysetFile: %w", err)
		}
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
		held, errHeld := file.Stat()
		named, errNamed := os.Stat(path)
		if err := errors.Join(err, errHeld, errNamed); err != nil {
			_ = file.Close()
			return nil, nil, fmt.Errorf("suspend: lock keyset file: %w", err)
		}
		if os.SameFile(held, named) {
			return file, held, nil
		}
		_ = file.Close()
	}
}

// sameOwner gives the new file to the owner of the old one, as far as we may.
func sameOwner(path string, old os.FileInfo) error {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, int(st.Uid), int(st.Gid))
}

// AddPrimaryKey adds a new key to a keyset file and makes it the primary one. The old
// keys stay, so that everything still opens.
func AddPrimaryKey(path string) (id uint32, err error) {
	err = changeKeyset(path, func(m *keyset.Manager) error {
		if id, err = m.Add(aead.AES256GCMKeyTemplate()); err != nil {
			return fmt.Errorf("suspend: make key: %w", err)
		}
		return m.SetPrimary(id)
	})
	return id, err
}

// RetireKeys takes the keys out of a keyset file that seal nothing any more; the primary
// one stays. Rows that no key of the keyset opens do not matter here.
func (s *Store) RetireKeys(ctx context.Context, path string) (retired []uint32, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("sealing.keysetFile: %w", err)
	}
	if age := s.Now().Sub(info.ModTime()); age < retireAfter {
		return nil, fmt.Errorf("%w: it was changed %s ago. Wait until every instance has noticed it, and try again in %s",
			ErrKeysetFresh, age.Round(time.Second), (retireAfter-age).Round(time.Second)+time.Second)
	}
	keys, _, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !k.Primary && k.Rows == 0 && k.Artifacts == 0 {
			retired = append(retired, k.ID)
		}
	}
	if len(retired) == 0 {
		return nil, nil
	}
	return retired, changeKeyset(path, func(m *keyset.Manager) error {
		for _, id := range retired {
			if err := m.Delete(id); err != nil {
				return fmt.Errorf("suspend: retire key %d: %w", id, err)
			}
		}
		return nil
	})
}

// sealedTables are the tables with sealed values, and what each is sealed for: the columns
// id, run and record of a row, and its purpose.
var sealedTables = []struct{ table, columns, purpose string }{
	{runTable, "id, id AS run_id, '' AS record, sealed_key", purposeState},
	{artifactTable, "id, run_id, version_id AS record, sealed_key", purposeArtifact},
}

// Keys lists the keys of the keyset with how many rows each seals, and counts the rows
// that none of them can have sealed. It opens nothing: a sealed key begins with the
// number of its key.
func (s *Store) Keys(ctx context.Context) (keys []KeyInfo, foreign Foreign, err error) {
	known, err := s.sealer.keyIDs()
	if err != nil {
		return nil, Foreign{}, err
	}
	for _, t := range sealedTables {
		var rows []struct {
			Prefix []byte
			Count  int
		}
		err = s.conn(ctx, nil).Raw("SELECT SUBSTR(sealed_key, 1, 5) AS prefix, COUNT(*) AS count FROM " + t.table +
			" WHERE sealed_key IS NOT NULL GROUP BY SUBSTR(sealed_key, 1, 5)").Scan(&rows).Error
		if err != nil {
			return nil, Foreign{}, fmt.Errorf("suspend: count sealed rows: %w", err)
		}
		for _, r := range rows {
			runs, artifacts := &foreign.Runs, &foreign.Artifacts
			id, ok := keyOf(r.Prefix)
			if i := slices.IndexFunc(known, func(k KeyInfo) bool { return ok && k.ID == id }); i >= 0 {
				runs, artifacts = &known[i].Rows, &known[i].Artifacts
			}
			if t.table == runTable {
				*runs += r.Count
			} else {
				*artifacts += r.Count
			}
		}
	}
	return known, foreign, nil
}

// keyOf reads the number of the key out of a sealed data key: Tink's prefix is a
// version byte and the number, most significant byte first.
func keyOf(sealed []byte) (uint32, bool) {
	if len(sealed) < 5 || sealed[0] != 1 {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed[1:5]), true
}

// keyIDs are the enabled keys of the keyset as its file is now.
func (s *Sealer) keyIDs() ([]KeyInfo, error) {
	text, _, source, err := keysetText(s.from)
	if err != nil {
		return nil, err
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: a key of the keyset is damaged", source)
	}
	info := handle.KeysetInfo()
	var out []KeyInfo
	for _, k := range info.GetKeyInfo() {
		out = append(out, KeyInfo{ID: k.GetKeyId(), Primary: k.GetKeyId() == info.GetPrimaryKeyId()})
	}
	return out, nil
}

// Rewrapped says what a rotation did, in rows of all tables.
type Rewrapped struct {
	Renewed    int // now under the primary key
	Already    int // were so before
	Unreadable int // open with no key we have; kept as they are
}

// Rewrap puts the data key of every waiting or working run, and of every picture of a
// tool, under the primary key. The large values are neither read nor changed. It works in
// small transactions and may be stopped and started again at any time: what is done is not
// done again. A row that is erased or stored anew meanwhile is left alone. progress may be
// nil; it is told after each batch how many rows were looked at.
func (s *Store) Rewrap(ctx context.Context, progress func(done int)) (Rewrapped, error) {
	var out Rewrapped
	primary := s.sealer.current(true).primary
	done := 0
	for i := range sealedTables {
		for after, more := "", true; more; {
			rows, err := s.rewrapBatch(ctx, i, after, primary, &out)
			if err != nil {
				return out, err
			}
			if more = len(rows) > 0; !more {
				break
			}
			after, done = rows[len(rows)-1].ID, done+len(rows)
			if progress != nil {
				progress(done)
			}
		}
	}
	return out, nil
}

// wrappedRow is a row without its large value.
type wrappedRow struct {
	ID, RunID, Record string
	SealedKey         []byte
}

// rewrapBatch renews the rows of a table that follow an id. Every row that was read is
// answered, those that stay as they are too: the cursor moves over them.
func (s *Store) rewrapBatch(ctx context.Context, table int, after string, primary uint32, out *Rewrapped) ([]wrappedRow, error) {
	t := sealedTables[table]
	var rows []wrappedRow
	err := s.conn(ctx, nil).Table(t.table).Select(t.columns).
		Where("id > ? AND sealed_key IS NOT NULL", after).Order("id").Limit(rewrapRows).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: read sealed keys: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows, s.conn(ctx, nil).Transaction(func(tx *gorm.DB) error {
		for _, r := range rows {
			if id, ok := keyOf(r.SealedKey); ok && id == primary {
				out.Already++
				continue
			}
			next, err := s.sealer.rewrap(r.SealedKey, associated(t.purpose, RunID(r.RunID), r.Record))
			if err != nil {
				out.Unreadable++
				continue
			}
			res := tx.Table(t.table).Where("id = ? AND sealed_key = ?", r.ID, r.SealedKey).Update("sealed_key", next)
			if res.Error != nil {
				return fmt.Errorf("suspend: renew sealed key: %w", res.Error)
			}
			out.Renewed += int(res.RowsAffected)
		}
		return nil
	})
}

// rewrap puts a data key under the primary key.
func (s *Sealer) rewrap(sealed, aad []byte) ([]byte, error) {
	dataKey, err := s.unwrap(sealed, aad)
	if err != nil {
		return nil, err
	}
	return s.current(false).Encrypt(dataKey, aad)
}
