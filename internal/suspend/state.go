package suspend

import (
	"encoding/json"
	"fmt"

	"editor-actions/internal/providers"
)

// stateVersion is the form of storedState. A row of an unknown version does
// not open: guessing could decide something nobody saw.
const stateVersion = 1

type storedState struct {
	Version     int               `json:"v"`
	Transcript  json.RawMessage   `json:"transcript"`
	Pending     []storedCall      `json:"pending,omitempty"`
	Preview     json.RawMessage   `json:"preview,omitempty"`
	MovedFields []string          `json:"moved,omitempty"`
	Proposals   []json.RawMessage `json:"proposals,omitempty"`
	Note        string            `json:"note,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Loop        json.RawMessage   `json:"loop,omitempty"`
	Origin      *origin           `json:"origin,omitempty"`
}

// storedCall keeps arguments as bytes: JSON inside JSON would be compacted.
type storedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments []byte `json:"arguments"`
}

func (s *Store) seal(id RunID, state State, of *origin) (Sealed, error) {
	transcript, err := providers.EncodeTranscript(state.Messages)
	if err != nil {
		return Sealed{}, fmt.Errorf("suspend: encode transcript: %w", err)
	}
	stored := storedState{
		Version: stateVersion, Transcript: transcript, Preview: state.Preview, MovedFields: state.MovedFields,
		Proposals: state.Proposals, Note: state.Note, Warnings: state.Warnings, Loop: state.Loop, Origin: of,
	}
	for _, c := range state.Pending {
		stored.Pending = append(stored.Pending, storedCall{c.ID, c.Name, c.Arguments})
	}
	plain, err := json.Marshal(stored)
	if err != nil {
		return Sealed{}, fmt.Errorf("suspend: encode state: %w", err)
	}
	return s.sealer.Seal(plain, purposeState, id)
}

// reseal seals the state that follows an opened one, for the row that change makes.
func (s *Store) reseal(id RunID, next State, change func(*origin)) (Sealed, error) {
	of, err := next.at(change)
	if err != nil {
		return Sealed{}, err
	}
	return s.seal(id, next, of)
}

// into adds the sealed columns to the changes of a run.
func (s Sealed) into(changes map[string]any) map[string]any {
	changes["sealed_key"], changes["sealed_state"] = s.Key, s.Body
	return changes
}

// open answers ErrUnreadable for everything that is not a state sealed for this run and
// for what its row says.
func (s *Store) open(row *sealedRow) (*State, error) {
	plain, err := s.sealer.Open(Sealed{row.SealedKey, row.SealedState}, purposeState, RunID(row.Row.ID))
	if err != nil {
		return nil, err
	}
	var stored storedState
	if err := json.Unmarshal(plain, &stored); err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	if stored.Version != stateVersion {
		return nil, ErrUnreadable.Because(fmt.Errorf("state has version %d, this program knows %d", stored.Version, stateVersion))
	}
	messages, err := providers.DecodeTranscript(stored.Transcript)
	if err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	if err := row.Row.check(stored.Origin); err != nil {
		return nil, ErrUnreadable.Because(err)
	}
	if stored.Origin == nil {
		as := row.Row.origin()
		stored.Origin = &as
	}
	state := &State{
		Messages: messages, Preview: stored.Preview, MovedFields: stored.MovedFields,
		Proposals: stored.Proposals, Note: stored.Note, Warnings: stored.Warnings, Loop: stored.Loop, origin: stored.Origin,
	}
	for _, c := range stored.Pending {
		state.Pending = append(state.Pending, PendingCall{c.ID, c.Name, c.Arguments})
	}
	return state, nil
}
