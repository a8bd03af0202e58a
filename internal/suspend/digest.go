package suspend

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Digest is the fingerprint of exactly what a card asks about: the pending
// calls in the model's order with their argument bytes, and how often the card
// was drawn anew. Every part is preceded by its length, so that no two lists run
// together. The bytes are the stored ones and never marshalled again.
func Digest(pending []PendingCall, redraws int) string {
	h := sha256.New()
	number(h, uint64(redraws)) //nolint:gosec // a count
	number(h, uint64(len(pending)))
	for _, c := range pending {
		part(h, []byte(c.ID))
		part(h, []byte(c.Name))
		part(h, c.Arguments)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func number(h hash.Hash, n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	_, _ = h.Write(b[:]) // a hash never fails
}

func part(h hash.Hash, b []byte) {
	number(h, uint64(len(b)))
	_, _ = h.Write(b)
}
