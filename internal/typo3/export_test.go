package typo3

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

// HashUsable reports whether a stored hash would be tried.
func HashUsable(hash string) bool { return checker(hash) != nil }
