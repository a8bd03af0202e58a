package actions_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"editor-actions/internal/actions"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

func TestPreview_ShowsOldAndNewAndIsDeterministic(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.editor.Language = "de"
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	got := tool.Preview(t.Context(), nil, w.editor, asset(7, `,"description":" Neu. ","title":"See"`))
	want := actions.Preview{File: 7, FileName: "lake_morning.jpg", MetadataUID: 23, Fields: []actions.PreviewField{
		{Field: actions.Title, Old: "Lake", New: "See", Language: "de"},
		{Field: actions.Description, Old: "Taken early.", New: "Neu.", Language: "de"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	first, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back actions.Preview
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Error(diff)
	}
	second, _ := json.Marshal(tool.Preview(t.Context(), nil, w.editor, asset(7, `,"description":" Neu. ","title":"See"`)))
	if string(first) != string(second) {
		t.Errorf("two previews differ:\n%s\n%s", first, second)
	}
}

func TestS19_AnOverLongTextIsARefusalLineAndIsNotWritten(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.settings.Vision.Alternative = withLimit(100)
	tool := w.tool(t, actions.SetFileAlternativeText)
	call := alt(7, strings.Repeat("x", 101))
	p := tool.Preview(t.Context(), nil, w.editor, call)
	if p.Refusal != "value_too_long" || !strings.Contains(p.RefusalText, "101") || !strings.Contains(p.RefusalText, "100") {
		t.Errorf("refusal %q: %s", p.Refusal, p.RefusalText)
	}
	if diff := cmp.Diff([]any{"alternative", "101", "100"}, p.RefusalArgs); diff != "" {
		t.Error(diff)
	}
	if len(p.Fields) != 1 || p.Fields[0].New != strings.Repeat("x", 101) || p.Fields[0].Old != "A calm lake" {
		t.Errorf("the texts must stay visible so that they can be repaired: %+v", p.Fields)
	}
	_, err := tool.Execute(t.Context(), nil, w.editor, call, p.Expect("aa"))
	if codeOf(err) != "value_too_long" || len(w.cms.writes) != 0 {
		t.Errorf("code %q, %d writes", codeOf(err), len(w.cms.writes))
	}
	if _, err := tool.Validate(alt(7, strings.Repeat("x", 100)).Arguments, file(7)); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
}

func TestS18_TheToolWorksForAFieldThatIsOff(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.settings.Vision.Alternative.Enabled = false
	w.settings.Vision.Title.Enabled = false
	w.settings.Vision.Description.Enabled = false
	if offers := w.cat.Offers(t.Context(), w.editor, "sys_file"); len(offers) != 0 {
		t.Fatalf("offered: %v", offers)
	}
	tool, on := w.cat.Tool(actions.SetFileAlternativeText)
	if !on {
		t.Fatal("the tool is off")
	}
	call := alt(7, "A lake.")
	p := tool.Preview(t.Context(), nil, w.editor, call)
	out, err := tool.Execute(t.Context(), nil, w.editor, call, p.Expect(""))
	if err != nil {
		t.Fatal(err)
	}
	want := actions.Outcome{
		File: 7, FileName: "lake_morning.jpg", MetadataUID: 23, HistoryUID: 51,
		Old: map[actions.Field]string{actions.Alternative: "A calm lake"}, New: map[actions.Field]string{actions.Alternative: "A lake."},
	}
	if diff := cmp.Diff(want, out, cmpopts.IgnoreFields(actions.Outcome{}, "Record")); diff != "" {
		t.Error(diff)
	}
}

func TestS33_AToolThatIsOffWritesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.SetFileAlternativeText)
	p := tool.Preview(t.Context(), nil, w.editor, alt(7, "x"))
	w.settings.Tools.SetFileAlternativeText = false
	if _, err := tool.Execute(t.Context(), nil, w.editor, alt(7, "x"), p.Expect("aa")); !errors.Is(err, actions.ErrToolOff) || len(w.cms.writes) != 0 {
		t.Errorf("%v, %d writes", err, len(w.cms.writes))
	}
}

func TestP9_AChangedWorldIsStale(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*world)
		want   error
	}{
		"S31_OldText":         {func(w *world) { r := w.cms.rows[7]; r.Title = "Other"; w.cms.rows[7] = r }, actions.ErrMetadataChanged},
		"OtherRow":            {func(w *world) { r := w.cms.rows[7]; r.UID = 99; w.cms.rows[7] = r }, actions.ErrMetadataChanged},
		"ReplacedFile":        {func(w *world) { w.gate.files[7].hash = "new" }, actions.ErrFileChanged},
		"S32_UnrelatedField":  {func(w *world) { r := w.cms.rows[7]; r.Alternative = "Other"; w.cms.rows[7] = r }, nil},
		"P11_RightsWithdrawn": {func(w *world) { w.gate.files[7].access.Usable = "no_read" }, actions.ErrNotAvailable},
		"RowGone":             {func(w *world) { delete(w.cms.rows, 7) }, actions.ErrNotAvailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			tool := w.tool(t, actions.UpdateFALAssetMeta)
			call := asset(7, `,"title":"New"`)
			p := tool.Preview(t.Context(), nil, w.editor, call)
			tc.change(w)
			_, err := tool.Execute(t.Context(), nil, w.editor, call, p.Expect("aa"))
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v, want %v", err, tc.want)
			}
			if err != nil && len(w.cms.writes) != 0 {
				t.Error("something was written")
			}
			if errors.Is(tc.want, actions.ErrMetadataChanged) && fault.KindOf(err) != fault.Stale {
				t.Errorf("kind %s", fault.KindOf(err))
			}
		})
	}
}

