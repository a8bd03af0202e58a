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

// Sealer seals and opens the state of runs with an AEAD keyset. The purpose and
// the run's id are associated data: a ciphertext of another run or column does
// not open (P7). There is no plaintext fallback. It is safe for concurrent use.
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
	dataKey := make([]byte, dataKeyBytes)
	_, _ = rand.Read(dataKey) // never fails, see crypto/rand
	body, err := subtle.NewAESGCM(dataKey)
	if err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal: %w", err)
	}
	var out Sealed
	if out.Body, err = body.Encrypt(plain, associated(purpose, id)); err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal: %w", err)
	}
	if out.Key, err = s.current(false).Encrypt(dataKey, associated(purpose, id)); err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal key: %w", err)
	}
	return out, nil
}

// Open decrypts what Seal made for the same purpose and run. Everything else is
// ErrUnreadable.
func (s *Sealer) Open(sealed Sealed, purpose string, id RunID) ([]byte, error) {
	dataKey, err := s.unwrap(sealed.Key, associated(purpose, id))
	if err != nil {
		return nil, ErrUnreadable.Because(fmt.Errorf("open key: %w", err))
	}
	body, err := subtle.NewAESGCM(dataKey)
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	out, err := body.Decrypt(sealed.Body, associated(purpose, id))
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	return out, nil
}

func associated(purpose string, id RunID) []byte { return []byte(purpose + "\x00" + string(id)) }
