package providers

import "context"

// Request is one send. Messages and Tools are read, never changed.
type Request struct {
	Messages        []Message
	Tools           []Tool
	Model           string // resolved by the caller, see Directory
	MaxOutputTokens int    // 0 = the provider's default
	// FileName is for the offline model, which reads its trigger words in it. No
	// wire sends it: a file's name misleads a model, and is nobody's business.
	FileName string
	// User is the be_users.uid in whose name is asked, for budgets. No wire sends it.
	User uint32

	need Requirements // of an Outbound, see With
}

// Response is one answer. Message.Role is Assistant.
type Response struct {
	Message      Message
	FinishReason FinishReason
	Usage        Usage
	Model        string // as the provider named it
}

// Provider sends one request and returns one answer. Implementations are safe
// for concurrent use, honour ctx, and return *Error for everything that went
// wrong outside this process. A Response that comes with an error carries the
// usage that was billed all the same.
type Provider interface {
	Complete(ctx context.Context, req Request) (Response, error)
}
