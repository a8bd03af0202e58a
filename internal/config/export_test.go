package config

import (
	"context"
	"strings"
)

// Load reads a site's file ("" = none) and the environment over the shipped
// settings. The error joins all problems; each is a *Problem.
func Load(file string, env func(string) (string, bool)) (*Settings, []Warning, error) {
	return Loader{File: file, Env: env}.Load()
}

// Watch loads the settings and follows the file until ctx is done.
func Watch(ctx context.Context, file string, env func(string) (string, bool)) (*Live, error) {
	return Loader{File: file, Env: env}.Watch(ctx)
}

// EnvName is the variable that overrides a key: vision.maxImageEdge is
// EDITOR_ACTIONS_VISION__MAX_IMAGE_EDGE.
func EnvName(key string) string {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		parts[i] = upperSnake(p)
	}
	return envPrefix + strings.Join(parts, "__")
}
