package testsite

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func unpack(t testing.TB, root string) {
	t.Helper()
	f, err := os.Open(Lookup(t, "typo3/main-files.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read-only
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeDir:
			err = dir.MkdirAll(name, 0o750)
		case tar.TypeReg:
			err = write(dir, name, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func write(dir *os.Root, name string, r io.Reader) error {
	if err := dir.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
