package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Request is one recorded request.
type Request struct {
	At       time.Time // when its last byte was read
	Header   http.Header
	Body     []byte
	Messages []Message
	Tools    []string
	Model    string

	format  Format
	picture []byte // the first one
	typ     string // its declared media type
}

// Message is one message of a request; Content is its raw JSON.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  json.RawMessage `json:"tool_calls"`
}

// Text is the content when it is a string, else "".
func (m Message) Text() string {
	var s string
	_ = json.Unmarshal(m.Content, &s) // a list content stays ""
	return s
}

// Part is one element of a list content.
type Part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

// Parts is the content when it is a list, else nil.
func (m Message) Parts() []Part {
	var p []Part
	_ = json.Unmarshal(m.Content, &p) // a string content stays nil
	return p
}

// Image decodes the first picture of the request, nil when there is none.
func (r Request) Image(t testing.TB) []byte {
	t.Helper()
	data, _, err := r.Picture()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Picture is the first picture of the request with its declared media type. There
// may be none, which is no error.
func (r Request) Picture() (data []byte, mediaType string, err error) {
	return r.picture, r.typ, nil
}

// Answer writes the response to one request.
type Answer func(w http.ResponseWriter, r *http.Request, req Request)

// Server answers from its script, then with Default.
type Server struct {
	URL     string
	Default Answer

	format   Format
	mu       sync.Mutex
	script   []Answer
	requests []Request
	server   *httptest.Server
}

// New starts a server of the chat completions wire that ends with the test.
func New(t testing.TB) *Server { return NewFor(t, OpenAI) }

// NewFor starts a server of a wire that ends with the test.
func NewFor(t testing.TB, f Format) *Server {
	t.Helper()
	s := StartFor(f)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server of the chat completions wire for a program that is no test.
// The caller closes it.
func Start() *Server { return StartFor(OpenAI) }

// StartFor is Start for another wire.
func StartFor(f Format) *Server {
	s := &Server{Default: Cooperate("A text from the scripted model."), format: f}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL + f.BasePath
	return s
}

// Close ends the server and the connections that are open.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Script adds answers, each for one request.
func (s *Server) Script(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, answers...)
}

// Reset forgets answers that nobody asked for.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = nil
}

// Requests are copies of what was received so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || !s.format.Serves(r.URL.Path) {
		http.Error(w, `{"error":{"message":"unexpected request"}}`, http.StatusNotFound)
		return
	}
	req := Request{At: time.Now(), Header: r.Header.Clone(), Body: body, format: s.format}
	if err := s.format.Parse(&req, r.URL.Path); err != nil {
		http.Error(w, `{"error":{"message":"not a request of this wire"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	answer := s.Default
	if len(s.script) > 0 {
		answer, s.script = s.script[0], s.script[1:]
	}
	s.mu.Unlock()
	answer(w, r, req)
}

// Call is one tool call of an answer.
type Call struct{ ID, Name, Arguments string }

// Reply is one successful answer, in the words of no wire.
type Reply struct {
	Text    string
	Refusal string // the wire's own field for a model that will not, where it has one
	Calls   []Call
	Finish  string // stop, length, tool_calls, content_filter
}

// say answers 200 with a reply in the wire of the request.
func say(reply Reply) Answer {
	return func(w http.ResponseWriter, _ *http.Request, req Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(req.format.Reply(reply))
	}
}

// Calls answers with tool calls.
func Calls(calls ...Call) Answer {
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d", i+1)
		}
	}
	return say(Reply{Calls: calls, Finish: "tool_calls"})
}

// Text answers in words.
func Text(s string) Answer { return say(Reply{Text: s, Finish: "stop"}) }

// Finish answers in words with a finish reason.
func Finish(s, reason string) Answer { return say(Reply{Text: s, Finish: reason}) }

// Status answers with an error; the body must never reach a log.
func Status(code int, header ...string) Answer { return Error(code, "scripted", header...) }

// Raw answers 200 with any body.
func Raw(body string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// Hold waits for release, or for the client to go, before it answers.
func Hold(release <-chan struct{}, next Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, req Request) {
		select {
		case <-release:
			next(w, r, req)
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	}
}

// Cut ends the connection in the middle of an answer.
func Cut() Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"id":"x","choices":[`)
	}
}

// Cooperate calls the offered tool with text in every required field, and
// closes with a sentence once a tool result says it is done.
func Cooperate(text string) Answer {
	return func(w http.ResponseWriter, r *http.Request, req Request) {
		if len(req.Messages) > 0 {
			if last := req.Messages[len(req.Messages)-1]; last.Role == "tool" && strings.Contains(last.Text(), `"status":"done"`) {
				Text("The text was saved.")(w, r, req)
				return
			}
		}
		if len(req.Tools) != 1 {
			Text("There is no tool to call.")(w, r, req)
			return
		}
		args := map[string]any{"uid": req.UID()}
		switch req.Tools[0] {
		case "set_file_alternative_text":
			args["alternative"] = text
		default:
			args["title"], args["description"] = text, text
		}
		raw, _ := json.Marshal(args) // a map of plain values
		Calls(Call{ID: fmt.Sprintf("call_%d", len(req.Messages)), Name: req.Tools[0], Arguments: string(raw)})(w, r, req)
	}
}

// UID reads the record's uid out of the prompt, 0 when there is none.
func (r Request) UID() uint64 {
	for _, m := range r.Messages {
		_, after, ok := strings.Cut(m.Text(), "`uid ")
		var uid uint64
		if _, err := fmt.Sscanf(after, "%d", &uid); ok && err == nil {
			return uid
		}
	}
	return 0
}
