package providers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"editor-actions/internal/media"
)

// transcriptVersion is the form of storedTranscript. A transcript of another
// version is not read: a guess could send or show something nobody meant.
const transcriptVersion = 1

type storedTranscript struct {
	Version  int             `json:"v"`
	Messages []storedMessage `json:"messages"`
}

// storedMessage keeps what must survive to the byte (arguments, raw parts) as
// bytes, because JSON inside JSON would be compacted.
type storedMessage struct {
	Role       Role         `json:"role"`
	Text       string       `json:"text,omitempty"`
	Parts      []storedPart `json:"parts,omitempty"`
	ToolCalls  []storedCall `json:"calls,omitempty"`
	ToolCallID string       `json:"call_id,omitempty"`
	ToolName   string       `json:"tool,omitempty"`
	ToolError  bool         `json:"error,omitempty"`
	Artifact   []byte       `json:"artifact,omitempty"`
	Raw        []byte       `json:"raw,omitempty"`
	RawVendor  string       `json:"raw_vendor,omitempty"`
}

type storedPart struct {
	Type  PartType     `json:"type"`
	Text  string       `json:"text,omitempty"`
	Image *storedImage `json:"image,omitempty"`
}

type storedImage struct {
	Type   media.Type `json:"type"`
	Width  int        `json:"width"`
	Height int        `json:"height"`
	Data   []byte     `json:"data"`
}

type storedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments []byte `json:"arguments"`
	Malformed bool   `json:"malformed,omitempty"`
}

// ErrNotDurable means messages that are sent and never stored.
var ErrNotDurable = errors.New("providers: the pictures of tools are sent and never stored")

// EncodeTranscript writes messages with everything that is in them, the bytes of the
// subject's picture included. The result is for sealing only. Messages that
// DecodeTranscript would refuse are an error here; a picture that came from a tool is
// ErrNotDurable, as a part, as a text, or as a message of an Outbound.
func EncodeTranscript(messages []Message) ([]byte, error) {
	stored := storedTranscript{Version: transcriptVersion, Messages: make([]storedMessage, len(messages))}
	for i, m := range messages {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("providers: encode message %d: %w", i, err)
		}
		if !m.durable() {
			return nil, fmt.Errorf("providers: encode message %d: %w", i, ErrNotDurable)
		}
		s := storedMessage{
			Role: m.Role, Text: m.Text, ToolCallID: m.ToolCallID, ToolName: m.ToolName, ToolError: m.ToolError,
			Artifact: m.Artifact, Raw: m.Raw, RawVendor: m.RawVendor,
		}
		for _, p := range m.Parts {
			part := storedPart{Type: p.Type, Text: p.Text}
			if p.Image != nil {
				part.Image = &storedImage{p.Image.Type(), p.Image.Width(), p.Image.Height(), p.Image.Bytes()}
			}
			s.Parts = append(s.Parts, part)
		}
		for _, c := range m.ToolCalls {
			s.ToolCalls = append(s.ToolCalls, storedCall{c.ID, c.Name, c.Arguments, c.Malformed})
		}
		stored.Messages[i] = s
	}
	b, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("providers: encode transcript: %w", err)
	}
	return b, nil
}

// DecodeTranscript reads what EncodeTranscript wrote, and nothing else: unknown
// keys, another version, data after the end and pictures that do not measure as
// they say are errors.
func DecodeTranscript(data []byte) ([]Message, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var stored storedTranscript
	if err := d.Decode(&stored); err != nil {
		return nil, fmt.Errorf("providers: decode transcript: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("providers: decode transcript: data follows its end")
	}
	if stored.Version != transcriptVersion {
		return nil, fmt.Errorf("providers: decode transcript: version %d, this program knows %d", stored.Version, transcriptVersion)
	}
	messages := make([]Message, len(stored.Messages))
	for i, s := range stored.Messages {
		m, err := s.message()
		if err == nil {
			err = m.check()
		}
		if err != nil {
			return nil, fmt.Errorf("providers: decode message %d: %w", i, err)
		}
		messages[i] = m
	}
	return messages, nil
}

func (s storedMessage) message() (Message, error) {
	m := Message{
		Role: s.Role, Text: s.Text, ToolCallID: s.ToolCallID, ToolName: s.ToolName, ToolError: s.ToolError,
		Artifact: s.Artifact, Raw: s.Raw, RawVendor: s.RawVendor,
	}
	for _, p := range s.Parts {
		part := Part{Type: p.Type, Text: p.Text}
		if p.Image != nil {
			img, err := media.NewImage(p.Image.Data, p.Image.Type, p.Image.Width, p.Image.Height)
			if err != nil {
				return Message{}, err
			}
			part.Image = img
		}
		m.Parts = append(m.Parts, part)
	}
	for _, c := range s.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall{c.ID, c.Name, c.Arguments, c.Malformed})
	}
	return m, nil
}

// check holds a message against the rules in its type's comments.
func (m Message) check() error {
	switch m.Role {
	case System, User, Assistant:
		if m.ToolCallID != "" || m.ToolName != "" || m.ToolError || m.Artifact != nil {
			return fmt.Errorf("a %s message answers no call", m.Role)
		}
	case ToolRole:
		if m.ToolCallID == "" {
			return errors.New("a tool message without the call it answers")
		}
	default:
		return fmt.Errorf("unknown role %q", string(m.Role))
	}
	if m.Text != "" && len(m.Parts) > 0 {
		return errors.New("both a text and parts")
	}
	if len(m.ToolCalls) > 0 && m.Role != Assistant {
		return fmt.Errorf("a %s message makes no calls", m.Role)
	}
	for _, p := range m.Parts {
		if err := p.check(); err != nil {
			return err
		}
	}
	for _, text := range m.texts() {
		if !utf8.ValidString(text) { // JSON would replace bytes silently
			return errors.New("a text that is not UTF-8")
		}
	}
	return nil
}

// durable reports whether m may be stored. Pictures that tools return are kept as
// artifacts of their run; a message only refers to them.
func (m Message) durable() bool {
	if m.outbound {
		return false
	}
	if m.Role != ToolRole {
		return true
	}
	return !HasInlineImage(m.Text) && !slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Type != TextPart || HasInlineImage(p.Text) })
}

func (p Part) check() error {
	switch {
	case p.Type == TextPart && p.Image == nil:
		return nil
	case p.Type == ImagePart && p.Image != nil && p.Text == "":
		return nil
	}
	return fmt.Errorf("a part of type %q with other content", string(p.Type))
}

// texts are all strings of a message that are stored as JSON strings.
func (m Message) texts() []string {
	all := []string{m.Text, m.ToolCallID, m.ToolName, m.RawVendor}
	for _, p := range m.Parts {
		all = append(all, p.Text)
	}
	for _, c := range m.ToolCalls {
		all = append(all, c.ID, c.Name)
	}
	return all
}
