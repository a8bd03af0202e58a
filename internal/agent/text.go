package agent

import (
	"strings"

	"editor-actions/internal/actions"

	"github.com/rivo/uniseg"
)

// maxTextBytes bounds a text that a person or a model wrote freely: one
// user-perceived character can be of any size, and the columns hold 64 KiB.
const maxTextBytes = 16 << 10

// plainText makes a free text fit to be stored, shown and sent: valid UTF-8,
// without characters that nobody sees or that change how the rest reads, at most n
// user-perceived characters. Line breaks stay.
func plainText(s string, n int) string {
	s = strings.NewReplacer("\t", " ", "\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return cutGraphemes(strings.TrimSpace(strings.Map(actions.Visible, s)), n)
}

func cutGraphemes(s string, n int) string {
	g := uniseg.NewGraphemes(s)
	for i := 0; g.Next(); i++ {
		if from, to := g.Positions(); i == n || to > maxTextBytes {
			return s[:from] + "…"
		}
	}
	return s
}
