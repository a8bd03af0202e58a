package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	"google.golang.org/genai"
)

const apiVersion = "v1beta"

// modelID is what may become a part of the address.
var modelID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// Provider is one configured address. It is safe for concurrent use.
type Provider struct {
	caller wire.Caller
	models *genai.Models
}

// New makes the provider of a configuration. It opens no connection. Its
// errors never hold the key.
func New(name string, c config.ProviderConfiguration) (*Provider, error) {
	if c.Vendor != config.VendorGemini {
		return nil, fmt.Errorf("gemini: vendor %q does not speak this wire", c.Vendor)
	}
	base, err := wire.Address(name, c)
	if err != nil {
		return nil, err
	}
	client, err := wire.NewClient(c)
	if err != nil {
		return nil, err
	}
	client.Transport = transport{next: client.Transport, key: c.APIKey}
	sdk, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		// With a key and a backend of its own, the SDK takes none from the environment.
		// The real key is set by transport: the SDK prints this struct in errors.
		APIKey:     "set-by-transport",
		Backend:    genai.BackendGeminiAPI,
		HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{
			BaseURL:    strings.TrimSuffix(base, "/"+apiVersion), // some people add it
			APIVersion: apiVersion,
		},
	})
	if err != nil {
		return nil, errors.New("gemini: the SDK does not take the configuration " + name)
	}
	return &Provider{caller: wire.NewCaller(name, c), models: sdk.Models}, nil
}

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	model := strings.TrimPrefix(req.Model, "models/")
	if !modelID.MatchString(model) || strings.Contains(model, "..") {
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, "the name of the model cannot be part of an address")
	}
	body, err := body(req)
	if err != nil {
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, err.Error())
	}
	if b, err := json.Marshal(body); err == nil {
		if err := p.caller.Fits(len(b)); err != nil {
			return providers.Response{}, err
		}
	}
	sending, cancel := context.WithTimeoutCause(ctx, p.caller.Timeout, wire.ErrTimeout)
	defer cancel()
	var got exchange
	once := false // the SDK continues an unfinished answer by asking, and billing, again
	_, err = p.models.GenerateContent(got.in(sending), model, nil, &genai.GenerateContentConfig{
		AutomaticContinuation: &once,
		// No RetryOptions: the SDK then asks once.
		HTTPOptions: &genai.HTTPOptions{ExtrasRequestProvider: func(map[string]any) map[string]any { return body }},
	})
	switch {
	case !got.whole:
		return providers.Response{}, p.caller.Transport(ctx, sending, got.resp, err)
	case got.resp.StatusCode >= http.StatusBadRequest:
		return providers.Response{}, p.failure(got.resp, got.body)
	case got.resp.StatusCode >= http.StatusMultipleChoices:
		return providers.Response{}, p.caller.Transport(ctx, sending, got.resp, err)
	}
	// Whatever the SDK says, there is an answer.
	return p.response(got.body, req)
}
