package openai_test

import (
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/openai"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

var vendors = []string{config.VendorOpenAI, config.VendorOpenRouter, config.VendorMistral, config.VendorGroq, config.VendorCompatible}

func build(t testing.TB, vendor, baseURL string) providers.Provider {
	t.Helper()
	p, err := openai.New("main", config.ProviderConfiguration{
		Active: true, Vendor: vendor, BaseURL: baseURL, APIKey: secret.New(providertest.CanaryKey), Detail: "low", PrivateNetwork: true,
		TimeoutSeconds: int(providertest.Timeout / time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestP15_Contract runs the suite for every vendor: each fault has its kind, and
// no error holds a key, a body or a picture.
func TestP15_Contract(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, providertest.OpenAI, func(t *testing.T, baseURL string) providers.Provider { return build(t, v, baseURL) })
		})
	}
}
