package toolimages

import (
	"context"
	"encoding/hex"
	"fmt"

	"editor-actions/internal/media"
	"editor-actions/internal/suspend"
)

// stored are the types of what is kept; every wire takes them (P4).
var stored = []media.Type{media.JPEG, media.PNG}

// unavailable hides why something could not be read. A caller that left learns that.
func (s *Service) unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("toolimages: read: %w", context.Cause(ctx))
	}
	return because(ErrUnavailable, "%v", err)
}

// materialize reads the picture that an attachment refers to. Everything that the record
// can answer is asked before bytes are read; then the bytes are held against it.
func (s *Service) materialize(ctx context.Context, scope Scope, a Attachment) (*media.Image, error) {
	row, err := s.store.Artifact(ctx, a.ArtifactID)
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	if why := s.forged(row, scope, a); why != "" {
		return nil, because(ErrUnavailable, "%s", why)
	}
	return s.open(ctx, row, s.host.MayLook)
}

// forged says where a reference differs from the record, or the record from the scope.
func (s *Service) forged(row suspend.Artifact, scope Scope, a Attachment) string {
	switch {
	case row.ID != a.ArtifactID:
		return "another artifact was found"
	case !row.Live():
		return "it was revoked"
	case row.Run != scope.Run || row.ActingUser != scope.ActingUser || row.ScopeHash != scope.hash():
		return "it is of another scope"
	case row.Source != a.Source:
		return "it has another source"
	case row.VersionID != a.VersionID:
		return "it has another version"
	case row.SHA256 != a.SHA256:
		return "it has another hash"
	case row.MIME != string(a.MIMEType):
		return "it has another type"
	case row.Width != a.Width || row.Height != a.Height:
		return "it has another size"
	}
	return ""
}

// open reads and verifies the bytes of a record. A picture that was made of a file is
// shown only while mayLook says that the file is.
func (s *Service) open(ctx context.Context, row suspend.Artifact, mayLook func(ctx context.Context, file uint32) error) (*media.Image, error) {
	want := media.Fingerprint{Type: media.Type(row.MIME), Width: row.Width, Height: row.Height, Size: row.Size}
	sum, err := hex.DecodeString(row.SHA256)
	if err != nil || copy(want.SHA256[:], sum) != len(want.SHA256) || row.Size < 1 || row.Size > s.cfg.MaxBytes {
		return nil, because(ErrUnavailable, "its record is damaged")
	}
	file, ok := fileOf(row.Source)
	switch {
	case !ok:
		return nil, because(ErrUnavailable, "its record has an unknown source")
	case file != 0 && mayLook == nil:
		return nil, because(ErrUnavailable, "nobody can say who may see file %d", file)
	case file != 0:
		if err := mayLook(ctx, file); err != nil {
			return nil, s.unavailable(ctx, fmt.Errorf("file %d: %w", file, err))
		}
	}
	data, err := s.store.OpenArtifact(ctx, row)
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	img, err := media.Verify(data, want, media.Limits{MaxBytes: s.cfg.MaxBytes, MaxPixels: s.cfg.MaxPixels, Types: stored})
	if err != nil {
		return nil, s.unavailable(ctx, err)
	}
	return img, nil
}

// Preview reads one picture of a run for a card. The caller has checked that the viewer
// may see the run; mayLook asks whether the viewer may see the file that the picture was
// made of, and nil shows pictures of no file. Every reason against it is ErrUnavailable.
func (s *Service) Preview(ctx context.Context, run suspend.RunID, artifact, version string, mayLook func(ctx context.Context, file uint32) error) (*media.Image, error) {
	row, err := s.store.Artifact(ctx, artifact)
	switch {
	case err != nil:
		return nil, s.unavailable(ctx, err)
	case row.Run != run, row.VersionID != version, !row.Live():
		return nil, because(ErrUnavailable, "it is of another run or version, or was revoked")
	}
	return s.open(ctx, row, mayLook)
}
