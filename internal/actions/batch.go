package actions

import (
	"context"
	"strconv"
	"strings"

	"editor-actions/internal/falgate"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"
)

// Bounds of a batch.
const (
	MaxBatch      = 20  // runs that one batch starts
	maxBatchWords = 100 // of the input that are read at all
)

// Skip says why an entry of a plan is not started; "" = it is.
type Skip string

// The reasons. A file that cannot be used has one, whatever is behind it (P3).
const (
	SkipJunk         Skip = "junk"          // not the number of a record
	SkipDuplicate    Skip = "duplicate"     // named before
	SkipNotAvailable Skip = "not_available" // the action is not available for it
	SkipOpen         Skip = "open"          // a run of this action is under way for it
	SkipOverCap      Skip = "over_cap"      // more than MaxBatch
)

// PlanEntry is one record of a batch, or one word that names none.
type PlanEntry struct {
	UID  uint64        // 0 when the word is no number
	Word string        // what was given, short and harmless
	File *falgate.File // nil unless the action is available for it
	Skip Skip
}

// Plan is what a batch would start. Nothing of it is stored, and no picture is read:
// that happens when the runs are started, which asks everything again.
type Plan struct {
	Action   Action
	Entries  []PlanEntry
	Cut      bool                // there were more than a hundred words
	Estimate *providers.Estimate // of all runs together, at most; nil when nothing can be said
}

// Runs are the entries that would be started.
func (p *Plan) Runs() []PlanEntry {
	var out []PlanEntry
	for _, e := range p.Entries {
		if e.Skip == "" {
			out = append(out, e)
		}
	}
	return out
}

// Busy answers which of some files have a run of an action under way.
type Busy func(ctx context.Context, action string, uids []typo3.FileUID) (map[typo3.FileUID]bool, error)

// Plan reads numbers of files, separated by blanks and commas, and says of each whether
// a batch would start a run for it. ErrNotAvailable when the action is not offered to
// this user at all.
func (c *Catalogue) Plan(ctx context.Context, user *typo3.BackendUser, actionKey, numbers string, busy Busy) (*Plan, error) {
	offer, ok := c.offered(ctx, user, actionKey)
	if !ok {
		return nil, unavailable(reasonNoAction, nil)
	}
	p := &Plan{Action: offer.Action}
	p.Entries, p.Cut = batchWords(numbers)
	var uids []typo3.FileUID
	for _, e := range p.Entries {
		if e.Skip == "" {
			uids = append(uids, Subject{Table: TableFile, UID: e.UID}.File())
		}
	}
	open, err := busy(ctx, actionKey, uids)
	if err != nil {
		return nil, err
	}
	known, err := c.gate.AccessMany(ctx, user, uids)
	if err != nil {
		return nil, err
	}
	runs := 0
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Skip != "" {
			continue
		}
		file := Subject{Table: TableFile, UID: e.UID}.File()
		switch {
		case !startable(known[file], offer.Fields):
			e.Skip = SkipNotAvailable
			continue
		case open[file]:
			e.Skip = SkipOpen
		case runs == MaxBatch:
			e.Skip = SkipOverCap
		default:
			runs++
		}
		e.File = known[file].File
	}
	if offer.Estimate != nil && runs > 0 {
		all := offer.Estimate.Times(runs)
		p.Estimate = &all
	}
	return p, nil
}

func (c *Catalogue) offered(ctx context.Context, user *typo3.BackendUser, key string) (Offer, bool) {
	for _, o := range c.Offers(ctx, user, TableFile) {
		if o.Action.Key == key {
			return o, true
		}
	}
	return Offer{}, false
}

// startable asks what Prepare would, short of reading the picture.
func startable(file falgate.Accessed, fields []Field) bool {
	if file.File == nil || file.Access.Usable != falgate.Yes {
		return false
	}
	for _, f := range fields {
		if writeAnswer(file.Access, f) != falgate.Yes {
			return false
		}
	}
	return true
}

// batchWords takes the input apart. It never cuts inside a number.
func batchWords(input string) (entries []PlanEntry, cut bool) {
	words := strings.FieldsFunc(input, func(r rune) bool { return r == ',' || r == ';' || r <= ' ' || r == 0x85 || r == 0xA0 })
	if cut = len(words) > maxBatchWords; cut {
		words = words[:maxBatchWords]
	}
	seen := map[uint64]bool{}
	for _, w := range words {
		e := PlanEntry{Word: echo(w)}
		n, err := strconv.ParseUint(w, 10, 32)
		switch {
		case err != nil || n == 0 || w[0] == '0' || w[0] == '+':
			e.Skip = SkipJunk
		case seen[n]:
			e.UID, e.Skip = n, SkipDuplicate
		default:
			e.UID, seen[n] = n, true
		}
		entries = append(entries, e)
	}
	return entries, cut
}
