package actions_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/falgate"
	"editor-actions/internal/providers"
)

func withLimit(n int) config.Field { return config.Field{Enabled: true, MaxLength: n} }

func keys(offers []actions.Offer) []string {
	var k []string
	for _, o := range offers {
		k = append(k, o.Action.Key)
	}
	return k
}

func TestOffers(t *testing.T) {
	t.Parallel()
	both := []string{actions.SuggestAlternativeText, actions.SuggestTitleAndDescription}
	for name, tc := range map[string]struct {
		change func(*world)
		table  string
		want   []string
	}{
		"all":                      {func(*world) {}, "sys_file", both},
		"every table":              {func(*world) {}, "", both},
		"other table":              {func(*world) {}, "pages", nil},
		"S14_ModelWithoutVision":   {func(w *world) { w.models.ok = false }, "sys_file", nil},
		"S17_TitleOff":             {func(w *world) { w.settings.Vision.Title.Enabled = false }, "sys_file", both},
		"S17_BothOff":              {func(w *world) { w.settings.Vision.Title.Enabled, w.settings.Vision.Description.Enabled = false, false }, "sys_file", both[:1]},
		"tool off":                 {func(w *world) { w.settings.Tools.SetFileAlternativeText = false }, "sys_file", both[1:]},
		"no title right":           {func(w *world) { w.editor.TitleField = false }, "sys_file", both[:1]},
		"no title right, off":      {func(w *world) { w.editor.TitleField = false; w.settings.Vision.Title.Enabled = false }, "sys_file", both},
		"no metadata table":        {func(w *world) { w.editor.MetadataTable = false }, "sys_file", nil},
		"not in live":              {func(w *world) { w.editor.Workspace = 1 }, "sys_file", nil},
		"frozen":                   {func(w *world) { w.editor.Frozen = true }, "sys_file", nil},
		"default language refused": {func(w *world) { w.editor.AllowedLanguages = append(w.editor.AllowedLanguages, 1) }, "sys_file", nil},
		"nobody":                   {func(w *world) { w.editor = nil }, "sys_file", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			tc.change(w)
			if diff := cmp.Diff(tc.want, keys(w.cat.Offers(t.Context(), w.editor, tc.table))); diff != "" {
				t.Error(diff)
			}
			if w.gate.asked.Load() != 0 {
				t.Errorf("the catalogue asked about a record %d times", w.gate.asked.Load())
			}
		})
	}
}

func TestPrepare_MessagesAreOnePromptAndOnePicture(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p, err := w.cat.Prepare(t.Context(), w.editor, actions.SuggestAlternativeText, file(7), "  Focus on the boat. ")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Messages) != 2 {
		t.Fatalf("%d messages", len(p.Messages))
	}
	text, list := p.Messages[0], p.Messages[1]
	if text.Role != providers.User || text.Text == "" || text.Parts != nil {
		t.Errorf("first message: %+v", text)
	}
	if list.Role != providers.User || list.Text != "" || len(list.Parts) != 1 || list.Parts[0].Type != providers.ImagePart || list.Parts[0].Image == nil {
		t.Errorf("second message: %+v", list)
	}
	if len(p.Tools) != 1 || p.Tools[0].Name != actions.SetFileAlternativeText {
		t.Errorf("tools: %v", p.Tools)
	}
	if p.SourceSHA256 != "aa" || p.Configuration != "demo" || p.Language != "en" || p.Note != "Focus on the boat." || !slices.Equal(p.Warnings, []string{"tiny_source"}) {
		t.Errorf("%+v", p)
	}
	mustNotContain(t, text.Text, "lake_morning", "editor\n", "/a/")

	w.models.model.System = " Be brief. "
	p, err = w.cat.Prepare(t.Context(), w.editor, actions.SuggestAlternativeText, file(7), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Messages) != 3 || p.Messages[0].Role != providers.System || p.Messages[0].Text != "Be brief." {
		t.Errorf("%+v", p.Messages)
	}
}

