package readtools

// For tests of what has no door of its own.
var (
	Clean     = clean
	CleanLine = cleanLine
	Cut       = cut
)
