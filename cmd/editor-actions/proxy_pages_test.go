package main

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// addresses are all that a browser would load or go to from a page. Those of forms
// begin with "POST ".
func addresses(t *testing.T, a answer) []string {
	t.Helper()
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	var out []string
	for _, n := range nodes(t, a.body) {
		for _, attr := range n.Attr {
			switch {
			case attr.Val == "" || strings.HasPrefix(attr.Val, "#"):
			case attr.Key == "action" || attr.Key == "formaction":
				method := ""
				if get(n, "method") == "post" {
					method = "POST "
				}
				out = append(out, method+attr.Val)
			case attr.Key == "href" || attr.Key == "src" || attr.Key == "srcset" || attr.Key == "poster" || attr.Key == "data-events":
				out = append(out, attr.Val)
			}
		}
	}
	return out
}

// formOf is what the browser sends of the form that leads to action. chosen is the
// value of its hidden field "action", when a page has several.
func formOf(t *testing.T, page, action, chosen string) url.Values {
	t.Helper()
	for _, f := range nodes(t, page) {
		if f.Data != "form" || get(f, "action") != action {
			continue
		}
		form := url.Values{}
		for n := range f.Descendants() {
			switch name := get(n, "name"); {
			case name == "":
			case n.Data == "textarea":
				form.Set(name, inner(n))
			case n.Data == "input" && get(n, "type") != "checkbox", n.Data == "button" && name == "action":
				form.Set(name, get(n, "value"))
			}
		}
		if chosen == "" || form.Get("action") == chosen {
			return form
		}
	}
	t.Fatalf("no form leads to %s: %.3000s", action, page)
	return nil
}

func inner(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func get(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// nodes are the elements of a page.
func nodes(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}
