package gemini

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"editor-actions/internal/providers"
)

// wireError is what a body says went wrong. Only known words of it are used, and
// none is repeated.
type wireError struct {
	Status  string            `json:"status"`
	Message string            `json:"message"`
	Details []json.RawMessage `json:"details"`
}

// detail is any of the messages in google/rpc/error_details.proto, as far as it is
// read: ErrorInfo, RetryInfo, QuotaFailure.
type detail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"`
}

// seconds is a google.protobuf.Duration.
var seconds = regexp.MustCompile(`^([0-9]{1,9}(?:\.[0-9]{1,9})?)s$`)

// failure classifies an answer that is no success.
func (p *Provider) failure(resp *http.Response, body []byte) error {
	var in struct {
		Error wireError `json:"error"`
	}
	_ = json.Unmarshal(body, &in) // a page of a proxy says nothing more than its status
	words, header := []string{in.Error.Status}, resp.Header
	// There is no other word for it than the sentence.
	if resp.StatusCode == http.StatusBadRequest && strings.Contains(in.Error.Message, "exceeds the maximum number of tokens") {
		words = append(words, "context_length_exceeded")
	}
	for _, raw := range in.Error.Details {
		var d detail
		_ = json.Unmarshal(raw, &d) // of another kind
		if d.Reason == "API_KEY_INVALID" {
			return p.caller.Fail(providers.Auth, resp.StatusCode, "the key is not valid") // comes as 400
		}
		words = append(words, d.Reason)
		for _, v := range d.Violations {
			if resp.StatusCode == http.StatusTooManyRequests && strings.Contains(v.QuotaID, "PerDay") {
				return p.caller.Fail(providers.Quota, resp.StatusCode, "the quota of the day is used up")
			}
		}
		if wait := seconds.FindStringSubmatch(d.RetryDelay); wait != nil && resp.Header.Get("Retry-After") == "" {
			header = resp.Header.Clone()
			header.Set("Retry-After", wait[1])
		}
	}
	return p.caller.Status(resp.StatusCode, header, words...)
}
