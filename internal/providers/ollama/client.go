package ollama

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

// Provider is one configured address. It is safe for concurrent use.
type Provider struct {
	caller wire.Caller
	url    string
	client *http.Client
	// authorize adds the key. A function, because a key in a field of its own would
	// be in every print of a Provider.
	authorize func(http.Header)
}

// New makes the provider of a configuration. It opens no connection. Its
// errors never hold the key.
func New(name string, c config.ProviderConfiguration) (*Provider, error) {
	if c.Vendor != config.VendorOllama {
		return nil, fmt.Errorf("ollama: vendor %q does not speak this wire", c.Vendor)
	}
	base, err := wire.Address(name, c)
	if err != nil {
		return nil, err
	}
	client, err := wire.NewClient(c)
	if err != nil {
		return nil, err
	}
	return &Provider{
		caller: wire.NewCaller(name, c),
		url:    base + "/api/chat",
		client: client,
		authorize: func(h http.Header) {
			if !c.APIKey.Empty() {
				h.Set("Authorization", "Bearer "+c.APIKey.Reveal())
			}
		},
	}, nil
}

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	body, err := encode(req)
	if err != nil {
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, err.Error())
	}
	if err := p.caller.Fits(len(body)); err != nil {
		return providers.Response{}, err
	}
	sending, cancel := context.WithTimeoutCause(ctx, p.caller.Timeout, wire.ErrTimeout)
	defer cancel()
	out, err := http.NewRequestWithContext(sending, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil { // cannot be: New has checked the address
		return providers.Response{}, p.caller.Fail(providers.Configuration, 0, "the address cannot be used")
	}
	out.Header.Set("Content-Type", "application/json")
	out.Header.Set("Accept", "application/json")
	out.Header.Set("User-Agent", "editor-actions")
	p.authorize(out.Header)
	resp, err := p.client.Do(out)
	if err != nil {
		return providers.Response{}, p.caller.Transport(ctx, sending, resp, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return providers.Response{}, p.caller.Transport(ctx, sending, resp, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return providers.Response{}, p.failure(resp.StatusCode, resp.Header, got)
	}
	return p.response(got, req.Messages)
}
