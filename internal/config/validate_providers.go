package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var vendors = []string{
	VendorOpenAI, VendorOpenRouter, VendorMistral, VendorGroq, VendorAnthropic, VendorGemini, VendorOllama, VendorCompatible, VendorDemo,
}

// capabilities that models are known to declare. Another word is kept, with a
// warning: it may be a typing error.
var capabilities = []string{"audio", "chat", "completion", "embeddings", "json_mode", "reasoning", "streaming", "tools", "vision"}

func (v *validator) providers(s *Providers) {
	chosen, ok := s.Configurations[s.Default]
	switch {
	case s.Default == "":
		v.warn("providers.default", "no configuration is chosen, so no action is offered")
	case !ok:
		v.problem("providers.default", "%s: there is no such entry in providers.configurations", shown(s.Default))
	case !chosen.Active:
		v.warn("providers.default", "%q is not active, so no action is offered", s.Default)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Configurations)) {
		v.configuration("providers.configurations."+name, name, s.Configurations[name], s)
	}
	if !currency.MatchString(s.Currency) {
		v.problem("providers.currency", "%s: must be three capital letters, for instance EUR", shown(s.Currency))
	}
	v.budget("providers.budget", s.Budget)
	for i, h := range s.AllowedHosts {
		if h == "" || h != strings.ToLower(h) || strings.ContainsAny(h, "/:@ *") {
			v.problem(fmt.Sprintf("providers.allowedHosts[%d]", i), "%s: must be the name of a host in small letters, for instance api.mistral.ai", shown(h))
		}
	}
	seen := map[[2]string]bool{}
	for i, m := range s.Models {
		key := fmt.Sprintf("providers.models[%d]", i)
		switch {
		case !modelID.MatchString(m.ID):
			v.problem(key+".id", "%s: must be %s", shown(m.ID), modelIDRule)
		case seen[[2]string{m.Vendor, m.ID}]:
			v.problem(key+".id", "%s: another entry describes this model", shown(m.ID))
		}
		seen[[2]string{m.Vendor, m.ID}] = true
		v.oneOf(key+".vendor", m.Vendor, vendors...)
		v.capabilities(key+".capabilities", m.Capabilities)
		v.prices(key, m)
	}
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// maxPrice keeps sums of costs far from the end of their column.
const maxPrice = 100_000

func (v *validator) prices(key string, m Model) {
	for _, p := range []struct {
		name  string
		price *float64
	}{{"inputPrice", &m.InputPrice}, {"cachedInputPrice", m.CachedInputPrice}, {"outputPrice", &m.OutputPrice}} {
		if p.price != nil && !(*p.price >= 0 && *p.price <= maxPrice) {
			v.problem(key+"."+p.name, "%v: must be from 0 to %d, for a million tokens", *p.price, maxPrice)
		}
	}
	between(v, key+".priority", m.Priority, -1000, 1000)
	switch {
	case m.PricedOn == "" && (m.InputPrice != 0 || m.OutputPrice != 0 || m.CachedInputPrice != nil):
		v.problem(key+".pricedOn", "must say on which day the prices were looked up, for instance 2026-12-03")
	case m.PricedOn != "":
		if _, err := time.Parse(time.DateOnly, m.PricedOn); err != nil {
			v.problem(key+".pricedOn", "%s: must be a day like 2026-12-03", shown(m.PricedOn))
		}
	}
}

func (v *validator) budget(key string, b Budget) {
	between(v, key+".requestsPerDay", b.RequestsPerDay, 0, 1_000_000_000)
	between(v, key+".tokensPerDay", b.TokensPerDay, 0, 1_000_000_000_000)
	if !(b.CostPerDay >= 0 && b.CostPerDay <= 1_000_000) {
		v.problem(key+".costPerDay", "%v: must be from 0 to 1000000", b.CostPerDay)
	}
}

