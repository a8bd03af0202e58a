package downscaler

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of one message. An answer is small: a PNG has 512 KiB at most and a
// JPEG of the largest edge some megabytes. A worker has read hostile bytes, so
// what it says is bounded too.
const (
	maxHeader = 64 << 10
	maxAnswer = 64 << 20
)

// send writes a header in JSON and the bytes that belong to it, each after its length.
func send(w io.Writer, header any, data []byte) error {
	raw, err := json.Marshal(header)
	if err != nil {
		return err
	}
	buf := make([]byte, 0, 12+len(raw))
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(raw))) //nolint:gosec // a header has a few hundred bytes
	buf = append(buf, raw...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(data)))
	if _, err := w.Write(buf); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// receive is the other side of send; limit bounds the bytes. io.EOF only
// between two messages.
func receive(r io.Reader, header any, limit uint64) ([]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	raw, err := readN(r, uint64(binary.BigEndian.Uint32(n[:])), maxHeader)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, header); err != nil {
		return nil, err
	}
	var m [8]byte
	if _, err := io.ReadFull(r, m[:]); err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return readN(r, binary.BigEndian.Uint64(m[:]), limit)
}

func readN(r io.Reader, n, limit uint64) ([]byte, error) {
	if n > limit {
		return nil, fmt.Errorf("downscaler: a message of %d bytes is too long", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("downscaler: message is cut: %w", err)
	}
	return b, nil
}
