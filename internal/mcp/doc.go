// Package mcp serves agents outside over the model context protocol: streamable HTTP
// under /mcp, and stdio.
//
// An agent shows a personal access token and acts with the rights its owner has at that
// moment, asked anew on every call; nothing is kept between calls. It may look at files
// (scope read) and call the write tools (scope propose), which write nothing: a call
// makes a waiting run, and a person decides on its review card. get_proposal tells the
// outcome.
//
// HTTP is stateless on purpose: any instance behind a balancer answers any call, a
// revoked token ends at the next one, and there is no session to steal. The price is
// that the server cannot ask the client anything, which it never needs to.
//
// Refusals of a tool are results an agent can read (isError), with one sentence and a
// code; only a misuse of the protocol is a JSON-RPC error. What goes wrong on our side
// gives a fixed sentence and the name of the request in the log. Neither arguments nor
// answers are logged.
package mcp
