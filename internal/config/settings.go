package config

import "editor-actions/internal/secret"

// Settings is everything config/ext.yaml can say. A value is immutable once
// loaded: a reload makes a new one.
type Settings struct {
	Vision     Vision     `yaml:"vision"`
	FAL        FAL        `yaml:"fal"`
	Images     Images     `yaml:"images"`
	Providers  Providers  `yaml:"providers"`
	Tools      Tools      `yaml:"tools"`
	Agent      Agent      `yaml:"agent"`
	Review     Review     `yaml:"review"`
	Assistant  Assistant  `yaml:"assistant"`
	Notices    Notices    `yaml:"notices"`
	Access     Access     `yaml:"access"`
	Privacy    Privacy    `yaml:"privacy"`
	Guardrails Guardrails `yaml:"guardrails"`
	Sealing    Sealing    `yaml:"sealing"`
	TYPO3      TYPO3      `yaml:"typo3"`
	Server     Server     `yaml:"server"`
	MCP        MCP        `yaml:"mcp"`
	API        API        `yaml:"api"`
	Inline     Inline     `yaml:"inline"`
}

// Vision rules what vision actions send and fill (ADR-235).
type Vision struct {
	MaxImageEdge    int      `yaml:"maxImageEdge"` // pixels, 64..4096
	ExcludedFolders []string `yaml:"excludedFolders"`
	Alternative     Field    `yaml:"alternative"`
	Title           Field    `yaml:"title"`
	Description     Field    `yaml:"description"`
}

// Field rules one metadata field. Enabled governs the editor action, not the
// tool; MaxLength binds every writer and counts user-perceived characters
// (0 = no limit of its own); Prompt replaces the shipped text.
type Field struct {
	Enabled   bool   `yaml:"enabled"`
	MaxLength int    `yaml:"maxLength"`
	Prompt    string `yaml:"prompt"`
}

// FAL lists the storages the service may touch at all.
type FAL struct {
	AllowedStorages []uint32 `yaml:"allowedStorages"`
}

// Images bounds the work a single picture may cause.
type Images struct {
	MaxFileBytes    int64 `yaml:"maxFileBytes"`    // bytes of the original
	MaxPixelsJPEG   int64 `yaml:"maxPixelsJPEG"`   // pixels from the header, formats that shrink on load
	MaxPixels       int64 `yaml:"maxPixels"`       // pixels from the header, all other formats
	Workers         int   `yaml:"workers"`         // decoding processes
	QueueLength     int   `yaml:"queueLength"`     // pictures that may wait for a worker
	TimeoutSeconds  int   `yaml:"timeoutSeconds"`  // per picture
	WorkerMemoryMiB int   `yaml:"workerMemoryMiB"` // address space above the idle worker
	WorkerPictures  int   `yaml:"workerPictures"`  // a worker is replaced after so many
	CacheMiB        int   `yaml:"cacheMiB"`        // 0 = no cache
}

// Providers names the model configurations.
type Providers struct {
	Default        string                           `yaml:"default"`
	Currency       string                           `yaml:"currency"`     // of all prices and costs, ISO 4217
	Budget         Budget                           `yaml:"budget"`       // of each user
	AllowedHosts   []string                         `yaml:"allowedHosts"` // whom configurations may name; empty = anybody
	Configurations map[string]ProviderConfiguration `yaml:"configurations"`
	Models         []Model                          `yaml:"models"`
}

// Vendor values: the wire a configuration speaks.
const (
	VendorOpenAI     = "openai"
	VendorOpenRouter = "openrouter"
	VendorMistral    = "mistral"
	VendorGroq       = "groq"
	VendorCompatible = "compatible"
	VendorAnthropic  = "anthropic"
	VendorGemini     = "gemini"
	VendorOllama     = "ollama"
	VendorDemo       = "demo"
)

