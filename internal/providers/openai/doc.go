// Package openai speaks the chat completions wire with OpenAI's own SDK: OpenAI,
// OpenRouter, Mistral, Groq and every compatible address. Vendors differ by
// data (address, name of the token limit, form of ids, size of a request) and by
// nothing else.
//
// A request is the messages in their order: a string stays a string, a list
// stays a list, the picture travels as a data URI, and the arguments of an earlier
// call are the bytes the model gave. The SDK's retries are off, because retries
// are decided in one place for all wires (providers.Directory).
//
// Of an answer, the first choice is read: all of its text parts, its calls,
// its finish reason, its usage. What is not an answer becomes a providers.Error;
// nothing the provider or the SDK says is repeated in it, because bodies hold
// pictures and headers hold keys.
//
// The key goes into the Authorization header and nowhere else. Nothing is read
// from the environment but the proxy, no redirect leaves the host, and an
// answer is bounded.
package openai
