package openai

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/providers/wire"
)

// vendor is what differs between the services that speak this wire.
type vendor struct {
	completionTokens bool // the limit is max_completion_tokens, not max_tokens
	shortIDs         bool // ids of calls must be exactly nine letters or digits
}

// Addresses are from the vendors' API references, read on 2026-12-01.
var vendors = map[string]vendor{
	config.VendorOpenAI:     {completionTokens: true}, // platform.openai.com/docs/api-reference/chat
	config.VendorOpenRouter: {},                       // openrouter.ai/docs/api-reference
	config.VendorMistral:    {shortIDs: true},         // docs.mistral.ai/api
	config.VendorGroq:       {},
	config.VendorCompatible: {},
}

var (
	nineCharacters = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
	// commonID is what OpenAI takes: it refuses ids of more than 40 characters.
	commonID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
)

// mistral reports whether a model is held by Mistral's rules, wherever it runs.
func (v vendor) mistral(model string) bool {
	return v.shortIDs || strings.Contains(strings.ToLower(model), "tral")
}

// callID maps the id of a call, whoever made it, to one the vendor takes: the
// same every time, so that a call and its result still belong together. Models
// by Mistral want their form of ids from other vendors too.
func (v vendor) callID(id, model string) string {
	if !v.mistral(model) {
		return wire.CallID(id, commonID)
	}
	if nineCharacters.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base32.StdEncoding.EncodeToString(sum[:])[:9]
}
