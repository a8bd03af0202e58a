package suspend

import (
	"context"
	"fmt"
	"time"
)

// recordPage is how many decisions one query of the record reads.
const recordPage = 500

// Provenance says where a written text came from.
type Provenance string

// The provenances.
const (
	FromModel  Provenance = "model"  // as the model proposed it
	FromEdited Provenance = "edited" // a person changed the model's proposal
	FromPerson Provenance = "person" // no model was asked, or nothing of its proposal is left
	Kept       Provenance = "kept"   // the text from before stayed
)

// Provenance of one field of the decision.
func (d Decision) Provenance(field string) Provenance {
	c, ok := d.Fields[field]
	switch {
	case !ok:
		return ""
	case c.New == c.Old && c.New != c.Proposed:
		return Kept
	case d.Model == "", c.Proposed == "" && c.New != "":
		return FromPerson
	case c.New == c.Proposed:
		return FromModel
	default:
		return FromEdited
	}
}

// EachDecision calls fn for the decisions from first on and before last, oldest first, and
// stops at its first error. It reads in pages, so that a record of any size fits.
func (s *Store) EachDecision(ctx context.Context, first, last time.Time, fn func(Decision) error) error {
	after := decisionRow{DecidedAt: first.UTC()}
	for {
		var rows []decisionRow
		err := s.conn(ctx, nil).
			Where("decided_at < ?", last.UTC()).
			Where("decided_at > ? OR decided_at = ? AND (run_id > ? OR run_id = ? AND turn > ?)",
				after.DecidedAt, after.DecidedAt, after.RunID, after.RunID, after.Turn).
			Order("decided_at, run_id, turn").Limit(recordPage).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("suspend: read decisions: %w", err)
		}
		for i := range rows {
			if err := fn(rows[i].decision()); err != nil {
				return err
			}
		}
		if len(rows) < recordPage {
			return nil
		}
		after = rows[len(rows)-1]
	}
}

// DecisionCount is how often people decided so about what one model made of one prompt.
type DecisionCount struct {
	Action   string
	Model    string
	Prompt   string
	Language string
	Verb     Verb
	Category Category
	Edited   bool
	Count    int
}

// DecisionCounts counts the decisions from first on and before last.
func (s *Store) DecisionCounts(ctx context.Context, first, last time.Time) ([]DecisionCount, error) {
	var out []DecisionCount
	err := s.conn(ctx, nil).Model(&decisionRow{}).
		Select("action, model, prompt, language, verb, category, edited, COUNT(*) AS count").
		Where("decided_at >= ? AND decided_at < ?", first.UTC(), last.UTC()).
		Group("action, model, prompt, language, verb, category, edited").
		Order("action, model, prompt, language, verb, category, edited").Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: count decisions: %w", err)
	}
	return out, nil
}
