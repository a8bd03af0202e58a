package anthropic

import (
	"context"
	"fmt"
	"net/http"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// Provider is one configured address. It is safe for concurrent use.
type Provider struct {
	caller  wire.Caller
	service sdk.MessageService
}

// New makes the provider of a configuration. It opens no connection. Its
// errors never hold the key.
func New(name string, c config.ProviderConfiguration) (*Provider, error) {
	if c.Vendor != config.VendorAnthropic {
		return nil, fmt.Errorf("anthropic: vendor %q does not speak this wire", c.Vendor)
	}
	base, err := wire.Address(name, c)
	if err != nil {
		return nil, err
	}
	client, err := wire.NewClient(c)
	if err != nil {
		return nil, err
	}
	p := &Provider{caller: wire.NewCaller(name, c)}
	options := []option.RequestOption{
		option.WithBaseURL(base + "/"),
		option.WithMaxRetries(0),
		option.WithHTTPClient(client),
		option.WithHeader("User-Agent", "editor-actions"),
		// Without one the SDK refuses large output limits, because it takes a time of
		// its own from them. The deadline of the context is always the earlier one.
		option.WithRequestTimeout(p.caller.Timeout),
		// Traces are on by default, and the environment decides what is in them.
		option.WithoutOpenTelemetry(),
	}
	for _, h := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout"} {
		options = append(options, option.WithHeaderDel("X-Stainless-"+h)) // nobody's business
	}
	if !c.APIKey.Empty() {
		options = append(options, option.WithAPIKey(c.APIKey.Reveal()))
	}
	// The service and not sdk.NewClient: that one reads keys, addresses, headers and
	// profiles from the environment and from files.
	p.service = sdk.NewMessageService(options...)
	return p, nil
}

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	params, err := p.params(req)
	if err != nil {
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, err.Error())
	}
	written, err := params.MarshalJSON()
	if err != nil { // the SDK's words may hold content
		return providers.Response{}, p.caller.Fail(providers.BadRequest, 0, "the request cannot be written")
	}
	if err := p.caller.Fits(len(written)); err != nil {
		return providers.Response{}, err
	}
	sending, cancel := context.WithTimeoutCause(ctx, p.caller.Timeout, wire.ErrTimeout)
	defer cancel()
	var (
		body []byte
		resp *http.Response
	)
	// The bytes and not the SDK's struct: a body that is no message must be told
	// apart from one that says nothing.
	_, err = p.service.New(sending, params, option.WithResponseBodyInto(&body), option.WithResponseInto(&resp))
	if err != nil {
		return providers.Response{}, p.failure(ctx, sending, resp, err)
	}
	if resp != nil && (resp.StatusCode < 200 || resp.StatusCode > 299) {
		return providers.Response{}, p.caller.Status(resp.StatusCode, resp.Header)
	}
	return p.response(body)
}
