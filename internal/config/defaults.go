package config

// DefaultSettings are the shipped ones. A test holds them against
// config/ext.yaml, which says the same with comments.
func DefaultSettings() Settings {
	return Settings{
		Vision: Vision{
			MaxImageEdge:    1024,
			ExcludedFolders: []string{},
			Alternative:     Field{Enabled: true},
			Title:           Field{Enabled: true},
			Description:     Field{Enabled: true},
		},
		FAL: FAL{AllowedStorages: []uint32{1}},
		Images: Images{
			MaxFileBytes:    64 << 20,
			MaxPixelsJPEG:   100_000_000,
			MaxPixels:       50_000_000,
			Workers:         2,
			QueueLength:     32,
			TimeoutSeconds:  20,
			WorkerMemoryMiB: 1024,
			WorkerPictures:  500,
			CacheMiB:        256,
		},
		Providers: Providers{Configurations: map[string]ProviderConfiguration{}, Models: []Model{}, Currency: "USD", AllowedHosts: []string{}},
		Tools:     Tools{SetFileAlternativeText: true, UpdateFALAssetMeta: true, SearchFiles: true, ReadFileMetadata: true, ViewFileImage: true, FindFileUsages: true},
		Agent:     Agent{ClosingTurn: ClosingTurnFull, MaxTurns: 4, LeaseSeconds: 120, Workers: 4, MaxAttempts: 3},
		Assistant: Assistant{MaxSteps: 12, MaxPictures: 12, MaxProposals: 20, MaxTokens: 300_000},
		Review:    Review{ApproverGroups: []uint32{}, ExpireAfterDays: 30, RemindAfterDays: 7},
		Notices: Notices{
			Webhook: NoticeWebhook{TimeoutSeconds: 5},
			Mail:    Mail{Port: 587, TLS: MailStartTLS, EveryHours: 24, At: "06:00"},
		},
		Access:     Access{Groups: []uint32{}},
		Privacy:    Privacy{Level: PrivacyMetadata, RetentionDays: 30},
		Guardrails: Guardrails{Patterns: []GuardrailPattern{}},
		TYPO3: TYPO3{
			Version:        "13.4",
			CookieName:     "be_typo_user",
			SessionTimeout: 28800,
			// TYPO3's FileNameValidator::DEFAULT_FILE_DENY_PATTERN.
			FileDenyPattern: `\.(php[3-8]?|phpsh|phtml|pht|phar|shtml|cgi)(\..*)?$|\.pl$|^\.htaccess$`,
			LockRootPath:    []string{},
			SitePath:        "/",
			CookieSameSite:  "strict",
			SessionBackend:  SessionsInDatabase,
			Redis:           Redis{Address: "127.0.0.1:6379"},
			CacheWebhook:    CacheWebhook{TimeoutSeconds: 5},
		},
		Server: Server{
			Listen:         "127.0.0.1:8080",
			TrustedProxies: []string{},
			SignIn:         SignInTYPO3,
			LogLevel:       "info",
			LogFormat:      "json",
		},
		MCP:    MCP{MaxWaiting: 50, CallsPerMinute: 120},
		Inline: Inline{MaxImageBytes: 5 << 20, MaxBinaryBytes: 64 << 10},
	}
}

// DefaultConfiguration has the values of keys that an entry of
// providers.configurations leaves out.
func DefaultConfiguration() ProviderConfiguration {
	return ProviderConfiguration{Active: true, Detail: "auto", MaxOutputTokens: 2000, TimeoutSeconds: 60, MaxRetries: 3, Zone: "global", MaxConcurrent: 8}
}
