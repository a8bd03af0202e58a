package agent

import (
	"context"
	"errors"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
	"editor-actions/internal/webhook"
)

// closing sends the transcript once more with the tool's result and keeps the
// model's sentence. The change is written and stays so, whatever happens here (P18):
// every way out of this function settles the run as completed.
func (s *segment) closing(ctx context.Context) {
	s.tellCaches(ctx)
	done := func(note string, kind string) { s.settle(ctx, suspend.Completed, suspend.ReasonApproved, note, kind) }
	if s.run.WithoutModel() || s.a.Settings().Agent.ClosingTurn == config.ClosingTurnOff {
		done("", "")
		return
	}
	if _, err := s.a.Models.Resolve(s.run.Configuration, providers.VisionAction); err != nil {
		// A configuration that lost its vision since: the picture goes nowhere.
		s.a.Log.InfoContext(ctx, "skipped closing turn", "run_id", s.run.ID, "err", err)
		done("", closingSkipped)
		return
	}
	if err := s.mayLook(ctx); err != nil {
		if ctx.Err() != nil {
			s.leave(ctx)
			return
		}
		s.a.Log.InfoContext(ctx, "skipped closing turn", "run_id", s.run.ID, "err", err)
		done("", closingFile)
		return
	}
	tool, _ := s.a.Catalogue.Tool(s.run.Tool)
	var tools []providers.Tool
	if tool != nil {
		tools = []providers.Tool{tool.Definition()} // some wires demand the definition of a call in the transcript
	}
	resp, err := s.send(ctx, tools)
	if ctx.Err() != nil {
		// Going down, or the lease is lost: the next claim does the closing turn.
		s.leave(ctx)
		return
	}
	if g, ok := errors.AsType[*guardrailStop](err); ok {
		s.a.Log.WarnContext(ctx, "stopped closing turn", "run_id", s.run.ID, "rule", g.rule)
		done("", closingStopped)
		return
	}
	if err != nil {
		s.a.Log.WarnContext(ctx, "closing turn failed after the change was written", "run_id", s.run.ID, "err", err)
		note := closingFailed
		if pe, ok := errors.AsType[*providers.Error](err); ok && pe.Kind == providers.Budget {
			note = closingBudget
		}
		done("", note)
		return
	}
	done(s.sentence(resp.Message.Text), "")
}

// tellCaches tells typo3.cacheWebhook which pages are stale. It stands here and
// not beside the write, because a run is claimed until it is settled: after a crash
// the message is sent again rather than lost. That it failed changes nothing about
// the write.
func (s *segment) tellCaches(ctx context.Context) {
	hook := s.a.Settings().TYPO3.CacheWebhook
	if hook.URL == "" {
		return
	}
	shown, err := decodePreview(s.state.Preview)
	if err == nil {
		err = s.a.Webhooks.Send(ctx,
			webhook.Target{URL: hook.URL, Secret: hook.Secret, Timeout: time.Duration(hook.TimeoutSeconds) * time.Second},
			webhook.Message{ID: string(s.run.ID), Type: "caches.stale", At: s.a.Now(), Data: staleCaches{
				File: s.run.SubjectUID, Metadata: uint32(shown.MetadataUID), Tags: typo3.CacheTags(subject(s.run), shown.MetadataUID),
			}})
	}
	if err != nil && ctx.Err() == nil {
		s.a.Log.ErrorContext(ctx, "tell caches", "run_id", s.run.ID, "file_uid", s.run.SubjectUID, "err", err)
	}
}

// staleCaches is the data of the message "caches.stale".
type staleCaches struct {
	File     uint64   `json:"file"`     // sys_file.uid
	Metadata uint32   `json:"metadata"` // sys_file_metadata.uid
	Tags     []string `json:"tags"`
}

// errNotTheirs: the initiator left the groups of the model's configuration.
var errNotTheirs = errors.New("the configuration is limited to groups that its user has left")

// mayLook answers why the picture must not be sent once more: after a crash or
// a long queue its initiator may have lost the file, or the operator may have
// excluded its folder (P11).
func (s *segment) mayLook(ctx context.Context) error {
	actor, err := s.a.actingUser(ctx, s.run)
	if err != nil {
		return err
	}
	if !s.a.Models.MayUse(s.run.Configuration, groupsOf(actor)) {
		return errNotTheirs
	}
	_, err = s.a.Gate.Look(ctx, actor, subject(s.run))
	return err
}

// Words in a completed run's error kind: why there is no closing sentence.
const (
	closingSkipped = "closing_skipped"
	closingFile    = "closing_file" // the picture may no longer be sent in the initiator's name
	closingFailed  = "closing_failed"
	closingStopped = "closing_stopped" // by a guardrail
	closingBudget  = "closing_budget"
)
