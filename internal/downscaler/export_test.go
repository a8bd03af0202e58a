package downscaler

import (
	"context"
	"io"
	"time"

	"editor-actions/internal/media"
)

// FitUnchecked gives a picture to a worker whatever its header says.
func (s *Scaler) FitUnchecked(ctx context.Context, src []byte, h media.Header, width, height, maxEdge int) (*Result, error) {
	return s.fit(ctx, src, plan{Header: h, Width: width, Height: height, MaxEdge: maxEdge})
}

// WorkerPIDs are the process ids of the idle workers.
func (s *Scaler) WorkerPIDs() []int {
	var pids []int
	for range cap(s.pool.slots) {
		w := <-s.pool.slots
		if w != nil {
			pids = append(pids, w.cmd.Process.Pid)
		}
		s.pool.slots <- w
	}
	return pids
}

// SetNow moves the clock of the attempts.
func (s *Scaler) SetNow(now func() time.Time) { s.attempts.now = now }

// WorkerEnvironment is what a worker is started with.
var WorkerEnvironment = workerEnvironment

// Upright size after fitting, for tests of the arithmetic.
var FitSize = fit

// BanTime is how long a picture that ends workers is refused.
const BanTime = banTime

// AnswerAlways is a worker that answers every picture with the same bytes.
func AnswerAlways(in io.Reader, out io.Writer, typ string, data []byte) error {
	for {
		var p plan
		if _, err := receive(in, &p, 0); err != nil {
			return err
		}
		if err := send(out, answer{OK: true, Type: media.Type(typ)}, data); err != nil {
			return err
		}
	}
}
