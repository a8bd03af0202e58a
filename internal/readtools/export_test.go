package readtools

// For tests of what has no door of its own.
var (
	Cut = cut
)
