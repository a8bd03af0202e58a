// Package demo is the offline model: it needs no network and no key. It decodes
// the picture it was sent, derives what pixels honestly tell (format, colours,
// brightness, drawing or photograph, amount of detail) and proposes texts that
// begin with "Demonstration:". It recognises nothing and does not pretend to.
//
// It reads the prompt as a model does: which tool, which record, which fields,
// which limits, which language. German prompts get German texts, all others
// English ones. It calls the tool once; when a reviewer asks again it reads the
// reason ("shorter", "more detail", in German too) and words the text anew; when
// the change was made it closes with a sentence. Tokens are estimated, because
// nobody bills them.
//
// It misbehaves when told to, so that people can see every state of the product.
// The words stand in the editor's note, alone or after "demo:", in the reviewer's
// reason after "demo:", or in the file's name after "demo"; several are separated
// by commas, in names by blanks, hyphens or underscores:
//
//	decline             ablehnen                  says no, in a sentence
//	no tool             ohne werkzeug             answers in words, without the tool
//	twice               zweimal                   calls the tool twice in one turn
//	wrong uid           falsche uid               calls it for another record
//	unknown tool        unbekanntes werkzeug      calls a tool that does not exist
//	unknown argument    unbekanntes argument      adds an argument
//	broken arguments    kaputte argumente         sends arguments that are no JSON object
//	too long            zu lang                   ignores the limit
//	html                html                      writes markup
//	decorative          dekorativ                 proposes an empty alternative text
//	slow                langsam                   takes a quarter of a minute
//	fail                fehler                    is not reachable
//	empty answer        leere antwort             answers nothing
//	fail at the end     fehler am ende            fails in the closing turn, after the change was made
//	once                einmal                    with one of the others: behaves after the first refusal
package demo
