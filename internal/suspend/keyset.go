package suspend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/fault"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// InitKeyset makes a new keyset file (AES-256-GCM), readable for its owner
// only. It is there whole or not at all, and an existing file is never touched.
func InitKeyset(path string) error {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return fmt.Errorf("suspend: make keyset: %w", err)
	}
	var buf bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&buf)); err != nil {
		return fmt.Errorf("suspend: write keyset: %w", err)
	}
	tmp, err := keysetBeside(path, buf.Bytes())
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp) }() // what is left of a failure, else the second name
	err = os.Link(tmp, path)              // unlike a rename, never over another file
	if err == nil {
		err = syncFolder(path)
	}
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Invalid, "keyset_exists", "%s exists already and was not changed: a lost key makes every waiting run unreadable.", path)
	}
	if err != nil {
		return fmt.Errorf("suspend: make keyset file: %w", err)
	}
	return nil
}

// keysetBeside writes a keyset to a new file in the folder of path, mode 0600, and
// names it. It is on the disk when this returns.
func keysetBeside(path string, text []byte) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".keyset-*") // mode 0600
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("sealing.keysetFile: the folder %s does not exist: make it first, readable for the service's user only", filepath.Dir(path))
	}
	if err != nil {
		return "", fmt.Errorf("suspend: make keyset file: %w", err)
	}
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		_ = os.Remove(tmp.Name())
		return "", fmt.Errorf("suspend: write keyset file: %w", err)
	}
	return tmp.Name(), nil
}

// syncFolder puts the name of a file on the disk, as a rename or a link gave it.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// forbiddenMode: a group may read a keyset (that is how container platforms
// hand secrets to a service); everybody may not, and nobody else writes.
const forbiddenMode = 0o027

// LoadKeyset opens the configured keyset. The Sealer notices when its file is changed
// by a rotation. Errors name the setting and what to do, and never quote the keyset.
func LoadKeyset(c config.Sealing) (*Sealer, error) {
	keys, err := readKeyset(c)
	if err != nil {
		return nil, err
	}
	s := &Sealer{from: c, now: time.Now}
	s.keys.Store(keys)
	return s, nil
}

// openKeyset is a keyset in memory, and which file it was.
type openKeyset struct {
	tink.AEAD
	primary uint32
	file    os.FileInfo // nil when the settings hold the keyset itself
	checked time.Time   // when the file was looked at last
}

func readKeyset(c config.Sealing) (*openKeyset, error) {
	text, info, source, err := keysetText(c)
	if err != nil {
		return nil, err
	}
	if err := checkKeyset(text); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	// The library's errors may quote the keyset, so they stop here.
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: a key of the keyset is damaged or has the wrong length: take it from your copy, or make a new keyset with `editor-actions keys init`", source)
	}
	keys, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("%s: the keyset holds keys for something else than sealing (AEAD): make one with `editor-actions keys init`", source)
	}
	primary, err := handle.Primary()
	if err != nil {
		return nil, fmt.Errorf("%s: the keyset has no primary key", source)
	}
	return &openKeyset{AEAD: keys, primary: primary.KeyID(), file: info, checked: time.Now()}, nil
}

// keysetText reads the keyset and which file it was, nil when the settings hold it. Both
// come from one descriptor: a rotation may put another file in its place at any time.
func keysetText(c config.Sealing) (text []byte, info os.FileInfo, source string, err error) {
	if inline := c.Keyset.Reveal(); inline != "" {
		return []byte(inline), nil, "sealing.keyset", nil
	}
	if c.KeysetFile == "" {
		return nil, nil, "", errors.New("sealing.keysetFile is not set: name a file and make it with `editor-actions keys init`")
	}
	source = "sealing.keysetFile: " + c.KeysetFile
	file, err := os.Open(c.KeysetFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", fmt.Errorf("%s: there is no such file: make it with `editor-actions keys init`", source)
	}
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", source, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", source, err)
	}
	if info.Mode().Perm()&forbiddenMode != 0 {
		return nil, nil, "", fmt.Errorf("%s: other users may read or change this file (mode %04o): chmod 600 it", source, info.Mode().Perm())
	}
	if text, err = io.ReadAll(io.LimitReader(file, maxKeysetBytes)); err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", source, err)
	}
	return text, info, source, nil
}

// maxKeysetBytes is far more than a keyset has.
const maxKeysetBytes = 1 << 20

// checkKeyset finds what the library would call by one name only.
func checkKeyset(text []byte) error {
	var k struct {
		Primary uint32 `json:"primaryKeyId"`
		Keys    []struct {
			ID     uint32 `json:"keyId"`
			Status string `json:"status"`
			Prefix string `json:"outputPrefixType"`
		} `json:"key"`
	}
	if !json.Valid(text) {
		return errors.New("this is not JSON: it must be a Tink keyset, made with `editor-actions keys init`")
	}
	if err := json.Unmarshal(text, &k); err != nil || len(k.Keys) == 0 {
		return errors.New("this is no Tink keyset in JSON: make one with `editor-actions keys init`")
	}
	for _, key := range k.Keys {
		if key.Prefix != "TINK" {
			return errors.New("a key of the keyset has another output prefix than TINK, so nobody can tell what it seals: make a keyset with `editor-actions keys init`")
		}
	}
	for _, key := range k.Keys {
		if key.ID == k.Primary {
			if key.Status != "ENABLED" {
				return errors.New("the primary key of the keyset is not enabled")
			}
			return nil
		}
	}
	return errors.New("the keyset has no primary key")
}
