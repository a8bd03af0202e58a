package anthropic_test

import (
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/anthropic"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func build(t testing.TB, baseURL string) providers.Provider {
	t.Helper()
	return buildWithin(t, baseURL, providertest.Timeout)
}

func buildWithin(t testing.TB, baseURL string, timeout time.Duration) providers.Provider {
	t.Helper()
	p, err := anthropic.New("main", config.ProviderConfiguration{
		Active: true, Vendor: config.VendorAnthropic, BaseURL: baseURL, APIKey: secret.New(providertest.CanaryKey), PrivateNetwork: true,
		TimeoutSeconds: int(timeout / time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestP15_Contract: each fault has its kind, and no error holds a key, a body or a
// picture.
func TestP15_Contract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Anthropic, func(t *testing.T, baseURL string) providers.Provider { return build(t, baseURL) })
}
