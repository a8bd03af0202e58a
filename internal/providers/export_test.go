package providers

// CheckWords and WordPicture let a test look at the picture of a check.
var (
	CheckWords  = checkWords
	WordPicture = wordPicture
)
