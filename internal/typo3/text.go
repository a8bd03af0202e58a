package typo3

import (
	"strconv"
	"strings"
)

func decimal[T ~uint32 | ~int | ~int32](n T) string { return strconv.FormatInt(int64(n), 10) }

// phpTrue is PHP's truth of a string: empty and "0" are false, all else is true.
func phpTrue(s string) bool { return s != "" && s != "0" }

// phpInt is PHP's cast of a string to a number: leading blanks, a sign, digits.
func phpInt(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	end := 0
	if end < len(s) && (s[end] == '-' || s[end] == '+') {
		end++
	}
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 64) // no digits give 0, as in PHP
	return n
}

// list splits a comma list and trims its items; empty ones are dropped.
func list(s string) []string {
	var out []string
	for _, item := range strings.Split(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func uids(s string) []uint32 {
	var out []uint32
	for _, item := range list(s) {
		if n := phpInt(item); n > 0 && n <= 1<<32-1 {
			out = append(out, uint32(n))
		}
	}
	return out
}

// CanonicalPath resolves dots and double slashes and adds the leading slash, as
// TYPO3's PathUtility does for identifiers. ".." above the root is dropped.
func CanonicalPath(path string) string {
	var out []string
	for _, part := range strings.Split(strings.ReplaceAll(path, "\\", "/"), "/") {
		switch part {
		case "", ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, part)
		}
	}
	return "/" + strings.Join(out, "/")
}

// folderPath is a canonical path with a slash at its end.
func folderPath(path string) string {
	p := CanonicalPath(path)
	if p == "/" {
		return p
	}
	return p + "/"
}
