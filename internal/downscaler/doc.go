// Package downscaler makes the small copy of a picture that may be sent: upright,
// sRGB, longest edge bounded, encoded anew as JPEG or PNG, without any metadata,
// and measured afterwards (P4). The original is never an answer.
//
// libvips runs in a small pool of worker processes of the same binary and never in
// this one. Evidence (libvips 8.14, bimg 1.1.9): a thin JPEG aborts the process, a
// running call cannot be cancelled, memory leaks outside every counter, and a
// truncated file is only a warning on stderr. A worker has a memory limit and a
// deadline; it is replaced after an abort, a deadline or a number of pictures.
//
// The order is: structure and limits from the header, orient, sRGB, fit, flatten on
// white if it becomes JPEG, strip, encode, measure. bimg's own rotation frees memory
// that is still read, so rotation is a second call on the small picture.
package downscaler
