// Package media knows what bytes are: one sniffer, one reader of headers and
// one structure check for every format, and the Image value that is sent.
//
// Names and declared types are never asked. Readers work on whole files in
// memory, are bounded by the file's size, and never panic on hostile input. The
// room decodes no pixels.
package media
