package falgate

import (
	"crypto/sha1" // TYPO3's index is made with it
	"encoding/hex"
)

// For tests of what has no door of its own.
var (
	FolderHash  = folderHash
	FlexValues  = flexValues
	DenyPattern = denyPattern
)

// SHA1 is TYPO3's hash of an identifier.
func SHA1(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Excluded reports whether a setting covers an identifier of storage 1.
func Excluded(folder, identifier string, caseSensitive bool) bool {
	return excluded([]string{folder}, &storage{uid: 1, caseSensitive: caseSensitive}, identifier)
}

// SetWindow changes how many rows of the index one Search looks at.
func (g *Gate) SetWindow(rows int) { g.window = rows }