func (v *validator) capabilities(key string, list []string) {
	for i, c := range list {
		if !slices.Contains(capabilities, strings.ToLower(strings.TrimSpace(c))) {
			v.warn(fmt.Sprintf("%s[%d]", key, i), "%s is an unknown capability; known are %s", shown(c), strings.Join(capabilities, ", "))
		}
	}
}

var modelID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`)

const modelIDRule = "a model id of letters, digits and . _ : / @ -"

func (v *validator) configuration(key, name string, c ProviderConfiguration, s *Providers) {
	v.oneOf(key+".vendor", c.Vendor, vendors...)
	v.oneOf(key+".detail", c.Detail, "auto", "low", "high")
	between(v, key+".maxOutputTokens", c.MaxOutputTokens, 0, 1_000_000)
	between(v, key+".timeoutSeconds", c.TimeoutSeconds, 1, 3600)
	between(v, key+".maxRetries", c.MaxRetries, 0, 10)
	if len(c.System) > 20_000 {
		v.problem(key+".system", "has %d bytes: must be 20000 at most", len(c.System))
	}
	v.model(key, c, s)
	v.baseURL(key+".baseURL", c)
	v.network(key, c)
	v.allowedHost(key+".baseURL", c, s)
	v.oneOf(key+".zone", c.Zone, Zones...)
	between(v, key+".maxConcurrent", c.MaxConcurrent, 1, 1000)
	v.budget(key+".budget", c.Budget)
	between(v, key+".limits.pictureBytes", c.Limits.PictureBytes, 0, 1<<30)
	between(v, key+".limits.pictureEdge", c.Limits.PictureEdge, 0, 100_000)
	between(v, key+".limits.pictures", c.Limits.Pictures, 0, 1000)
	between(v, key+".limits.requestBytes", c.Limits.RequestBytes, 0, 1<<30)
	if c.Criteria == nil && (c.Budget.CostPerDay > 0 || s.Budget.CostPerDay > 0) && c.Active && c.Vendor != VendorDemo && !pricedModel(s.Models, c.Vendor, c.Model) {
		v.problem(key+".model", "%s: there is a budget in %s, and providers.models has no price for this model; nothing would be sent", shown(c.Model), s.Currency)
	}
	if c.Active && c.APIKey.Empty() && needsKey(c.Vendor) {
		v.problem(key+".apiKey", "must be set for vendor %s, for instance ${API_KEY}", c.Vendor)
	}
	if strings.ContainsAny(c.APIKey.Reveal(), "\r\n\x00 ") {
		v.problem(key+".apiKey", "must be one line without blanks")
	}
	for i, f := range c.Fallbacks {
		at := fmt.Sprintf("%s.fallbacks[%d]", key, i)
		other, ok := s.Configurations[f]
		switch {
		case f == name:
			v.problem(at, "%s: names the configuration itself", shown(f))
		case !ok:
			v.problem(at, "%s: there is no such entry in providers.configurations", shown(f))
		case slices.Contains(c.Fallbacks[:i], f):
			v.problem(at, "%s: stands in the list twice", shown(f))
		case c.Active && !other.Active:
			v.warn(at, "%q is not active and will be skipped", f)
		case slices.Index(Zones, other.Zone) > slices.Index(Zones, c.Zone):
			v.warn(at, "%q is in zone %s and will be skipped: %s is more trusted", f, other.Zone, c.Zone)
		}
	}
}

func pricedModel(models []Model, vendor, id string) bool {
	return slices.ContainsFunc(models, func(m Model) bool { return m.Vendor == vendor && m.ID == id && m.Priced() })
}

// ShippedAddress is where a vendor's API is, when a configuration names no baseURL.
// From the vendors' API references, read on 2026-12-01.
var ShippedAddress = map[string]string{
	VendorOpenAI:     "https://api.openai.com/v1",
	VendorOpenRouter: "https://openrouter.ai/api/v1",
	VendorMistral:    "https://api.mistral.ai/v1",
	VendorGroq:       "https://api.groq.com/openai/v1",
	VendorAnthropic:  "https://api.anthropic.com",
	VendorGemini:     "https://generativelanguage.googleapis.com",
	VendorOllama:     "http://127.0.0.1:11434",
}

// Host is the host of a configuration's address with its port, "" when it has none.
func (c ProviderConfiguration) Host() string {
	address := c.BaseURL
	if address == "" {
		address = ShippedAddress[c.Vendor]
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// allowedHost holds an address against providers.allowedHosts.
func (v *validator) allowedHost(key string, c ProviderConfiguration, s *Providers) {
	address := c.BaseURL
	if address == "" {
		address = ShippedAddress[c.Vendor]
	}
	u, err := url.Parse(address)
	if len(s.AllowedHosts) == 0 || address == "" || err != nil || slices.Contains(s.AllowedHosts, strings.ToLower(u.Hostname())) {
		return
	}
	v.problem(key, "%s is not among providers.allowedHosts", u.Hostname())
}

func needsKey(vendor string) bool {
	return slices.Contains(vendors, vendor) && vendor != VendorDemo && vendor != VendorCompatible && vendor != VendorOllama
}

// model checks how a configuration selects its model.
func (v *validator) model(key string, c ProviderConfiguration, s *Providers) {
	switch {
	case (c.Model == "") == (c.Criteria == nil):
		v.problem(key+".model", "name a model, or give criteria: exactly one of the two")
	case c.Model != "" && !modelID.MatchString(c.Model):
		v.problem(key+".model", "%s: must be %s", shown(c.Model), modelIDRule)
	case c.Criteria != nil:
		v.capabilities(key+".criteria.capabilities", c.Criteria.Capabilities)
		if c.Criteria.Prefer != "" {
			v.oneOf(key+".criteria.prefer", c.Criteria.Prefer, PreferOrder, PreferCost, PreferPriority)
		}
		if !slices.ContainsFunc(s.Models, func(m Model) bool { return m.Vendor == c.Vendor }) {
			v.warn(key+".criteria", "providers.models describes no model of vendor %s, so none can be selected", c.Vendor)
		}
	}
}

func (v *validator) baseURL(key string, c ProviderConfiguration) {
	if c.BaseURL == "" {
		if c.Vendor == VendorCompatible {
			v.problem(key, "must name the address of a compatible server, for instance http://127.0.0.1:8000/v1")
		}
		return
	}
	u := v.address(key, c.BaseURL, true)
	if u == nil {
		return
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		v.warn(key, "is not https: key, prompt and picture travel unencrypted")
	}
	if a, err := netip.ParseAddr(u.Hostname()); !c.PrivateNetwork && (u.Hostname() == "localhost" || err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast())) {
		v.problem(key, "is an address of this machine or a private network: set privateNetwork: true if that is meant")
	}
}

// network checks how a configuration reaches its provider.
func (v *validator) network(key string, c ProviderConfiguration) {
	if c.Vendor == VendorOllama && c.BaseURL == "" && c.Active && !c.PrivateNetwork {
		v.problem(key+".privateNetwork", "must be true for vendor ollama without a baseURL: it is asked on this machine")
	}
	if c.Proxy != "" && c.Proxy != ProxyDirect {
		v.address(key+".proxy", c.Proxy, false)
	}
	if c.CAFile != "" && !filepath.IsAbs(c.CAFile) {
		v.problem(key+".caFile", "%s: must be an absolute path", shown(c.CAFile))
	}
}

// address checks scheme://host[:port], with a path only where one may stand. It
// returns nil after a problem.
func (v *validator) address(key, s string, path bool) *url.URL {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https"):
		v.problem(key, "must be an address that begins with http:// or https://")
	case u.User != nil:
		v.problem(key, "must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		v.problem(key, "must not hold a query or a fragment")
	case !path && u.Path != "":
		v.problem(key, "must end after the host, for instance https://www.example.org")
	default:
		return u
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
