// Package providertest is a scripted model behind real HTTP in the chat
// completions format, and the cases every vendor has to pass.
//
// A Server records the exact bytes it was sent and answers from a script. Only
// its answers are made up; wire, client and errors are real. Start makes one
// for programs that are no tests.
//
// Run is the contract suite of providers.Provider: a picture goes in, a call comes
// out, and every failure has its kind.
package providertest
