package suspend

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the diagram into DESIGN.md")

// diagram draws the transitions as Mermaid reads them.
func diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	line := func(from, to, label string) { fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, label) }
	for _, t := range transitions {
		label := t.name
		if t.when != "" {
			label += " (" + t.when + ")"
		}
		for _, to := range t.to {
			if len(t.from) == 0 {
				line("[*]", string(to), label)
			}
			for _, from := range t.from {
				line(string(from), string(to), label)
			}
		}
	}
	for _, s := range allStatuses {
		if s.Terminal() {
			fmt.Fprintf(&b, "    %s --> [*]\n", s)
		}
	}
	return b.String()
}

var allStatuses = []Status{Queued, Running, Waiting, Paused, Completed, Rejected, Failed, Cancelled, Expired}

func TestDesign_DiagramIsTheCode(t *testing.T) {
	const file, begin, end = "DESIGN.md", "```mermaid\n", "```\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	drawn, tail, okEnd := strings.Cut(rest, end)
	if !ok || !okEnd {
		t.Fatal("DESIGN.md has no diagram")
	}
	if drawn == diagram() {
		return
	}
	if !*update {
		t.Fatalf("DESIGN.md draws other transitions than the code has; run: go test ./internal/suspend -run Design -update\n%s", diagram())
	}
	if err := os.WriteFile(file, []byte(head+begin+diagram()+end+tail), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTransitions_NothingLeavesATerminalStatus(t *testing.T) {
	reached := map[Status]bool{}
	for _, tr := range transitions {
		for _, from := range tr.from {
			if from.Terminal() {
				t.Errorf("%s starts from %s", tr.name, from)
			}
		}
		for _, to := range tr.to {
			reached[to] = true
			if !to.Valid() {
				t.Errorf("%s ends in %q", tr.name, to)
			}
		}
	}
	for _, s := range allStatuses {
		if !reached[s] {
			t.Errorf("%s is never reached", s)
		}
		if s.Terminal() == slices.Contains(open, s) {
			t.Errorf("%s is both open and terminal, or neither", s)
		}
	}
	if Status("done").Valid() || Phase("").Valid() || Reason("").Valid() || Verb("yes").Valid() {
		t.Error("a word outside a closed set is valid")
	}
}