func TestExecute_AFieldThatWasNotShownIsStale(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	p := tool.Preview(t.Context(), nil, w.editor, asset(7, `,"title":"New"`))
	_, err := tool.Execute(t.Context(), nil, w.editor, asset(7, `,"title":"New","description":"x"`), p.Expect("aa"))
	if !errors.Is(err, actions.ErrMetadataChanged) || len(w.cms.writes) != 0 {
		t.Errorf("%v, %d writes", err, len(w.cms.writes))
	}
}

func TestExecute_SuccessIsReadBack(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.cms.drop = "title"
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	call := asset(7, `,"title":"New","description":"x"`)
	p := tool.Preview(t.Context(), nil, w.editor, call)
	if _, err := tool.Execute(t.Context(), nil, w.editor, call, p.Expect("aa")); !errors.Is(err, actions.ErrNotStored) {
		t.Errorf("got %v", err)
	}
}

func TestExecute_HandsTheDecisionToTheOneWriter(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	call := asset(7, `,"title":"New","description":""`)
	expect := tool.Preview(t.Context(), nil, w.editor, call).Expect("aa")
	expect.RemoteIP = "192.0.2.7"
	if _, err := tool.Execute(t.Context(), nil, w.editor, call, expect); err != nil {
		t.Fatal(err)
	}
	want := []typo3.MetadataWrite{{
		Actor: w.editor, File: 7, MetadataUID: 23, RemoteIP: "192.0.2.7",
		Fields: map[string]string{"title": "New", "description": ""}, Current: w.cms.writes[0].Current, Old: map[string]string{"title": "Lake", "description": "Taken early."},
	}}
	if got := w.cms.writes[0].Current; got == nil || got.UID != 23 {
		t.Fatalf("the row as read: %+v", got)
	}
	if diff := cmp.Diff(want, w.cms.writes, cmp.Comparer(func(a, b *typo3.BackendUser) bool { return a == b }), cmp.Comparer(func(a, b *typo3.Metadata) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

func TestS58_WithoutAFieldGrantTheWholeCallIsRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.UpdateFALAssetMeta)
	call := asset(11, `,"title":"New","description":"New"`)
	p := tool.Preview(t.Context(), nil, w.editor, call)
	if p.Refusal != "field_not_permitted" || len(p.Fields) != 0 {
		t.Errorf("%+v", p)
	}
	_, err := tool.Execute(t.Context(), nil, w.editor, call, actions.Expectation{MetadataUID: 26, Old: map[actions.Field]string{actions.Title: "Old", actions.Description: ""}})
	if codeOf(err) != "field_not_permitted" || len(w.cms.writes) != 0 {
		t.Errorf("%v, %d writes", err, len(w.cms.writes))
	}
	call = asset(11, `,"description":"New"`)
	p = tool.Preview(t.Context(), nil, w.editor, call)
	if _, err := tool.Execute(t.Context(), nil, w.editor, call, p.Expect("ee")); err != nil {
		t.Errorf("the permitted field alone: %v", err)
	}
}

func TestS60_MissingForeignAndMetadataLessFilesAreRefusedAlike(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tool := w.tool(t, actions.SetFileAlternativeText)
	var previews, sentences []string
	for _, uid := range []uint64{4711, 8, 10, 1 << 40} {
		raw, err := json.Marshal(tool.Preview(t.Context(), nil, w.editor, alt(uid, "x")))
		if err != nil {
			t.Fatal(err)
		}
		previews = append(previews, string(raw))
		_, err = tool.Execute(t.Context(), nil, w.editor, alt(uid, "x"), actions.Expectation{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != falgate.ErrNotAvailable.Code {
			t.Fatalf("uid %d: %v", uid, err)
		}
		sentences = append(sentences, f.Sentence())
	}
	for i := range previews {
		if previews[i] != previews[0] || sentences[i] != sentences[0] {
			t.Errorf("%s / %s\ndiffers from\n%s / %s", previews[i], sentences[i], previews[0], sentences[0])
		}
	}
}

func TestPreview_AFailureOfTheDatabaseIsAFixedSentence(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.gate.err = errors.New("dial tcp 10.0.0.1: secret detail")
	p := w.tool(t, actions.SetFileAlternativeText).Preview(t.Context(), nil, w.editor, alt(7, "x"))
	if p.Refusal != "preview_failed" {
		t.Errorf("%+v", p)
	}
	mustNotContain(t, p.RefusalText, "secret")
}

func TestTools_NoFieldHasTwoWriters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	writer := map[actions.Field]string{}
	for _, tool := range w.cat.Tools() {
		var schema struct {
			Properties           map[string]json.RawMessage
			Required             []string
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(tool.Definition().Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		if schema.AdditionalProperties == nil || *schema.AdditionalProperties || len(schema.Properties) != len(tool.Fields())+1 {
			t.Errorf("%s: schema %s", tool.Name(), tool.Definition().Parameters)
		}
		if tool.Effect() != actions.IdempotentWrite {
			t.Errorf("%s: effect %s", tool.Name(), tool.Effect())
		}
		of := slices.IndexFunc(actions.Actions(), func(a actions.Action) bool { return a.Tool == tool.Name() })
		if of < 0 || !cmp.Equal(actions.Actions()[of].VisionFields, tool.Fields()) {
			t.Errorf("%s: fields %v are those of no action", tool.Name(), tool.Fields())
		}
		for _, f := range tool.Fields() {
			if other, twice := writer[f]; twice {
				t.Errorf("%s is written by %s and %s", f, other, tool.Name())
			}
			writer[f] = tool.Name()
		}
	}
}
