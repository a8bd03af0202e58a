package suspend_test

import (
	"errors"
	"testing"
	"time"

	"editor-actions/internal/suspend"
)

func TestProvenance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		d    suspend.Decision
		want suspend.Provenance
	}{
		"as proposed":       {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "new", "new"}}}, suspend.FromModel},
		"edited":            {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "new", "newer"}}}, suspend.FromEdited},
		"kept":              {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "new", "old"}}}, suspend.Kept},
		"marked decorative": {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "new", ""}}}, suspend.FromEdited},
		"decorative model":  {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "", ""}}}, suspend.FromModel},
		"written instead":   {suspend.Decision{Model: "m", Fields: map[string]suspend.FieldChange{"alternative": {"old", "", "mine"}}}, suspend.FromPerson},
		"restored":          {suspend.Decision{Fields: map[string]suspend.FieldChange{"alternative": {"old", "older", "older"}}}, suspend.FromPerson},
		"another field":     {suspend.Decision{Model: "m"}, ""},
	} {
		if got := c.d.Provenance("alternative"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEachDecision_AllOnceAndInOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *site) {
		const decisions = 1203 // more than two pages, many in the same moment
		start := s.clock.now()
		for i := range decisions {
			run := s.waiting()
			d := s.on(run, 9)
			d.At, d.Category, d.Prompt = start.Add(time.Duration(i/400)*time.Minute), suspend.CategoryTone, "p1"
			if i%3 == 0 {
				d.Category = suspend.CategoryTooLong
			}
			s.must(s.Reject(t.Context(), nil, d))
		}
		seen := map[suspend.RunID]bool{}
		var last suspend.Decision
		s.must(s.EachDecision(t.Context(), start, start.Add(time.Hour), func(d suspend.Decision) error {
			if seen[d.Run] || d.At.Before(last.At) {
				t.Errorf("%s twice or out of order", d.Run)
			}
			seen[d.Run], last = true, d
			return nil
		}))
		if len(seen) != decisions {
			t.Errorf("%d decisions", len(seen))
		}
		n := 0
		s.must(s.EachDecision(t.Context(), start.Add(time.Minute), start.Add(2*time.Minute), func(suspend.Decision) error { n++; return nil }))
		if n != 400 {
			t.Errorf("%d in the second minute", n)
		}
		stop := errors.New("enough")
		if err := s.EachDecision(t.Context(), start, start.Add(time.Hour), func(suspend.Decision) error { return stop }); !errors.Is(err, stop) {
			t.Error(err)
		}
		counts, err := s.DecisionCounts(t.Context(), start, start.Add(time.Hour))
		if err != nil || len(counts) != 2 || counts[0].Count+counts[1].Count != decisions {
			t.Fatalf("%+v %v", counts, err)
		}
		if c := counts[1]; c.Category != suspend.CategoryTooLong || c.Count != 401 || c.Verb != suspend.VerbReject || c.Prompt != "p1" || c.Model == "" {
			t.Errorf("%+v", c)
		}
	})
}
