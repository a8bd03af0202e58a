package suspend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// artifactTable holds pictures that tools made for runs.
const artifactTable = "tx_editoractions_artifact"

// purposeArtifact names the sealed column in the associated data.
const purposeArtifact = artifactTable + ".sealed_body"

// Artifact is what is known in the clear about a picture that a tool made for a run. It
// is stored once and never changed; the one move is to be revoked, for good.
type Artifact struct {
	ID         string // both ids are made by SaveArtifact
	VersionID  string
	Run        RunID
	ScopeHash  string // whom it belongs to, as internal/toolimages counts it
	ActingUser uint32
	Source     string
	SHA256     string // of the bytes, in hex, like all that follows
	MIME       string
	Width      int
	Height     int
	Size       int
	Title      string
	Created    time.Time
	Revoked    time.Time // zero = live
}

// Live reports whether it was not revoked.
func (a Artifact) Live() bool { return a.Revoked.IsZero() }

// artifactRow is a row without what is sealed. Lists read it.
type artifactRow struct {
	ID         string     `gorm:"column:id;primaryKey"`
	VersionID  string     `gorm:"column:version_id"`
	RunID      string     `gorm:"column:run_id"`
	ScopeHash  string     `gorm:"column:scope_hash"`
	ActingUser uint32     `gorm:"column:acting_user"`
	Source     string     `gorm:"column:source"`
	SHA256     string     `gorm:"column:sha256"`
	MIME       string     `gorm:"column:mime"`
	Width      int        `gorm:"column:width"`
	Height     int        `gorm:"column:height"`
	Size       int        `gorm:"column:size"`
	Title      string     `gorm:"column:title"`
	Live       *int       `gorm:"column:live"` // 1, or NULL once revoked: so only live ones collide
	CreatedAt  time.Time  `gorm:"column:created_at"`
	RevokedAt  *time.Time `gorm:"column:revoked_at"`
}

// TableName implements gorm's tabler.
func (artifactRow) TableName() string { return artifactTable }

// sealedArtifactRow is a row with its blobs.
type sealedArtifactRow struct {
	Row        artifactRow `gorm:"embedded"`
	SealedKey  []byte      `gorm:"column:sealed_key"`
	SealedBody []byte      `gorm:"column:sealed_body"`
}

// TableName implements gorm's tabler.
func (sealedArtifactRow) TableName() string { return artifactTable }

func (r *artifactRow) artifact() Artifact {
	a := Artifact{
		ID: r.ID, VersionID: r.VersionID, Run: RunID(r.RunID), ScopeHash: r.ScopeHash, ActingUser: r.ActingUser, Source: r.Source,
		SHA256: r.SHA256, MIME: r.MIME, Width: r.Width, Height: r.Height, Size: r.Size, Title: r.Title, Created: r.CreatedAt.UTC(),
	}
	switch {
	case r.RevokedAt != nil:
		a.Revoked = r.RevokedAt.UTC()
	case r.Live == nil: // revoked by hand
		a.Revoked = a.Created
	}
	return a
}

// SaveArtifact seals a picture for a run that goes on. Bytes that the scope has from the
// same source already are not stored again: the answer is the artifact there is. Both
// happen in one transaction that holds the run, so that parallel saves make one row and a
// run that ends meanwhile keeps none. ErrRunEnded when it is over.
func (s *Store) SaveArtifact(ctx context.Context, a Artifact, plain []byte) (Artifact, error) {
	a.ID, a.VersionID = string(s.NewID()), string(s.NewID())
	sealed, err := s.sealer.SealRecord(plain, purposeArtifact, a.Run, a.VersionID)
	if err != nil {
		return Artifact{}, err
	}
	live := 1
	row := sealedArtifactRow{SealedKey: sealed.Key, SealedBody: sealed.Body, Row: artifactRow{
		ID: a.ID, VersionID: a.VersionID, RunID: string(a.Run), ScopeHash: a.ScopeHash, ActingUser: a.ActingUser, Source: a.Source,
		SHA256: a.SHA256, MIME: a.MIME, Width: a.Width, Height: a.Height, Size: a.Size, Title: a.Title, Live: &live, CreatedAt: s.now(),
	}}
	err = s.transaction(ctx, func(tx *gorm.DB) error {
		// An UPDATE that changes nothing holds the run until the commit, on both databases.
		held := s.conn(ctx, tx).Model(&runRow{}).Where("id = ? AND status IN ?", string(a.Run), open).
			Updates(map[string]any{"version": gorm.Expr("version")})
		if held.Error != nil {
			return fmt.Errorf("suspend: hold run of artifact: %w", held.Error)
		}
		if held.RowsAffected != 1 {
			return ErrRunEnded
		}
		var same artifactRow
		err := s.conn(ctx, tx).Where("scope_hash = ? AND sha256 = ? AND source = ? AND live = 1", a.ScopeHash, a.SHA256, a.Source).Take(&same).Error
		if err == nil {
			row.Row = same
			return nil
		}
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return fmt.Errorf("suspend: find artifact: %w", err)
		}
		if err := s.conn(ctx, tx).Create(&row).Error; err != nil {
			return fmt.Errorf("suspend: store artifact: %w", err)
		}
		return nil
	})
	if err != nil {
		return Artifact{}, err
	}
	return row.Row.artifact(), nil
}

// Artifact reads one artifact without its bytes, revoked ones too.
func (s *Store) Artifact(ctx context.Context, id string) (Artifact, error) {
	var row artifactRow
	err := s.conn(ctx, nil).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Artifact{}, ErrArtifactNotFound
	}
	if err != nil {
		return Artifact{}, fmt.Errorf("suspend: read artifact: %w", err)
	}
	return row.artifact(), nil
}

// Artifacts lists the artifacts of a run, oldest first, without their bytes.
func (s *Store) Artifacts(ctx context.Context, id RunID) ([]Artifact, error) {
	var rows []artifactRow
	if err := s.conn(ctx, nil).Where("run_id = ?", string(id)).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("suspend: list artifacts: %w", err)
	}
	out := make([]Artifact, len(rows))
	for i := range rows {
		out[i] = rows[i].artifact()
	}
	return out, nil
}

// OpenArtifact reads the bytes of a live artifact as they were sealed for this run and this
// version: bytes of another row are ErrUnreadable. Whether they are what the row says is
// for the caller to verify.
func (s *Store) OpenArtifact(ctx context.Context, a Artifact) ([]byte, error) {
	var row sealedArtifactRow
	err := s.conn(ctx, nil).Where("id = ? AND version_id = ? AND live = 1", a.ID, a.VersionID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrArtifactNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("suspend: read artifact: %w", err)
	}
	return s.sealer.OpenRecord(Sealed{row.SealedKey, row.SealedBody}, purposeArtifact, RunID(row.Row.RunID), row.Row.VersionID)
}

// RevokeArtifact ends an artifact for good and erases its bytes. The row stays as a
// tombstone: the same bytes saved again are another artifact. Once revoked it stays so;
// doing it again changes nothing.
func (s *Store) RevokeArtifact(ctx context.Context, id string) error {
	res := s.conn(ctx, nil).Model(&artifactRow{}).Where("id = ? AND live = 1", id).
		Updates(map[string]any{"live": nil, "revoked_at": s.now(), "sealed_key": nil, "sealed_body": nil})
	if res.Error != nil {
		return fmt.Errorf("suspend: revoke artifact: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		_, err := s.Artifact(ctx, id)
		return err
	}
	return nil
}
