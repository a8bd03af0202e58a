package openai

import (
	"context"
	"fmt"
	"net/http"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Provider is one configured address. It is safe for concurrent use.
type Provider struct {
	caller  wire.Caller
	vendor  vendor
	detail  string
	service sdk.ChatCompletionService
}

// New makes the provider of a configuration. It opens no connection. Its
// errors never hold the key.
func New(name string, c config.ProviderConfiguration) (*Provider, error) {
	v, ok := vendors[c.Vendor]
	if !ok {
		return nil, fmt.Errorf("openai: vendor %q does not speak this wire", c.Vendor)
	}
	base, err := wire.Address(name, c)
	if err != nil {
		return nil, err
	}
	client, err := wire.NewClient(c)
	if err != nil {
		return nil, err
	}
	p := &Provider{caller: wire.NewCaller(name, c), vendor: v, detail: c.Detail}
	if p.detail == "" {
		p.detail = "auto"
	}
	options := []option.RequestOption{
		option.WithBaseURL(base + "/"),
		option.WithMaxRetries(0),
		option.WithHTTPClient(client),
		option.WithHeader("User-Agent", "editor-actions"),
	}
	for _, h := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count"} {
		options = append(options, option.WithHeaderDel("X-Stainless-"+h)) // nobody's business
	}
	if !c.APIKey.Empty() {
		options = append(options, option.WithAPIKey(c.APIKey.Reveal()))
	}
	// The service and not sdk.NewClient: that one reads keys, addresses and
	// organisations from the environment.
	p.service = sdk.NewChatCompletionService(options...)
	return p, nil
}

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	params, err := p.params(req)
	if err != nil {
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, err.Error())
	}
	if body, err := params.MarshalJSON(); err == nil {
		if err := p.caller.Fits(len(body)); err != nil {
			return providers.Response{}, err
		}
	}
	sending, cancel := context.WithTimeoutCause(ctx, p.caller.Timeout, wire.ErrTimeout)
	defer cancel()
	var (
		body []byte
		resp *http.Response
	)
	// The bytes and not the SDK's struct: a body that is no chat completion must
	// be told apart from one that says nothing.
	_, err = p.service.New(sending, params, option.WithResponseBodyInto(&body), option.WithResponseInto(&resp))
	if err != nil {
		return providers.Response{}, p.failure(ctx, sending, resp, err)
	}
	if resp != nil && (resp.StatusCode < 200 || resp.StatusCode > 299) {
		return providers.Response{}, p.caller.Status(resp.StatusCode, resp.Header)
	}
	return p.response(body)
}
