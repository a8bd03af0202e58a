// Package anthropic speaks Anthropic's Messages API with Anthropic's own SDK.
//
// A request is the messages in their order, with what this wire wants otherwise:
// system messages become one text of their own, neighbours of one role become one
// message, and the results of calls are blocks in a user message. The picture travels
// as a base64 block behind the prompt. The SDK's retries and traces are off: retries
// are decided in one place for all wires (providers.Directory), and traces may hold
// what was sent.
//
// Of an answer, all text blocks and all calls are read, its stop reason and its usage.
// An answer that holds thoughts is kept as it came, and sent back as it came to this
// vendor only, because thoughts are signed. What is not an answer becomes a
// providers.Error; nothing the provider or the SDK says is repeated in it, because
// bodies hold pictures and headers hold keys.
//
// The SDK writes JSON that is handed to it without blanks and with <, > and & escaped:
// arguments, schemas and thoughts arrive as the same values in the same order.
//
// The key goes into the X-Api-Key header and nowhere else. Nothing is read from the
// environment but the proxy, no redirect leaves the host, and an answer is bounded.
package anthropic
