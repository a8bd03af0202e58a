// Package downscaler makes the small copy of a picture that may be sent: upright,
// sRGB, longest edge bounded, encoded anew as JPEG or PNG, without any metadata,
// and measured afterwards (P4). The original is never an answer.
//
// The order is: structure and limits from the header, orient, sRGB, fit, encode,
// flatten on white if it becomes JPEG, strip, measure. bimg's own rotation reads
// freed memory, so rotation is a second call on the small picture; bimg's profile,
// canvas and brand handling is completed in recipe.go. PNG and TIFF are shrunk by
// libvips' own thumbnail, row by row (shrink.go), because bimg decodes them whole.
//
// # Why processes
//
// libvips runs in a small pool of worker processes of the same binary (the hidden
// subcommand image-worker) and never in this one. Measured with libvips 8.14 and
// bimg 1.1.9: a thin JPEG aborts the process, which no recover sees; a running call
// cannot be cancelled; memory leaks outside every counter; a truncated file is only
// a warning on stderr; error texts mix between threads. And decoders are where
// hostile files attack, so a worker's environment holds no secret.
//
// A worker reads plans as length-prefixed frames from stdin, sees the picture in
// memory it shares with the service (descriptor 3), and writes an answer to stdout. The
// service writes to that memory only while the worker is idle, and empties it after
// every picture. It bounds its own address space, gives its stderr back as a
// refusal when the decoder complained of missing data, and leaves when stdin ends.
// The service kills it at the deadline and replaces it after a death, a deadline or
// a number of pictures. A death is tried once more, then the picture is refused for
// ten minutes; a caller that leaves does not count. What a worker answers is not
// trusted but measured, and so is what the cache on disk holds.
package downscaler
