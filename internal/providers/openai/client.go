package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// defaultTimeout is used when the settings name none.
const defaultTimeout = 60 * time.Second

// Provider is one configured address. It is safe for concurrent use.
type Provider struct {
	name    string
	vendor  vendor
	detail  string
	timeout time.Duration
	service sdk.ChatCompletionService
}

// New makes the provider of a configuration. It opens no connection. Its
// errors never hold the key.
func New(name string, c config.ProviderConfiguration) (*Provider, error) {
	v, ok := vendors[c.Vendor]
	if !ok {
		return nil, fmt.Errorf("openai: vendor %q does not speak this wire", c.Vendor)
	}
	base := v.baseURL
	if c.BaseURL != "" {
		base = c.BaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, fmt.Errorf("openai: configuration %s has no usable address", name)
	}
	if strings.ContainsFunc(c.APIKey.Reveal(), func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return nil, fmt.Errorf("openai: the key of configuration %s holds a blank or a control character", name)
	}
	p := &Provider{name: name, vendor: v, detail: c.Detail, timeout: time.Duration(c.TimeoutSeconds) * time.Second}
	if p.timeout <= 0 {
		p.timeout = defaultTimeout
	}
	if p.detail == "" {
		p.detail = "auto"
	}
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimRight(base, "/") + "/"),
		option.WithMaxRetries(0),
		option.WithHTTPClient(newHTTPClient()),
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

// errTimeout is the cause of a request that took longer than configured.
var errTimeout = errors.New("openai: no whole answer in time")

// Complete implements providers.Provider.
func (p *Provider) Complete(ctx context.Context, req providers.Request) (providers.Response, error) {
	params, err := p.params(req)
	if err != nil {
		return providers.Response{}, &providers.Error{Provider: p.name, Kind: providers.BadRequest, Detail: err.Error()}
	}
	if p.vendor.maxRequestBytes > 0 {
		if body, err := params.MarshalJSON(); err == nil && len(body) > p.vendor.maxRequestBytes {
			return providers.Response{}, &providers.Error{
				Provider: p.name, Kind: providers.TooLarge,
				Detail: fmt.Sprintf("the request has %d bytes, %d are taken; nothing was sent", len(body), p.vendor.maxRequestBytes),
			}
		}
	}
	sending, cancel := context.WithTimeoutCause(ctx, p.timeout, errTimeout)
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
		return providers.Response{}, p.byStatus(resp.StatusCode, resp.Header, wireError{})
	}
	return p.response(body)
}
