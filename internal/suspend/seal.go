package suspend

import (
	"crypto/rand"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
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
type Sealer struct{ keys tink.AEAD }

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
	if out.Key, err = s.keys.Encrypt(dataKey, associated(purpose, id)); err != nil {
		return Sealed{}, fmt.Errorf("suspend: seal key: %w", err)
	}
	return out, nil
}

// Open decrypts what Seal made for the same purpose and run. Everything else is
// ErrUnreadable.
func (s *Sealer) Open(sealed Sealed, purpose string, id RunID) ([]byte, error) {
	dataKey, err := s.keys.Decrypt(sealed.Key, associated(purpose, id))
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
