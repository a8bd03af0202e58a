package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
)

// Latencies: enough to see a run at work, and enough to grow impatient.
const (
	defaultLatency = 900 * time.Millisecond
	slowLatency    = 30 * time.Second
)

// Provider is the offline model. It keeps nothing between requests and is safe
// for concurrent use.
type Provider struct {
	name    string
	latency time.Duration
	timeout time.Duration // 0 = none
}

// Option changes a Provider.
type Option func(*Provider)

// WithLatency sets how long an answer takes.
func WithLatency(d time.Duration) Option { return func(p *Provider) { p.latency = d } }

// New makes the offline model of a configuration.
func New(name string, c config.ProviderConfiguration, options ...Option) *Provider {
	p := &Provider{name: name, latency: defaultLatency, timeout: time.Duration(c.TimeoutSeconds) * time.Second}
	for _, o := range options {
		o(p)
	}
	return p
}

// Instant is the offline model without its pause, for tests.
func Instant(name string) *Provider {
	return New(name, config.ProviderConfiguration{}, WithLatency(0))
}

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	t := read(req)
	if err := p.think(ctx, t); err != nil {
		return providers.Response{}, err
	}
	r := p.answer(t)
	if isAssistant(req) {
		r = p.assist(req)
	}
	r.Message.Role, r.Model = providers.Assistant, req.Model
	if r.Model == "" {
		r.Model = "demo"
	}
	r.Usage = estimate(req, r.Message)
	return r, p.failure(t, r)
}

// think takes its time.
func (p *Provider) think(ctx context.Context, t task) error {
	wait := p.latency
	if t.orders[slow] {
		wait = slowLatency
	}
	late := p.timeout > 0 && wait > p.timeout
	if late {
		wait = p.timeout
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return fmt.Errorf("demo: ask %s: %w", p.name, context.Cause(ctx))
	}
	if late {
		return &providers.Error{Provider: p.name, Kind: providers.Timeout, Detail: "no whole answer in time"}
	}
	return nil
}

// failure is what goes wrong on request.
func (p *Provider) failure(t task, r providers.Response) error {
	last := t.last()
	closing := last != nil && last.Status == statusDone
	switch {
	case closing && t.orders[failAtTheEnd], !closing && t.orders[fail]:
		return &providers.Error{Provider: p.name, Kind: providers.Unavailable, Status: 503, Detail: "the demonstration was asked to fail"}
	case r.Message.Text == "" && len(r.Message.ToolCalls) == 0:
		return &providers.Error{Provider: p.name, Kind: providers.EmptyAnswer, Status: 200, Detail: "the demonstration was asked to answer nothing"}
	}
	return nil
}

// What tools answer.
const (
	statusDone    = "done"
	statusRefused = "refused"
)

func (p *Provider) answer(t task) providers.Response {
	last := t.last()
	if last != nil && last.Status == statusDone {
		return say(pick(t.german, "Demonstration: Der freigegebene Text ist gespeichert.", "Demonstration: The approved text is stored."))
	}
	if t.picture == nil || t.picture.Image == nil {
		return say(pick(t.german, "Demonstration: Ich habe kein Bild erhalten.", "Demonstration: I was sent no picture."))
	}
	s, err := look(t.picture.Image)
	if err != nil {
		return say(pick(t.german, "Demonstration: Ich kann das Bild nicht lesen.", "Demonstration: I cannot read the picture."))
	}
	behave := t.orders[once] && last != nil && last.Status == statusRefused
	switch {
	case behave:
	case t.orders[emptyAnswer]:
		return providers.Response{FinishReason: providers.FinishStop}
	case t.orders[decline]:
		return say(pick(t.german, "Demonstration: Zu diesem Bild schlage ich nichts vor, weil ich darum gebeten wurde.",
			"Demonstration: I propose nothing for this picture, because I was asked to decline."))
	case t.orders[noTool]:
		return say(s.alternative(t.german, wording{}))
	}
	if t.tool == "" || len(t.fields) == 0 {
		return say(pick(t.german, "Demonstration: Mir wurde nicht gesagt, was zu tun ist.", "Demonstration: I was not told what to do."))
	}
	o := t.orders
	if behave {
		o = nil
	}
	return call(t, s, o)
}

// call calls the tool as asked, or as the orders want it.
func call(t task, s sight, o orders) providers.Response {
	uid, tool := t.uid, t.tool
	if o[wrongUID] {
		uid++
	}
	if o[unknownTool] {
		tool = "delete_file"
	}
	c := providers.ToolCall{Name: tool, Arguments: arguments(uid, texts(t, s, o), o[unknownArgument])}
	if o[brokenArguments] {
		c.Arguments, c.Malformed = json.RawMessage("{}"), true
	}
	r := providers.Response{FinishReason: providers.FinishToolCalls}
	calls := 1
	if o[twice] {
		calls = 2
	}
	for i := range calls {
		c.ID = fmt.Sprintf("demo_%d_%d", len(t.results)+1, i+1) // of its own in the whole transcript
		r.Message.ToolCalls = append(r.Message.ToolCalls, c)
	}
	return r
}

// arguments writes them in the order of the prompt.
func arguments(uid uint64, fields []field, unknown bool) json.RawMessage {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"uid":%d`, uid)
	for _, f := range fields {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		fmt.Fprintf(&b, `,%q:`, f.name)
		_ = e.Encode(f.text)    // a string always encodes
		b.Truncate(b.Len() - 1) // Encode ends with a line feed
	}
	if unknown {
		b.WriteString(`,"publish":true`)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func say(text string) providers.Response {
	return providers.Response{Message: providers.Message{Text: text}, FinishReason: providers.FinishStop}
}

// estimate counts tokens as they are commonly guessed: four characters each,
// and a picture by its area. Nobody bills them.
func estimate(req providers.Request, answer providers.Message) providers.Usage {
	var in int
	for _, m := range req.Messages {
		in += len(m.Text)/4 + 4
		for _, c := range m.ToolCalls {
			in += len(c.Arguments) / 4
		}
		for _, p := range m.Parts {
			in += len(p.Text) / 4
			if p.Image != nil {
				in += p.Image.Width()*p.Image.Height()/750 + 1
			}
		}
	}
	for _, tool := range req.Tools {
		in += (len(tool.Description) + len(tool.Parameters)) / 4
	}
	out := len(answer.Text)/4 + 1
	for _, c := range answer.ToolCalls {
		out += (len(c.Name) + len(c.Arguments)) / 4
	}
	return providers.Usage{InputTokens: int64(in), OutputTokens: int64(out)}
}

func pick(german bool, de, en string) string {
	if german {
		return de
	}
	return en
}

// has reports whether a reviewer's words hold one of these.
func has(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
