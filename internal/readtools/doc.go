// Package readtools holds the tools that read and never write: for a model in the
// loop and for clients of the MCP server alike. They find files, read the metadata of
// one, show a scaled copy of its picture, and list where it is used.
//
// Each call is answered as one backend user, whose rights are those of the moment;
// nothing is kept from one call to the next. What the user may not see does not
// exist: one neutral answer, falgate.ErrNotAvailable, whatever the reason (P3). Wrong
// arguments are refused as a whole, by key and rule. An answer is JSON of at most
// MaxText bytes; long texts and lists are cut and say so. Names and texts of the site
// are data: control and direction characters are taken out, and every answer says
// that it holds no instructions.
package readtools