func TestP3_EveryReasonIsTheSameAnswerAtTheSameCost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		uid    uint64
		reason string
	}{
		"missing":      {4711, ""},
		"zero":         {0, ""},
		"out of range": {1 << 63, ""},
		"wraps to 7":   {1<<32 + 7, ""},
		"foreign":      {8, ""},
		"unscalable":   {9, "image_truncated"},
		"no title":     {11, "field_not_permitted_title"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			p, err := w.cat.Prepare(t.Context(), w.editor, actions.SuggestTitleAndDescription, file(tc.uid), "x")
			if p != nil || !errors.Is(err, actions.ErrNotAvailable) {
				t.Fatalf("%v, %v", p, err)
			}
			if w.gate.asked.Load() != 1 {
				t.Errorf("the gate was asked %d times", w.gate.asked.Load())
			}
			mustContain(t, w.log.String(), "refused action", "file_uid=", "reason="+tc.reason)
			mustNotContain(t, w.log.String(), ".jpg")
			if n := strings.Count(w.log.String(), "\n"); n != 1 {
				t.Errorf("%d log lines", n)
			}
		})
	}
}

func TestPrepare_AsksEverythingAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*world)
		action string
		table  string
		reason string
	}{
		"S14_NoVision":   {func(w *world) { w.models.ok = false }, actions.SuggestAlternativeText, "sys_file", "no_vision_model"},
		"tool off":       {func(w *world) { w.settings.Tools.SetFileAlternativeText = false }, actions.SuggestAlternativeText, "sys_file", "tool_off"},
		"field off":      {func(w *world) { w.settings.Vision.Alternative.Enabled = false }, actions.SuggestAlternativeText, "sys_file", "no_field_enabled"},
		"unknown action": {func(*world) {}, "delete everything<br>", "sys_file", "no_such_action"},
		"other table":    {func(*world) {}, actions.SuggestAlternativeText, "pages", "not_on_this_table"},
		"nobody":         {func(w *world) { w.editor = nil }, actions.SuggestAlternativeText, "sys_file", "no_user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			tc.change(w)
			_, err := w.cat.Prepare(t.Context(), w.editor, tc.action, actions.Subject{Table: tc.table, UID: 7}, "")
			if !errors.Is(err, actions.ErrNotAvailable) || actions.Reason(err) != tc.reason {
				t.Errorf("%v, reason %q", err, actions.Reason(err))
			}
			if w.gate.asked.Load() != 0 {
				t.Error("the gate was asked")
			}
			mustNotContain(t, w.log.String(), "<br>")
		})
	}
}

func TestPrepare_AFailureIsNoRefusal(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.gate.err = errors.New("connection refused")
	if _, err := w.cat.Prepare(t.Context(), w.editor, actions.SuggestAlternativeText, file(7), ""); err == nil || errors.Is(err, falgate.ErrNotAvailable) {
		t.Errorf("got %v", err)
	}
}

func TestExplain_GivesEveryCheckInOrder(t *testing.T) {
	t.Parallel()
	w := setup(t)
	outcome := func(uid uint64) (got []string) {
		for _, c := range w.cat.Explain(t.Context(), w.editor, actions.SuggestTitleAndDescription, file(uid)) {
			switch {
			case c.Skipped:
				got = append(got, c.Name+" skipped")
			case c.OK:
				got = append(got, c.Name+" ok")
			default:
				got = append(got, c.Name+" "+c.Detail)
			}
		}
		return got
	}
	if diff := cmp.Diff([]string{"user ok", "action ok", "tool ok", "fields ok", "model ok", "file ok", "field_rights ok", "open ok", "picture ok", "prompt ok"}, outcome(7)); diff != "" {
		t.Error(diff)
	}
	w.settings.Tools.UpdateFALAssetMeta = false
	w.models.ok = false
	got := outcome(8)
	got[7] = "open" // the gate's own word, tested there
	if diff := cmp.Diff([]string{
		"user ok", "action ok", "tool tool_off", "fields ok", "model no_vision_model", "file no_read",
		"field_rights title=no description=no", "open", "picture skipped", "prompt ok",
	}, got); diff != "" {
		t.Error(diff)
	}
}