// ProviderConfiguration is one configured endpoint with its model.
type ProviderConfiguration struct {
	Active          bool          `yaml:"active"`
	Vendor          string        `yaml:"vendor"`
	BaseURL         string        `yaml:"baseURL"`
	APIKey          secret.String `yaml:"apiKey"`
	Model           string        `yaml:"model"`    // fixed selection; empty when Criteria is set
	Criteria        *Criteria     `yaml:"criteria"` // selection by what a model must be able to do
	System          string        `yaml:"system"`   // role text, optional
	Detail          string        `yaml:"detail"`   // auto, low, high
	MaxOutputTokens int           `yaml:"maxOutputTokens"`
	TimeoutSeconds  int           `yaml:"timeoutSeconds"`
	MaxRetries      int           `yaml:"maxRetries"`     // retries after the first attempt, 0..10
	PrivateNetwork  bool          `yaml:"privateNetwork"` // its address may be one that is not on the public internet
	Proxy           string        `yaml:"proxy"`          // "" = the environment's, direct = none
	CAFile          string        `yaml:"caFile"`         // certificate authorities beside the system's, PEM
	Groups          []uint32      `yaml:"groups"`         // backend groups that may use it; empty = everybody
	Fallbacks       []string      `yaml:"fallbacks"`
	// RequireSecondApprover is review.requireSecondApprover for the runs of this configuration.
	RequireSecondApprover bool   `yaml:"requireSecondApprover"`
	Zone                  string `yaml:"zone"`          // local, private, eu, global
	MaxConcurrent         int    `yaml:"maxConcurrent"` // requests of one key at the same time, in one instance
	Budget                Budget `yaml:"budget"`        // of the configuration, all users
	Limits                Limits `yaml:"limits"`
}

// Limits is what a provider takes. 0 is what its vendor publishes.
type Limits struct {
	PictureBytes int `yaml:"pictureBytes"` // bytes of one picture in base64
	PictureEdge  int `yaml:"pictureEdge"`  // pixels of its longest edge
	Pictures     int `yaml:"pictures"`     // in one request
	RequestBytes int `yaml:"requestBytes"` // bytes of one request
}

// Budget bounds what may be spent in one day (UTC). 0 does not bound.
type Budget struct {
	RequestsPerDay int64   `yaml:"requestsPerDay"`
	TokensPerDay   int64   `yaml:"tokensPerDay"`
	CostPerDay     float64 `yaml:"costPerDay"` // in providers.currency
}

// Zones are the words for how far from the house a provider is, most trusted first.
var Zones = []string{"local", "private", "eu", "global"}

// ProxyDirect as a configuration's proxy means none, whatever the environment says.
const ProxyDirect = "direct"

// Criteria selects a model of the same vendor with all capabilities.
type Criteria struct {
	Capabilities []string `yaml:"capabilities"`
	Prefer       string   `yaml:"prefer"` // which one of several: order, cost, priority
}

// Prefer values.
const (
	PreferOrder    = "order"
	PreferCost     = "cost"
	PreferPriority = "priority"
)

// Model declares what a model can do. Capabilities nil = undeclared, which is
// not the same as an empty list.
type Model struct {
	ID           string   `yaml:"id"`
	Vendor       string   `yaml:"vendor"`
	Capabilities []string `yaml:"capabilities"`
	Priority     int      `yaml:"priority"` // for criteria that prefer it; larger is taken first
	// Prices for a million tokens in providers.currency. PricedOn is the day somebody
	// looked them up; without it there is no price.
	InputPrice       float64  `yaml:"inputPrice"`
	CachedInputPrice *float64 `yaml:"cachedInputPrice"` // nil = as other input
	OutputPrice      float64  `yaml:"outputPrice"`
	PricedOn         string   `yaml:"pricedOn"` // 2026-12-03
}

// Priced reports whether the prices are known.
func (m *Model) Priced() bool { return m.PricedOn != "" }

// Tools switches tools on and off: those that write, then those that read.
type Tools struct {
	SetFileAlternativeText bool `yaml:"setFileAlternativeText"`
	UpdateFALAssetMeta     bool `yaml:"updateFalAssetMeta"`
	SearchFiles            bool `yaml:"searchFiles"`
	ReadFileMetadata       bool `yaml:"readFileMetadata"`
	ViewFileImage          bool `yaml:"viewFileImage"`
	FindFileUsages         bool `yaml:"findFileUsages"`
}

