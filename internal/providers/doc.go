// Package providers knows what is said between this service and a model: the
// messages, the tools, the answer, and what can go wrong.
//
// A Provider sends one Request and returns one Response; each wire format is a
// subpackage, and vendors that share a wire format are data, not copies. A
// Directory reads the configurations from the settings of the moment. It decides
// on which of them a vision action may be offered (OfferVision, the rule of
// ADR-235), checks the model about to be called before a byte is sent (P16),
// retries what is worth retrying, and goes on to fallbacks that can see.
//
// Whether a model sees has three answers: it declares vision, it declares other
// capabilities only, or it declares nothing. The third passes, except where a
// configuration selects its model by criteria.
//
// Every failure outside this process is an *Error: a kind that a person can be
// told, never a dump of a request or an answer, because headers hold keys and
// bodies hold pictures.
//
// EncodeTranscript and DecodeTranscript turn messages into bytes and back without
// losing one, so that a run can wait for days and go on as if nothing had been.
//
// An Outbound holds what is sent once and never stored, the pictures of a tool among it:
// nothing that stores takes one.
//
// What it refuses to do: screen texts (guardrails), execute tools (actions), keep
// anything, stream.
package providers
