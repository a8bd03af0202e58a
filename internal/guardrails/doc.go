// Package guardrails decides whether a text may leave the installation, and in
// which form.
//
// A Screener looks at one string and answers with a Verdict: allow, redact (with
// the text to send instead), deny, or require_approval. The catalogue of secrets
// goes first, is called "secret-redaction", and cannot be switched off; patterns
// of the operator follow in the order of the settings and see what is left. A
// redaction rewrites and goes on, so a later pattern may still stop the text; of
// several stops deny is the strongest.
//
// The catalogue knows shapes (prefixes, lengths), so it is a heuristic: a secret
// without a shape passes. It is a list of its own because the rule sets of
// repository scanners ask for entropy and context that a sentence does not have,
// and answer with findings instead of a text. All patterns are RE2 and linear; a
// text that is too long to be screened is denied.
//
// RedactForStorage is for texts that are kept, not sent: it masks e-mail
// addresses too, and shortens.
//
// What it refuses to do: look into pictures or arguments of tool calls, know
// messages, keep or log anything.
package guardrails
