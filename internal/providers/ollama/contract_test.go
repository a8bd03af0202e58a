package ollama_test

import (
	"testing"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/ollama"
	"editor-actions/internal/providers/providertest"
	"editor-actions/internal/secret"
)

func build(t testing.TB, baseURL string) providers.Provider {
	t.Helper()
	return configured(t, config.ProviderConfiguration{BaseURL: baseURL, APIKey: secret.New(providertest.CanaryKey)})
}

func configured(t testing.TB, c config.ProviderConfiguration) providers.Provider {
	t.Helper()
	c.Active, c.Vendor, c.PrivateNetwork, c.TimeoutSeconds = true, config.VendorOllama, true, int(providertest.Timeout/time.Second)
	p, err := ollama.New("main", c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestP15_Contract runs the suite: each fault has its kind, and no error holds a key,
// a body or a picture.
func TestP15_Contract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Ollama, func(t *testing.T, baseURL string) providers.Provider { return build(t, baseURL) })
}
