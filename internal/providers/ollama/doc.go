// Package ollama speaks Ollama's own wire, POST /api/chat, without streaming.
//
// Ollama's Go client is not used: its module is the whole server (57 MB), it signs
// requests with a key file of the machine, reads the environment, and names the
// machine's architecture in its User-Agent. It also repeats the server's body in its
// errors and writes the arguments of calls anew, so this package uses net/http with
// the shared client and small structs of its own.
//
// A request is the messages in their order, except that all system messages become
// one at the beginning: many of Ollama's renderers read the first message only. A list
// becomes one text and its pictures, as base64 and never left out. Arguments of an
// earlier call are a JSON object on this wire, so blanks between its tokens are lost
// and nothing else. The server is told not to shorten what is too long for the model's
// context, which it does in silence otherwise.
//
// Of an answer, text and thoughts are kept apart: thoughts are no text, but go back to
// the same vendor with the message they belong to, as models with tools expect. Ids of
// calls are the server's; older servers have none, and get some that are unique in the
// conversation.
//
// Errors of this wire are one sentence for people. A few known words in it are looked
// for, and nothing of it is repeated.
package ollama
