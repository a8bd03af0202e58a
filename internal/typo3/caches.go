package typo3

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// cacheTables are TYPO3's caches of the group "pages" with the default database
// backend; each has a table of tags beside it. Other backends cannot be reached
// from the database: typo3.cacheWebhook is for them.
var cacheTables = []string{"cache_hash", "cache_pages", "cache_rootline"}

// cacheChunk bounds the placeholders of one statement; SQLite allows 32,766.
const cacheChunk = 1000

// CacheTags are the tags that a write of that row makes stale: TYPO3's own, and the
// file's, which cures translated pages that TYPO3 leaves stale.
func CacheTags(file FileUID, row MetadataUID) []string {
	return []string{"sys_file_metadata", "sys_file_metadata_" + decimal(uint32(row)), "sys_file_" + decimal(uint32(file))}
}

// flushCaches removes what is cached under the record's tags. One query looks in
// all caches; only hits are deleted.
func (c *CMS) flushCaches(ctx context.Context, tx *gorm.DB, w MetadataWrite) error {
	tags := CacheTags(w.File, w.MetadataUID)
	var parts []string
	var args []any
	for _, t := range cacheTables {
		if c.has(ctx, t+"_tags") {
			parts = append(parts, "SELECT '"+t+"' AS cache, identifier FROM "+t+"_tags WHERE tag IN ?")
			args = append(args, tags)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	var hits []struct{ Cache, Identifier string }
	if err := tx.Raw(strings.Join(parts, " UNION "), args...).Scan(&hits).Error; err != nil {
		return fmt.Errorf("typo3: look up cache tags: %w", err)
	}
	byCache := map[string][]string{}
	for _, h := range hits {
		byCache[h.Cache] = append(byCache[h.Cache], h.Identifier)
	}
	for cache, ids := range byCache {
		for chunk := range slices.Chunk(ids, cacheChunk) {
			for _, table := range []string{cache, cache + "_tags"} {
				if err := tx.Exec("DELETE FROM "+table+" WHERE identifier IN ?", chunk).Error; err != nil {
					return fmt.Errorf("typo3: flush cache: %w", err)
				}
			}
		}
	}
	return nil
}
