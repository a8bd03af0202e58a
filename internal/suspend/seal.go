package suspend

import (
	"crypto/rand"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"editor-actions/internal/config"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// purposeState names the sealed column in the associated data.
const purposeState = "tx_editoractions_run.sealed_state"

// dataKeyBytes is the length of an AES-256 key.
const dataKeyBytes = 32

// Sealed is a value at rest: Body under a key of its own, and Key, which is
// that key under the keyset. Both layers have the same associated data. A rotation
// renews Key and leaves Body as it is.
type Sealed struct {
	Key  []byte
	Body []byte
}

// Sealer seals and opens what belongs to runs with an AEAD keyset. The purpose, the run's
// id and the record's, where a run has several, are associated data: a ciphertext of
// another run, record or column does not open (P7). There is no plaintext fallback. It is safe for concurrent use.
type Sealer struct {
	from config.Sealing
	keys atomic.Pointer[openKeyset]
	now  func() time.Time
}

// keysetCheck is how long a changed keyset file may go unnoticed. Retiring a key waits
// for much longer than that.
const keysetCheck = 5 * time.Second

// current is the keyset, read again when its file was changed. A file that cannot be
// read leaves the one in memory.
func (s *Sealer) current(now bool) *openKeyset {
	k := s.keys.Load()
	if k.file == nil || !now && s.now().Sub(k.checked) < keysetCheck {
		return k
	}
	info, err := os.Stat(s.from.KeysetFile)
	next := *k
	next.checked = s.now()
	if err == nil && (!os.SameFile(info, k.file) || !info.ModTime().Equal(k.file.ModTime()) || info.Size() != k.file.Size()) {
		if fresh, err := readKeyset(s.from); err == nil {
			fresh.checked = s.now()
			next = *fresh
		}
	}
	s.keys.Store(&next)
	return &next
}

// unwrap opens a data key. One that the keyset does not know may be newer than it.
func (s *Sealer) unwrap(sealed []byte, aad []byte) ([]byte, error) {
	dataKey, err := s.current(false).Decrypt(sealed, aad)
	if err != nil {
		dataKey, err = s.current(true).Decrypt(sealed, aad)
	}
	return dataKey, err
}

// Seal encrypts plain for one run.
func (s *Sealer) Seal(plain []byte, purpose string, id RunID) (Sealed, error) {
	return s.seal(plain, associated(purpose, id, ""))
}

// SealRecord encrypts plain for one of several records of a run.
func (s *Sealer) SealRecord(plain []byte, purpose string, id RunID, record string) (Sealed, error) {
	return s.seal(plain, associated(purpose, id, record))
}

func (s *Sealer) seal(plain, aad []byte) (Sealed, error) {
	dataKey := make([]byte, dataKeyBytes)
	_, _ = rand.Read(dataKey) // never fails, see crypto/rand
	body, err := subtle.NewAESGCM(dataKey)
	if err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal: %w", err)
	}
	var out Sealed
	if out.Body, err = body.Encrypt(plain, aad); err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal: %w", err)
	}
	if out.Key, err = s.current(false).Encrypt(dataKey, aad); err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal key: %w", err)
	}
	return out, nil
}

// Open decrypts what Seal made for the same purpose and run. Everything else is
// ErrUnreadable.
func (s *Sealer) Open(sealed Sealed, purpose string, id RunID) ([]byte, error) {
	return s.open(sealed, associated(purpose, id, ""))
}

// OpenRecord decrypts what SealRecord made for the same purpose, run and record.
func (s *Sealer) OpenRecord(sealed Sealed, purpose string, id RunID, record string) ([]byte, error) {
	return s.open(sealed, associated(purpose, id, record))
}

func (s *Sealer) open(sealed Sealed, aad []byte) ([]byte, error) {
	dataKey, err := s.unwrap(sealed.Key, aad)
	if err != nil {
		return nil, ErrUnreadable.Because(fmt.Errorf("open key: %w", err))
	}
	body, err := subtle.NewAESGCM(dataKey)
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	out, err := body.Decrypt(sealed.Body, aad)
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	return out, nil
}

// associated is the place of a value. No purpose and no id holds a NUL, so no two places
// are written alike; a run's own state has no record.
func associated(purpose string, id RunID, record string) []byte {
	place := purpose + "\x00" + string(id)
	if record != "" {
		place += "\x00" + record
	}
	return []byte(place)
}
