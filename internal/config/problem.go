package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Warning is a setting that works and is unwise.
type Warning struct{ Key, Text string }

func (w Warning) String() string { return w.Key + ": " + w.Text }

// Problem is one thing that is wrong with the settings. Text says what is there
// and what is allowed; it never holds a secret.
type Problem struct {
	File string // a file, or "environment variable NAME"
	Line int    // 0 = unknown
	Key  string // "vision.maxImageEdge"; "" = the whole file
	Text string
}

func (p *Problem) Error() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	switch {
	case where == "":
		return p.Key + ": " + p.Text
	case p.Key == "":
		return where + ": " + p.Text
	}
	return where + ": " + p.Key + ": " + p.Text
}

// place is where a key was set.
type place struct {
	file string
	line int
	user bool // by the site's file or the environment, not by the shipped file
}

// report collects problems and remembers where each key was set.
type report struct {
	lines    map[string]place
	problems []*Problem
	checking bool            // rules are checked now: values have been read
	bad      map[string]bool // keys whose value could not be read
}

// problem notes what is wrong with a key, at the place that set it last. A rule
// says nothing about a value that could not be read.
func (r *report) problem(key, format string, args ...any) {
	if r.checking && r.bad[key] {
		return
	}
	r.bad[key] = true
	p := r.place(key)
	r.problems = append(r.problems, &Problem{File: p.file, Line: p.line, Key: key, Text: fmt.Sprintf(format, args...)})
}

// place of a key; one that was left out is missed where its parent stands.
func (r *report) place(key string) place {
	for {
		if p, ok := r.lines[key]; ok {
			return p
		}
		i := strings.LastIndexAny(key, ".[")
		if i < 0 {
			return place{}
		}
		key = key[:i]
	}
}

// set reports whether the site itself set a key.
func (r *report) set(key string) bool { return r.lines[key].user }

// err joins everything that is wrong, in the order of the file.
func (r *report) err() error {
	slices.SortStableFunc(r.problems, func(a, b *Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	errs := make([]error, len(r.problems))
	for i, p := range r.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
