package suspend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"editor-actions/internal/config"

	"gorm.io/gorm"
)

// EventKind says what an event records.
type EventKind string

// The kinds. Decisions are not events: they have their own audit table.
const (
	EventRequest   EventKind = "request"
	EventLLM       EventKind = "llm"
	EventTool      EventKind = "tool"
	EventGuardrail EventKind = "guardrail"
)

// Event is one line of a run's stream.
type Event struct {
	Sequence   int
	Kind       EventKind
	Turn       int
	DurationMS int64
	At         time.Time
	Payload    Payload         // when storing
	Raw        json.RawMessage // when reading: the payload as it was filtered
}

// Payload is the content of an event. Filtered answers what a privacy level
// keeps of it; text is applied to every piece of content.
type Payload interface {
	filtered(text func(string) *string) Payload
}

// RequestPayload is what was sent.
type RequestPayload struct {
	Messages []EventMessage `json:"messages"`
	Tools    []string       `json:"tools"`
}

// EventMessage is one message of a request. Lengths stand in for content that
// the privacy level leaves out.
type EventMessage struct {
	Role   string      `json:"role"`
	Text   string      `json:"text,omitempty"`
	Length int         `json:"length"` // bytes of text and parts
	Parts  []EventPart `json:"parts,omitempty"`
	// Artifact refers to pictures that a tool kept; what it says of them is content.
	Artifact string `json:"artifact,omitempty"`
}

// EventPart is one part of a list content; a picture's content is its data URI.
type EventPart struct {
	Type    string `json:"type"`
	Content string `json:"content,omitempty"`
	Length  int    `json:"length"`
}

// LLMPayload is what was answered.
type LLMPayload struct {
	Content      string      `json:"content,omitempty"`
	Length       int         `json:"length"`
	FinishReason string      `json:"finish_reason,omitempty"`
	Model        string      `json:"model,omitempty"`
	InputTokens  int64       `json:"input_tokens"`
	OutputTokens int64       `json:"output_tokens"`
	Calls        []EventCall `json:"calls,omitempty"`
	ErrorKind    string      `json:"error_kind,omitempty"`
}

// EventCall is a tool call in an answer.
type EventCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments,omitempty"`
}

// ToolPayload is a tool's result, or its refusal.
type ToolPayload struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
	Length    int    `json:"length"`
	IsError   bool   `json:"is_error"`
}

// GuardrailPayload names what stopped a send; never what it found.
type GuardrailPayload struct {
	Rule    string `json:"rule"`
	Verdict string `json:"verdict"`
}

func keep(s string, text func(string) *string) string {
	if s == "" {
		return ""
	}
	if t := text(s); t != nil {
		return *t
	}
	return ""
}

func (p RequestPayload) filtered(text func(string) *string) Payload {
	out := RequestPayload{Tools: p.Tools, Messages: make([]EventMessage, len(p.Messages))}
	for i, m := range p.Messages {
		e := EventMessage{Role: m.Role, Text: keep(m.Text, text), Length: len(m.Text), Artifact: keep(m.Artifact, text)}
		for _, part := range m.Parts {
			e.Length += len(part.Content)
			e.Parts = append(e.Parts, EventPart{Type: part.Type, Content: keep(part.Content, text), Length: len(part.Content)})
		}
		out.Messages[i] = e
	}
	return out
}

func (p LLMPayload) filtered(text func(string) *string) Payload {
	p.Length = len(p.Content)
	p.Content = keep(p.Content, text)
	calls := make([]EventCall, len(p.Calls))
	for i, c := range p.Calls {
		calls[i] = EventCall{ID: c.ID, Name: c.Name, Arguments: keep(c.Arguments, text)}
	}
	p.Calls = calls
	return p
}

func (p ToolPayload) filtered(text func(string) *string) Payload {
	p.Length = len(p.Result)
	p.Arguments, p.Result = keep(p.Arguments, text), keep(p.Result, text)
	return p
}

func (p GuardrailPayload) filtered(func(string) *string) Payload { return p }

type eventRow struct {
	RunID      string    `gorm:"column:run_id;primaryKey"`
	Sequence   int       `gorm:"column:sequence;primaryKey"`
	Kind       string    `gorm:"column:kind"`
	Turn       int       `gorm:"column:turn"`
	DurationMS int64     `gorm:"column:duration_ms"`
	CreatedAt  time.Time `gorm:"column:created_at"`
	Payload    string    `gorm:"column:payload"`
}

// TableName implements gorm's tabler.
func (eventRow) TableName() string { return "tx_editoractions_event" }

// appendAttempts bounds retries when two writers meet at one sequence number.
const appendAttempts = 50

// content answers what a privacy level keeps of a piece of content. Anything
// but the two words that relax keeps nothing (P8).
func (s *Store) content() func(string) *string {
	level := ""
	if s.Privacy != nil {
		level = s.Privacy()
	}
	switch {
	case level == config.PrivacyFull:
		return func(t string) *string { return &t }
	case level == config.PrivacyRedacted && s.Redact != nil:
		return func(t string) *string { r := s.Redact(t); return &r }
	}
	return func(string) *string { return nil }
}

// Append stores an event with the next sequence number of its run. What the
// privacy level leaves out never reaches the database. tx may be nil.
//
// The number is read without a lock and tried: one statement that did both
// (INSERT ... SELECT MAX) would lock the gap behind the newest run on MariaDB, and
// runs that start at the same time would end each other. The primary key decides.
func (s *Store) Append(ctx context.Context, tx *gorm.DB, id RunID, e Event) error {
	raw, err := json.Marshal(e.Payload.filtered(s.content()))
	if err != nil {
		return fmt.Errorf("suspend: encode event: %w", err)
	}
	row := eventRow{RunID: string(id), Kind: string(e.Kind), Turn: e.Turn, DurationMS: e.DurationMS, CreatedAt: s.now(), Payload: string(raw)}
	db := s.conn(ctx, tx)
	err = db.Model(&eventRow{}).Select("COALESCE(MAX(sequence) + 1, 0)").Where("run_id = ?", row.RunID).Scan(&row.Sequence).Error
	if err != nil {
		return fmt.Errorf("suspend: number event: %w", err)
	}
	for range appendAttempts {
		if err = db.Create(&row).Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
			break
		}
		row.Sequence++
	}
	if err != nil {
		return fmt.Errorf("suspend: store event: %w", err)
	}
	return nil
}

// Events reads a run's stream after a sequence number, -1 for all of it.
func (s *Store) Events(ctx context.Context, id RunID, after, limit int) ([]Event, error) {
	var rows []eventRow
	err := s.conn(ctx, nil).Where("run_id = ? AND sequence > ?", string(id), after).Order("sequence").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("suspend: read events: %w", err)
	}
	out := make([]Event, len(rows))
	for i, r := range rows {
		out[i] = Event{Sequence: r.Sequence, Kind: EventKind(r.Kind), Turn: r.Turn, DurationMS: r.DurationMS, At: r.CreatedAt.UTC(), Raw: json.RawMessage(r.Payload)}
	}
	return out, nil
}