// Agent rules the loop.
type Agent struct {
	ClosingTurn  string `yaml:"closingTurn"` // full, off
	MaxTurns     int    `yaml:"maxTurns"`
	LeaseSeconds int    `yaml:"leaseSeconds"`
	Workers      int    `yaml:"workers"`
	MaxAttempts  int    `yaml:"maxAttempts"` // claims of one run before it is given up
}

// Closing turn values.
const (
	ClosingTurnFull = "full"
	ClosingTurnOff  = "off"
)

// Review rules who decides, and for how long a card waits.
type Review struct {
	ApproverGroups        []uint32 `yaml:"approverGroups"`
	RequireSecondApprover bool     `yaml:"requireSecondApprover"`
	ExpireAfterDays       int      `yaml:"expireAfterDays"`
	RemindAfterDays       int      `yaml:"remindAfterDays"` // less than ExpireAfterDays when both are set
}

// Assistant rules runs that follow an editor's free request about a folder.
type Assistant struct {
	Enabled      bool    `yaml:"enabled"`
	MaxSteps     int     `yaml:"maxSteps"`     // answers of the model
	MaxPictures  int     `yaml:"maxPictures"`  // that tools show to the model
	MaxProposals int     `yaml:"maxProposals"` // runs for a person to decide
	MaxTokens    int64   `yaml:"maxTokens"`    // in and out, of all answers
	MaxCost      float64 `yaml:"maxCost"`      // in providers.currency
}

// Notices tell programs and people that cards wait.
type Notices struct {
	Webhook NoticeWebhook `yaml:"webhook"`
	Mail    Mail          `yaml:"mail"`
}

// NoticeWebhook is told when a card begins to wait and when it is decided.
type NoticeWebhook struct {
	URL            string        `yaml:"url"`    // "" = none
	Secret         secret.String `yaml:"secret"` // key of the signature
	TimeoutSeconds int           `yaml:"timeoutSeconds"`
}

// Mail is the digest of waiting cards, and the server that takes it.
type Mail struct {
	Host       string        `yaml:"host"` // "" = no mails
	Port       int           `yaml:"port"`
	TLS        string        `yaml:"tls"`    // starttls, tls, none
	CAFile     string        `yaml:"caFile"` // certificate authorities beside the system's, PEM
	Username   string        `yaml:"username"`
	Password   secret.String `yaml:"password"`
	From       string        `yaml:"from"`
	EveryHours int           `yaml:"everyHours"` // length of a period
	At         string        `yaml:"at"`         // "06:00", UTC: when a period begins
}

// TLS values of a mail server.
const (
	MailStartTLS = "starttls"
	MailTLS      = "tls"
	MailPlain    = "none"
)

// Access rules who may use the product at all. Administrators always may.
type Access struct {
	Groups []uint32 `yaml:"groups"` // backend groups, subgroups resolved; empty = every backend user
}

// Privacy level values, strictest first.
const (
	PrivacyNone     = "none"
	PrivacyMetadata = "metadata"
	PrivacyRedacted = "redacted"
	PrivacyFull     = "full"
)

// Privacy rules what the event stream keeps.
type Privacy struct {
	Level         string `yaml:"level"`
	RetentionDays int    `yaml:"retentionDays"`
}

// Guardrails adds an operator's own patterns to the secret catalogue, which is always on.
type Guardrails struct {
	Patterns []GuardrailPattern `yaml:"patterns"`
}

// GuardrailPattern is an RE2 pattern and what happens to a text that matches.
type GuardrailPattern struct {
	Name        string `yaml:"name"`
	Pattern     string `yaml:"pattern"`
	Verdict     string `yaml:"verdict"` // redact, deny, require_approval
	Replacement string `yaml:"replacement"`
}

// Sealing names the AEAD keyset that seals transcripts at rest: a Tink keyset
// in JSON, made by `editor-actions keys init`.
type Sealing struct {
	KeysetFile string        `yaml:"keysetFile"`
	Keyset     secret.String `yaml:"keyset"`
}

