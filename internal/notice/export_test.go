package notice

import (
	"context"
	"time"

	"editor-actions/internal/config"
)

// Messages does what Work does every few seconds.
func (n *Notifier) Messages(ctx context.Context) { n.messages(ctx) }

// Digests does what Work does every minute.
func (n *Notifier) Digests(ctx context.Context) { n.digests(ctx) }

// Impatient shortens the wait for a mail server.
func (n *Notifier) Impatient(d time.Duration) { n.mailTimeout = d }

// PeriodOf is the start of the period that t lies in.
func PeriodOf(t time.Time, m config.Mail) time.Time { return periodOf(t, m) }
