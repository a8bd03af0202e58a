package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Empty answers with neither text nor call; the tokens are billed all the same.
func Empty(finish string) Answer { return Finish("", finish) }

// Refusal answers with the wire's own field for a model that will not.
func Refusal(s string) Answer { return say(Reply{Refusal: s, Finish: "stop"}) }

// Error answers a status with an error of this code in its body.
func Error(status int, code string, header ...string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, req Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(req.format.Error(status, code, "scripted failure with CANARY-BODY"))
	}
}

// Page answers a status with a page, as proxies do.
func Page(status int) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html><title>CANARY-BODY</title></html>")
	}
}

// Broken answers 200 with JSON that ends in the middle.
func Broken() Answer { return Raw(`{"id":"x","choices":[{"message":{"content":"CANARY-BODY`) }

// Hangup closes the connection without any answer.
func Hangup() Answer {
	return func(http.ResponseWriter, *http.Request, Request) { panic(http.ErrAbortHandler) }
}

// Redirect answers with a redirect to another address.
func Redirect(status int, to string) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}

// Slow waits before it answers, or until the client has gone.
func Slow(wait time.Duration, next Answer) Answer {
	return func(w http.ResponseWriter, r *http.Request, req Request) {
		select {
		case <-time.After(wait):
			next(w, r, req)
		case <-r.Context().Done():
		}
	}
}

// Drip sends headers at once and then a body that never ends, bounded by a minute.
func Drip() Answer {
	return func(w http.ResponseWriter, r *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		end := time.After(time.Minute)
		for {
			select {
			case <-r.Context().Done():
				return
			case <-end:
				return
			case <-tick.C:
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush() //nolint:forcetypeassert // the standard library's server can flush
			}
		}
	}
}

// Flood answers with more bytes than any answer has.
func Flood(bytes int) Answer {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := make([]byte, 64<<10)
		for i := range chunk {
			chunk[i] = ' '
		}
		for sent := 0; sent < bytes; sent += len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}
