// Package actions knows what an editor may ask for and what a model may do
// about it.
//
// An Action is what the catalogue offers on a record ("Suggest an alternative
// text"); a Tool is the one write a model may ask for in return. An action
// declares the fields it fills from a picture (ADR-235); both shipped actions
// work on sys_file and end in one of the two write tools, which share no field.
//
// Catalogue.Prepare turns a click into the messages of a run, or into
// ErrNotAvailable: one answer for every reason a file cannot be used, so that no
// uid is confirmed. The true reason goes to the log, and Catalogue.Explain shows
// every check in order to an administrator.
//
// A model's answer passes SoleCall (the single-tool allow-list in code), the
// tool's Validate, and Preview, which draws the card. Tool.Execute runs inside
// the caller's transaction after a decision: it asks the acting user's rights
// again, compares the picture and the old values with what was shown, writes
// through typo3 and reads back. Nothing else in this package writes.
//
// Clean, Lint and Inspect are pure text checks, the same for a model's proposal,
// a reviewer's edit and every other writer.
//
// What it refuses to do: decide who may review, keep runs, talk to a provider,
// read bytes of a file by itself, shorten a text.
package actions
