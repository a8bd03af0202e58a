package suspend

import "context"

// Follow gives a state that a test made up the origin of a run's row, as if it had been
// opened there and changed.
func (s *Store) Follow(ctx context.Context, id RunID, made State) State {
	var row runRow
	if err := s.db.WithContext(ctx).Raw("SELECT * FROM "+runTable+" WHERE id = ?", string(id)).Scan(&row).Error; err != nil {
		panic(err)
	}
	of := row.origin()
	made.origin = &of
	return made
}

// Plain is a state as a test would make it up.
func (st State) Plain() State {
	st.origin = nil
	return st
}

// Unbound seals a state as releases did that sealed no origin.
func (s *Store) Unbound(id RunID, st State) (Sealed, error) { return s.seal(id, st, nil) }
