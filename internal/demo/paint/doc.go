// Package paint draws the pictures of the demo site: photographs that never
// were, charts, a poster, a map, and the odd files every real folder has.
//
// Everything is drawn by this program, so the pictures belong to the project
// and nothing is downloaded. A [Canvas] holds colours as floating point; scenes
// lay sky, hills, water and things over each other, and grain comes last. Each
// picture has its own seed, so that the same program draws the same bytes.
//
// The package knows nothing of TYPO3: it answers bytes, and how large the
// picture is when it is held upright.
package paint
