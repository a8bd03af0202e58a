// Package shipped embeds ext.yaml, the settings the program ships with.
package shipped

import _ "embed"

// YAML is config/ext.yaml.
//
//go:embed ext.yaml
var YAML []byte