// TYPO3 names the database, the files, and the settings of TYPO3 itself that
// the service must share. Keys that TYPO3 has carry TYPO3's names.
type TYPO3 struct {
	DSN                 secret.String `yaml:"dsn"`
	RootPath            string        `yaml:"rootPath"`
	PublicPath          string        `yaml:"publicPath"`
	SettingsFile        string        `yaml:"settingsFile"`
	Version             string        `yaml:"version"` // "12.4", "13.4", "14.3"
	EncryptionKey       secret.String `yaml:"encryptionKey"`
	CookieName          string        `yaml:"cookieName"`
	CookieDomain        string        `yaml:"cookieDomain"`
	SessionTimeout      int           `yaml:"sessionTimeout"` // seconds
	LockIP              int           `yaml:"lockIP"`         // 0..4
	LockIPv6            int           `yaml:"lockIPv6"`       // 0..8
	UserHomePath        string        `yaml:"userHomePath"`
	GroupHomePath       string        `yaml:"groupHomePath"`
	UserUploadDir       string        `yaml:"userUploadDir"`
	FileDenyPattern     string        `yaml:"fileDenyPattern"`
	LockRootPath        []string      `yaml:"lockRootPath"`
	RequireMFA          int           `yaml:"requireMfa"` // 0..4
	AdminOnly           int           `yaml:"adminOnly"`
	DefaultUserTSconfig string        `yaml:"defaultUserTSconfig"`
	SitePath            string        `yaml:"sitePath"` // path TYPO3 lives under, "/" or "/cms/"
	IPMaskList          string        `yaml:"ipMaskList"`
	LockSSL             bool          `yaml:"lockSSL"`
	CookieSameSite      string        `yaml:"cookieSameSite"` // strict, lax, none
	SessionBackend      string        `yaml:"sessionBackend"` // database, redis
	Redis               Redis         `yaml:"redis"`
	CacheWebhook        CacheWebhook  `yaml:"cacheWebhook"`
}

// Session backend values: where TYPO3 keeps the sessions of backend users.
const (
	SessionsInDatabase = "database"
	SessionsInRedis    = "redis"
)

// Redis is where TYPO3 keeps sessions when SYS/session/BE says so. It is read only.
type Redis struct {
	Address  string        `yaml:"address"` // host:port, or the absolute path of a socket
	Database int           `yaml:"database"`
	Username string        `yaml:"username"`
	Password secret.String `yaml:"password"`
	TLS      bool          `yaml:"tls"`
}

// CacheWebhook is told after every write which cache tags are stale, for caches
// that are not in TYPO3's database.
type CacheWebhook struct {
	URL            string        `yaml:"url"`    // "" = none
	Secret         secret.String `yaml:"secret"` // key of the signature
	TimeoutSeconds int           `yaml:"timeoutSeconds"`
}

// Sign-in modes.
const (
	SignInTYPO3 = "typo3"
	SignInDemo  = "demo"
)

// Server rules the HTTP side.
type Server struct {
	Listen         string   `yaml:"listen"`
	BasePath       string   `yaml:"basePath"` // "" or "/editor-actions"
	PublicOrigin   string   `yaml:"publicOrigin"`
	TYPO3Origin    string   `yaml:"typo3Origin"` // may frame our pages
	TrustedProxies []string `yaml:"trustedProxies"`
	SignIn         string   `yaml:"signIn"`
	StateDir       string   `yaml:"stateDir"` // picture cache; "" = the system's cache folder
	LogLevel       string   `yaml:"logLevel"`
	LogFormat      string   `yaml:"logFormat"` // json, text
}

// MCP rules what agents reach with access tokens.
type MCP struct {
	Enabled        bool `yaml:"enabled"`        // over HTTP
	SelfService    bool `yaml:"selfService"`    // users make access tokens of their own
	Vision         bool `yaml:"vision"`         // pictures travel as pictures
	MaxWaiting     int  `yaml:"maxWaiting"`     // proposals of one user that wait at the same time
	CallsPerMinute int  `yaml:"callsPerMinute"` // of one token, in one instance
}

// API rules the JSON API.
type API struct {
	Vision bool `yaml:"vision"` // pictures travel as pictures, when the request asks for it
}

// Inline bounds the files that travel to programs, over MCP and the JSON API.
type Inline struct {
	MaxImageBytes  int `yaml:"maxImageBytes"`  // of one that travels as a picture
	MaxBinaryBytes int `yaml:"maxBinaryBytes"` // of one that travels as base64 in a text
}
