package typo3

import "editor-actions/internal/config"

// For tests of what has no door of its own.
var (
	PHPScalars        = phpScalars
	PasswordMatches   = passwordMatches
	SessionIdentifier = sessionIdentifier
)

// ParsePHPReturn reports only whether a text can be read.
func ParsePHPReturn(text string) error {
	_, err := parsePHPReturn(text)
	return err
}

// BackendOpen asks the address gate alone.
func BackendOpen(list, address string) bool {
	return backendOpen(&config.TYPO3{IPMaskList: list}, SessionRequest{RemoteIP: address})
}

// HashUsable reports whether a stored hash would be tried.
func HashUsable(hash string) bool { return checker(hash) != nil }
