package providers

import (
	"context"

	"editor-actions/internal/config"
)

// Charge is what one attempt may cost at most, reserved before it is sent.
type Charge struct {
	Configuration string
	Model         string
	User          uint32 // be_users.uid, 0 = nobody in particular
	Tokens        int64  // input and output, estimated high
	CostMicros    int64
	Unpriced      bool // the model has no price
}

// Billed is what came of an attempt. Unknown says that it was probably billed, and that
// nobody said how much: the reservation is then the best that is known.
type Billed struct {
	Usage   Usage
	Unknown bool
}

// Meter counts what is spent and stops it at the budgets. Reserve is asked before
// every attempt; its *Error of kind Budget means that nothing may be sent. settle
// replaces the reservation by what was billed and is called once, also with nothing.
// It must be safe for concurrent use, by several processes.
type Meter interface {
	Reserve(ctx context.Context, c Charge) (settle func(context.Context, Billed), err error)
}

type noMeter struct{}

func (noMeter) Reserve(context.Context, Charge) (func(context.Context, Billed), error) {
	return func(context.Context, Billed) {}, nil
}

// unlimitedOutput is what is reserved for an answer whose length nobody bounds.
const unlimitedOutput = 4096

// chargeOf estimates one attempt for the meter, rather too high: what was not spent is
// given back.
func chargeOf(s *config.Settings, r Resolved, req Request) Charge {
	e := estimateInput(r.Vendor, r.Model, req)
	input := e.text + e.images
	if !e.known {
		input = e.text + e.worst
	}
	output := int64(req.MaxOutputTokens)
	if output == 0 {
		output = unlimitedOutput
	}
	cost, known := priceOf(s, r.Vendor, r.Model, Usage{InputTokens: input, OutputTokens: output})
	return Charge{Configuration: r.Name, Model: r.Model, User: req.User, Tokens: input + output, CostMicros: cost, Unpriced: !known}
}
