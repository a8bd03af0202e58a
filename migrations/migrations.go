// Package migrations embeds the SQL that makes the service's own tables, one
// folder per dialect. A migration goes forward only.
package migrations

import "embed"

// FS holds mysql/*.sql and sqlite/*.sql.
//
//go:embed mysql/*.sql sqlite/*.sql
var FS embed.FS
