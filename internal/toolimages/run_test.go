package toolimages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/toolimages"
)

// The rows E.9 as far as this room goes; the rest needs the loop.

func TestE9_X01_X02_AWaitingRunHoldsNoPixelsOfTools(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx := t.Context()
		p := r.saved("Page 1", 1)
		_, state, err := r.spy.Claim(ctx, "w", time.Minute, 3)
		r.must(err)
		call := providers.ToolCall{ID: "c2", Name: "set_file_alternative_text", Arguments: json.RawMessage(`{"uid":7}`)}
		state.Messages = transcript(asked("c1", viewPage), r.shown("c1", viewPage, "The first page.", p), providers.Message{Role: providers.Assistant, ToolCalls: []providers.ToolCall{call}})
		state.Pending = []suspend.PendingCall{{ID: call.ID, Name: call.Name, Arguments: call.Arguments}}
		_, err = r.spy.Suspend(ctx, r.run.ID, "w", suspend.Suspension{State: *state, Turn: 1})
		r.must(err)
		_, opened, err := r.spy.Load(ctx, r.run.ID)
		r.must(err)
		img, err := r.Preview(ctx, r.run.ID, p.Attachments[0].ArtifactID, p.Attachments[0].VersionID, nil)
		r.must(err)
		if got := opened.Messages[3]; got.Text != "The first page." || !bytes.Equal(got.Artifact, state.Messages[3].Artifact) {
			t.Errorf("X01: %+v", got)
		}
		plain, err := providers.EncodeTranscript(opened.Messages)
		r.must(err)
		if strings.Contains(string(plain), img.Base64()[:40]) || len(pictures(opened.Messages)) != 1 {
			t.Error("X01: pixels of a tool's picture are in the state")
		}
		var row []byte
		r.must(r.db.Raw("SELECT sealed_state FROM tx_editoractions_run WHERE id = ?", string(r.run.ID)).Row().Scan(&row))
		if subject := pictures(opened.Messages)[0]; bytes.Contains(row, []byte(subject.Base64()[:40])) || subject.Width() != 64 {
			t.Error("X02: the subject's picture lies in the clear, or is gone")
		}
		// A projection of it cannot be stored, however it is taken apart.
		out, _, err := r.project(opened.Messages[:4])
		r.must(err)
		projected := *opened
		projected.Messages, projected.Pending = out, state.Pending
		_, err = r.spy.Suspend(ctx, r.run.ID, "w", suspend.Suspension{State: projected, Turn: 2})
		if !errors.Is(err, providers.ErrNotDurable) {
			t.Errorf("P36: %v", err)
		}
	})
}

func TestE9_X03_SettlingErasesWhatTheServiceSaved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		ctx := t.Context()
		p := r.saved("Page 1", 1)
		durable := transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p))
		_, _, err := r.spy.Claim(ctx, "w", time.Minute, 3)
		r.must(err)
		r.must(r.spy.Settle(ctx, r.run.ID, "w", suspend.Settlement{Status: suspend.Completed, Reason: suspend.ReasonNoProposal}))
		var state []byte
		r.must(r.db.Raw("SELECT sealed_state FROM tx_editoractions_run WHERE id = ?", string(r.run.ID)).Row().Scan(&state))
		if r.rows() != 0 || state != nil {
			t.Errorf("%d pictures and %d bytes of state are left", r.rows(), len(state))
		}
		r.refused("after the end", durable, toolimages.ErrUnavailable, 0)
	})
}

// X08: no error, log line or printed value of this room holds pixels, a path or a secret.
func TestE9_X08_NothingIsTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		p := r.saved("Page 1", 1)
		img, err := r.Preview(t.Context(), r.run.ID, p.Attachments[0].ArtifactID, p.Attachments[0].VersionID, nil)
		r.must(err)
		round := transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p))
		var errs []error
		for _, in := range []toolimages.SaveInput{
			{Data: []byte("sk-secret"), MIMEType: "image/png"},
			{Data: drawing(8, 6, 1), MIMEType: "sk-secret"},
			{Data: drawing(8, 6, 1)[:60], MIMEType: "image/png", Title: "sk-secret"},
			{Data: drawing(8, 6, 1), MIMEType: "image/png", Title: "sk-secret\xff"},
		} {
			_, err := r.Save(t.Context(), in)
			errs = append(errs, err)
		}
		_, err = r.Result(providers.ToolCall{ID: "sk-secret"}, "sk-secret", p)
		errs = append(errs, err)
		_, err = r.Result(providers.ToolCall{ID: "a", Name: "b"}, "sk-secret data:image/png;base64,"+img.Base64(), p)
		errs = append(errs, err)
		for _, change := range []func(m *providers.Message){
			func(m *providers.Message) { m.Text = "sk-secret data:image/png;base64," + img.Base64() },
			func(m *providers.Message) { m.Artifact = json.RawMessage(`{"sk-secret":"` + img.Base64() + `"}`) },
			func(m *providers.Message) { m.ToolCallID = "sk-secret" },
			func(m *providers.Message) { m.ToolName = "sk-secret" },
		} {
			durable := slices.Clone(round)
			change(&durable[3])
			_, _, err := r.project(durable)
			errs = append(errs, err)
		}
		r.spy.bytes = func(suspend.Artifact, []byte) []byte { return []byte("sk-secret") }
		_, _, err = r.project(round)
		errs = append(errs, err)
		r.spy.bytes = nil
		out, _, err := r.Project(t.Context(), round, imageTools)
		r.must(err)
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "outbound", out, "image", img, "errors", errors.Join(errs...))
		for i, err := range errs {
			if err == nil {
				t.Fatalf("%d is no error", i)
			}
			fmt.Fprintf(&log, "%v %+v %s", err, err, toolimages.Reason(err))
		}
		for _, no := range []string{"sk-secret", img.Base64()[:30], r.dsn, r.keyset, "iVBOR"} {
			if strings.Contains(log.String(), no) {
				t.Errorf("%q is in %s", no, log.String())
			}
		}
	})
}

// X09: in a later turn the subject's picture is sent once more, and no tool's.
func TestE9_X09_ClosingSendShowsNoToolImage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		p := r.saved("Page 1", 1)
		const write = "set_file_alternative_text"
		out, need, err := r.project(transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p), asked("c2", write), said("c2", write, `{"status":"done"}`)))
		if got := pictures(out); err != nil || len(got) != 1 || got[0].Width() != 64 || need.Vision != providers.NeedNone {
			t.Errorf("%v %+v %v", got, need, err)
		}
	})
}

// X12: a worker that takes a run over trusts nothing that the first one verified.
func TestE9_X12_AnotherWorkerVerifiesAnew(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *room) {
		p := r.saved("Page 1", 1)
		durable := transcript(asked("c1", viewPage), r.shown("c1", viewPage, "one", p))
		first, _, err := r.project(durable)
		r.must(err)
		other, err := toolimages.New(r.instance(connect(t, r.dsn)), asIs{}, r.host, toolimages.DefaultConfig())
		r.must(err)
		again, _, err := other.Project(t.Context(), durable, imageTools)
		r.must(err)
		same(t, slices.Collect(again.All()), first)
		r.must(r.Revoke(t.Context(), p.Attachments[0].ArtifactID))
		if _, _, err := other.Project(t.Context(), durable, imageTools); !errors.Is(err, toolimages.ErrUnavailable) {
			t.Errorf("between the two it was revoked: %v", err)
		}
	})
}
