package providers

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"regexp"
	"slices"
)

// Outbound are messages that may be sent and never stored: a transcript into which the
// pictures of its last tool round were put. It is no []Message, refuses to be marshalled
// and prints one line, so that pictures reach no table, event or log by mistake. Its
// messages know where they come from: EncodeTranscript refuses them too. The zero value
// holds nothing.
type Outbound struct {
	messages []Message
	need     Requirements
}

// NewOutbound copies the list; what the messages hold is shared and never changed. need is
// what sending them demands, beside what a request demands anyway.
func NewOutbound(messages []Message, need Requirements) Outbound {
	out := slices.Clone(messages)
	for i := range out {
		out[i].outbound = true
	}
	return Outbound{out, Requirements{}.Merge(need)}
}

// All are the messages, in order.
func (o Outbound) All() iter.Seq[Message] { return slices.Values(o.messages) }

// Len is how many messages there are.
func (o Outbound) Len() int { return len(o.messages) }

// With is the request with these messages and what they demand: nobody can send them and
// forget it.
func (r Request) With(o Outbound) Request {
	r.Messages, r.need = slices.Clone(o.messages), o.need
	return r
}

// String counts what would be sent.
func (o Outbound) String() string {
	pictures := 0
	for m := range o.All() {
		for _, p := range m.Parts {
			if p.Type == ImagePart {
				pictures++
			}
		}
	}
	return fmt.Sprintf("%d outbound messages with %d pictures", len(o.messages), pictures)
}

// Format implements fmt.Formatter for every verb.
func (o Outbound) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(o.String())) }

// LogValue implements slog.LogValuer.
func (o Outbound) LogValue() slog.Value { return slog.StringValue(o.String()) }

// MarshalJSON always answers an error.
func (o Outbound) MarshalJSON() ([]byte, error) {
	return nil, errors.New("providers: outbound messages are sent and never stored")
}

// inlineImage is how a picture begins that somebody wrote into a text.
var inlineImage = regexp.MustCompile(`(?i)data:image/`)

// HasInlineImage reports whether a text holds a picture as a data URI.
func HasInlineImage(text string) bool { return inlineImage.MatchString(text) }

// WithoutInlineImages breaks the head of every data URI of a picture, so that the text is
// one. It is for texts of people and models that go into a tool's result.
func WithoutInlineImages(text string) string {
	return inlineImage.ReplaceAllStringFunc(text, func(head string) string { return head[:len("data:")] + " " + head[len("data:"):] })
}
