package toolimages_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/secret"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"

	"gorm.io/gorm"
)

const dieInSave = "die-in-save"

// saveAndDie saves a picture in this process, which is killed between the insert and the
// commit.
func saveAndDie(dsn, keyset, run string) int {
	db, _, err := database.Open(secret.New(dsn))
	if err != nil {
		return 3
	}
	sealer, err := suspend.LoadKeyset(config.Sealing{KeysetFile: keyset})
	if err != nil {
		return 4
	}
	err = db.Callback().Create().After("gorm:create").Register("test:die", func(tx *gorm.DB) {
		if tx.Error == nil && tx.RowsAffected == 1 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	if err != nil {
		return 5
	}
	s, err := toolimages.New(suspend.NewStore(db, sealer, suspend.Options{}), asIs{}, toolimages.Host{
		Scope: func(context.Context) (toolimages.Scope, error) {
			return toolimages.Scope{Installation: installation, Workspace: toolimages.Live, ActingUser: 3, Run: suspend.RunID(run)}, nil
		},
		MayLook: func(context.Context, uint32) error { return nil }, Screen: func(s string) (string, error) { return s, nil }, MaxEdge: func() int { return 1024 },
	}, toolimages.DefaultConfig())
	if err != nil {
		return 6
	}
	_, _ = s.Save(context.Background(), toolimages.SaveInput{Data: drawing(8, 6, 1), MIMEType: "image/png"})
	return 7 // it should not live to see this
}

// S24: a process that is killed between the insert and the commit leaves no row, and the
// next one saves as if nothing had been.
func TestE4_S24_KilledBetweenInsertAndCommit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		self, err := os.Executable()
		r.must(err)
		out, err := exec.CommandContext(t.Context(), self, dieInSave, r.dsn, r.keyset, string(r.run.ID)).CombinedOutput()
		if err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("%v: %s", err, out)
		}
		p := r.saved("x", 1)
		if r.rows() != 1 || len(p.Attachments) != 1 {
			t.Errorf("%d rows", r.rows())
		}
		r.must(r.spy.Cancel(t.Context(), r.run.ID, 3))
		if r.rows() != 0 {
			t.Error("an orphan")
		}
	})
}
