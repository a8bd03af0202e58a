// Package gemini speaks the generateContent wire of Google's Gemini API with
// Google's own SDK.
//
// System messages become the system instruction; everything else is a list of
// contents whose roles, user and model, take turns: neighbours of one role are
// merged, and all results of a turn travel in one content. A picture travels inline.
//
// The model's own parts of an answer are kept as received and echoed to this vendor,
// because Gemini 3 refuses a call that comes back without its thought signature.
// What another vendor's model said is built anew.
//
// The SDK makes the address and the request, and no more: it would drop empty
// arguments, round large numbers, lose the form of a schema and ask again by itself.
// So the body is written here, and the answer is read here; the SDK never sees it.
//
// Of an answer, the first candidate is read: its texts that are no thoughts, its
// calls, its finish reason, its usage. What is not an answer becomes a
// providers.Error; nothing the provider or the SDK says is repeated in it.
//
// The key goes into the X-Goog-Api-Key header and nowhere else, and the SDK does not
// get it. Nothing is taken from the environment but the proxy, no redirect leaves the
// host, and an answer is bounded.
package gemini
