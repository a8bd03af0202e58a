package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"editor-actions/internal/actions"
	"editor-actions/internal/agent"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
	"editor-actions/internal/typo3"
)

// clock is the fixed moment of these tests.
var clock = time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)

// The users of the fake site.
var (
	admin    = &typo3.BackendUser{UID: 1, Username: "admin", Admin: true, Language: "en"}
	editor   = &typo3.BackendUser{UID: 2, Username: "editor", RealName: "Edit Or", Language: "en"}
	reviewer = &typo3.BackendUser{UID: 3, Username: "reviewer", RealName: "Revi Ewer", Language: "en"}
	german   = &typo3.BackendUser{UID: 4, Username: "german", RealName: "Deut Sch", Language: "de"}
	nobody   = &typo3.BackendUser{UID: 5, Username: "nobody", Language: "en"} // no mount, no runs
)

// fakeCMS knows users by name; their password is their name, their cookie is made by cookieOf.
type fakeCMS struct {
	users    []*typo3.BackendUser
	metadata map[typo3.FileUID]*typo3.Metadata
	err      error         // of the next questions
	original typo3.UserUID // who really is signed in, 0 = the same
}

func (f *fakeCMS) SessionUser(_ context.Context, r typo3.SessionRequest) (typo3.SessionResult, error) {
	if f.err != nil {
		return typo3.SessionResult{}, f.err
	}
	if r.Cookie == "half" {
		return typo3.SessionResult{Result: "second_factor_required"}, nil
	}
	for _, u := range f.users {
		if r.Cookie == cookieOf(u) {
			return typo3.SessionResult{Result: "user", UserUID: u.UID, OriginalUserUID: f.original}, nil
		}
	}
	return typo3.SessionResult{Result: "none"}, nil
}

func (f *fakeCMS) User(_ context.Context, uid typo3.UserUID) (*typo3.BackendUser, error) {
	for _, u := range f.users {
		if u.UID == uid {
			return u, nil
		}
	}
	return nil, fault.New(fault.NotFound, "user_not_found", "There is no such user.")
}

func (f *fakeCMS) UserByName(_ context.Context, name string) (*typo3.BackendUser, error) {
	for _, u := range f.users {
		if u.Username == name {
			return u, nil
		}
	}
	return nil, fault.New(fault.NotFound, "user_not_found", "There is no such user.")
}

func (f *fakeCMS) CheckPassword(ctx context.Context, username, password string) (*typo3.BackendUser, error) {
	u, err := f.UserByName(ctx, username)
	if err != nil || password != username {
		return nil, fault.New(fault.Unauthenticated, "wrong_password", "No.")
	}
	return u, nil
}

func (f *fakeCMS) BackendOpen(r typo3.SessionRequest) bool { return r.RemoteIP != "203.0.113.9" }

func (f *fakeCMS) Metadata(_ context.Context, _ *gorm.DB, uid typo3.FileUID) (*typo3.Metadata, error) {
	if m, ok := f.metadata[uid]; ok {
		return m, nil
	}
	return nil, typo3.ErrNoMetadata
}

func cookieOf(u *typo3.BackendUser) string { return "cookie-of-" + u.Username }

// fakeSessions issues the cookie that fakeCMS understands.
type fakeSessions struct {
	cms   *fakeCMS
	ended []string
}

func (f *fakeSessions) IssueSession(ctx context.Context, uid typo3.UserUID, _, _ string) (string, error) {
	u, err := f.cms.User(ctx, uid)
	if err != nil {
		return "", err
	}
	return cookieOf(u), nil
}

func (f *fakeSessions) EndSession(_ context.Context, cookie string) error {
	f.ended = append(f.ended, cookie)
	return nil
}

// fakeGate holds files. Files in hidden do not exist for anybody; files in
// readOnly can be seen and not used.
type fakeGate struct {
	roots    []falgate.Folder
	sub      []falgate.Folder
	files    []falgate.FileWithMetadata
	hidden   map[typo3.FileUID]bool
	readOnly map[typo3.FileUID]bool
	data     map[typo3.FileUID][]byte
	opened   int
}

func (f *fakeGate) Roots(_ context.Context, who *typo3.BackendUser) ([]falgate.Folder, error) {
	if who.UID == nobody.UID {
		return nil, nil
	}
	return f.roots, nil
}

func (f *fakeGate) Folders(_ context.Context, _ *typo3.BackendUser, combined string) (sub, crumbs []falgate.Folder, err error) {
	for _, r := range f.roots {
		if r.Combined == combined {
			return f.sub, []falgate.Folder{r}, nil
		}
	}
	for _, r := range f.sub {
		if r.Combined == combined {
			return nil, []falgate.Folder{f.roots[0], r}, nil
		}
	}
	return nil, nil, falgate.ErrNotAvailable
}

func (f *fakeGate) Files(_ context.Context, _ *typo3.BackendUser, q falgate.FileQuery) (falgate.FilePage, error) {
	var page falgate.FilePage
	for _, x := range f.files {
		if f.hidden[x.UID] || x.UID <= q.After || q.Folder != f.roots[0].Combined ||
			q.MissingAlternative && x.Metadata != nil && x.Metadata.Alternative != "" {
			continue
		}
		if len(page.Files) == q.Limit {
			page.Next = page.Files[len(page.Files)-1].UID
			break
		}
		page.Files = append(page.Files, x)
	}
	return page, nil
}

func (f *fakeGate) Look(_ context.Context, _ *typo3.BackendUser, uid typo3.FileUID) (*falgate.File, error) {
	for _, x := range f.files {
		if x.UID == uid && !f.hidden[uid] {
			return &x.File, nil
		}
	}
	return nil, falgate.ErrNotAvailable
}

func (f *fakeGate) Access(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (falgate.Access, *falgate.File, error) {
	file, err := f.Look(ctx, who, uid)
	if err != nil {
		return falgate.Access{Usable: "no_file"}, nil, nil
	}
	a := falgate.Access{Read: true, Usable: "yes", WriteAlternative: "yes", WriteTitle: "yes", WriteDescription: "yes"}
	if f.readOnly[uid] {
		a = falgate.Access{Read: true, Usable: "no_edit_meta"}
	}
	return a, file, nil
}

func (f *fakeGate) View(ctx context.Context, who *typo3.BackendUser, uid typo3.FileUID) (*falgate.Opened, error) {
	file, err := f.Look(ctx, who, uid)
	if err != nil {
		return nil, err
	}
	f.opened++
	return &falgate.Opened{File: *file, Data: f.data[uid]}, nil
}

// fakeScaler gives back what it gets, when that is a picture.
type fakeScaler struct{ err error }

func (f *fakeScaler) Fit(_ context.Context, src []byte, _ int) (*downscaler.Result, error) {
	if f.err != nil {
		return nil, f.err
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return nil, fault.New(fault.Unsupported, "image_not_an_image", "Not a picture.")
	}
	img, err := media.NewImage(src, media.Type("image/"+format), c.Width, c.Height)
	return &downscaler.Result{Image: img}, err
}

// fakeCatalogue offers all shipped actions.
type fakeCatalogue struct{ none bool }

func (f *fakeCatalogue) Offers(_ context.Context, _ *typo3.BackendUser, table string) []actions.Offer {
	if f.none || table != "" && table != "sys_file" {
		return nil
	}
	var out []actions.Offer
	for _, a := range actions.Actions() {
		out = append(out, actions.Offer{Action: a, Fields: a.VisionFields, Configuration: "demo"})
	}
	return out
}

func (f *fakeCatalogue) Explain(_ context.Context, u *typo3.BackendUser, action string, s actions.Subject) []actions.Check {
	return []actions.Check{
		{Name: actions.CheckUser, OK: true, Detail: u.Username},
		{Name: actions.CheckAction, OK: true, Detail: action + " on " + s.String()},
		{Name: actions.CheckFile, Detail: "excluded_folder"},
		{Name: actions.CheckPicture, Skipped: true, Detail: "not asked"},
	}
}

// fakeRuns holds runs and cards; results of decisions are set by the test.
type fakeRuns struct {
	mu          sync.Mutex
	gate        *fakeGate
	cards       map[suspend.RunID]*agent.Card
	order       []suspend.RunID
	history     map[typo3.FileUID][]suspend.Decision
	restored    []agent.RestoreRequest
	started     []agent.StartRequest
	decisions   []agent.DecideRequest
	asked       []agent.AskRequest
	batches     []agent.BatchRequest
	batchFails  error
	openedCards []suspend.RunID
	cancelled   []suspend.RunID
	result      agent.DecideResult
	err         error
	watch       chan agent.RunView
	next        string
}

func (f *fakeRuns) may(viewer *typo3.BackendUser, id suspend.RunID) (*agent.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.cards[id]
	if !ok || viewer.UID == nobody.UID {
		return nil, agent.ErrRunNotFound
	}
	return c, nil
}

func (f *fakeRuns) add(c *agent.Card) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cards[c.View.Run.ID] = c
	f.order = append(f.order, c.View.Run.ID)
}

func (f *fakeRuns) Start(_ context.Context, r agent.StartRequest) (*suspend.Run, error) {
	if _, err := f.gate.Look(context.Background(), r.User, actions.Subject{Table: r.Table, UID: r.UID}.File()); err != nil {
		return nil, actions.ErrNotAvailable
	}
	if _, ok := actions.ActionByKey(r.Action); !ok {
		return nil, actions.ErrNotAvailable
	}
	f.mu.Lock()
	id := suspend.RunID(fmt.Sprintf("00000000-0000-7000-8000-%012d", len(f.started)+1))
	for i, s := range f.started {
		if s.IdempotencyKey == r.IdempotencyKey {
			f.mu.Unlock()
			return f.cards[suspend.RunID(fmt.Sprintf("00000000-0000-7000-8000-%012d", i+1))].View.Run, nil
		}
	}
	f.started = append(f.started, r)
	f.mu.Unlock()
	run := &suspend.Run{ID: id, Action: r.Action, SubjectTable: r.Table, SubjectUID: r.UID, Status: suspend.Queued, Initiator: uint32(r.User.UID), Created: clock}
	f.add(&agent.Card{View: agent.RunView{Run: run, Initiator: r.User.DisplayName(), CanCancel: true}})
	return run, nil
}

func (f *fakeRuns) Restore(_ context.Context, r agent.RestoreRequest) (*suspend.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.restored = append(f.restored, r)
	card, ok := f.cards[r.Run]
	if !ok {
		return nil, actions.ErrNotAvailable
	}
	return card.View.Run, nil
}

func (f *fakeRuns) Cancel(_ context.Context, viewer *typo3.BackendUser, id suspend.RunID) error {
	if _, err := f.may(viewer, id); err != nil {
		return err
	}
	f.cancelled = append(f.cancelled, id)
	return f.err
}

func (f *fakeRuns) View(_ context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*agent.RunView, error) {
	c, err := f.may(viewer, id)
	if err != nil {
		return nil, err
	}
	return &c.View, nil
}

func (f *fakeRuns) Watch(_ context.Context, viewer *typo3.BackendUser, id suspend.RunID) (<-chan agent.RunView, error) {
	if _, err := f.may(viewer, id); err != nil {
		return nil, err
	}
	return f.watch, nil
}

func (f *fakeRuns) Inbox(_ context.Context, viewer *typo3.BackendUser, q agent.InboxQuery) (*agent.Inbox, error) {
	box := &agent.Inbox{All: viewer.Admin || viewer.UID == reviewer.UID}
	if viewer.UID == nobody.UID {
		return box, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range f.order {
		v := f.cards[id].View
		switch {
		case v.Run.Status == suspend.Waiting:
			box.Waiting = append(box.Waiting, v)
		case v.Run.Status.Terminal() && q.After == "":
			box.Recent = append(box.Recent, v)
		case q.After == "":
			box.Active = append(box.Active, v)
		}
	}
	box.Next = f.next
	return box, nil
}

func (f *fakeRuns) Count(ctx context.Context, viewer *typo3.BackendUser) (int, error) {
	box, err := f.Inbox(ctx, viewer, agent.InboxQuery{After: "x"})
	return len(box.Waiting), err
}

func (f *fakeRuns) Card(_ context.Context, viewer *typo3.BackendUser, id suspend.RunID) (*agent.Card, error) {
	return f.may(viewer, id)
}

func (f *fakeRuns) Decide(_ context.Context, r agent.DecideRequest) (agent.DecideResult, error) {
	c, err := f.may(r.Reviewer, r.Run)
	if err != nil {
		return agent.DecideResult{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decisions = append(f.decisions, r)
	res := f.result
	res.Run = c.View.Run
	return res, f.err
}

func (f *fakeRuns) FileHistory(_ context.Context, _ *typo3.BackendUser, uid typo3.FileUID) ([]suspend.Decision, error) {
	return f.history[uid], nil
}

func (f *fakeRuns) OpenRuns(_ context.Context, _ *typo3.BackendUser, uids []typo3.FileUID) (map[typo3.FileUID][]suspend.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[typo3.FileUID][]suspend.Run{}
	for _, id := range f.order {
		r := f.cards[id].View.Run
		if uid := typo3.FileUID(r.SubjectUID); !r.Status.Terminal() && slices.Contains(uids, uid) {
			out[uid] = append(out[uid], *r)
		}
	}
	return out, nil
}

// testPicture is a small PNG.
func testPicture(t testing.TB) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for x := range 48 {
		for y := range 32 {
			m.Set(x, y, color.RGBA{uint8(x * 5), uint8(y * 7), 120, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fakeModels has three configurations; "blind" fails its check.
type fakeModels struct {
	hold    chan struct{} // the check of "slow" waits for it
	entered chan struct{}
	asked   atomic.Int32
}

func (*fakeModels) Overviews() []providers.Overview {
	return []providers.Overview{
		{Resolved: providers.Resolved{Name: "blind", Vendor: "openai", Model: "old-1", Vision: providers.VisionNo, Zone: providers.ZoneGlobal}, Active: true, Problem: "provider blind: unsupported: " + hostile},
		{Resolved: providers.Resolved{Name: "main", Vendor: "mistral", Model: "pixtral-12b", Vision: providers.VisionYes, Zone: providers.ZoneEU}, Default: true, Active: true, Priced: true, PricedOn: "2026-12-03", InputPrice: 0.4, OutputPrice: 1.6},
		{Resolved: providers.Resolved{Name: "spare", Vendor: "ollama", Model: "llava", Vision: providers.VisionUndeclared, Zone: providers.ZoneLocal}, Open: true, Active: true},
	}
}

func (m *fakeModels) Check(_ context.Context, name string, _ uint32) providers.CheckReport {
	if m.asked.Add(1); name == "slow" {
		select {
		case m.entered <- struct{}{}:
		default:
		}
		<-m.hold
	}
	r := providers.CheckReport{
		Configuration: name, Vendor: "mistral", Model: "pixtral-12b", Reachable: providers.VerdictYes, KeyAccepted: providers.VerdictYes, ModelKnown: providers.VerdictYes,
		Tools: providers.VerdictYes, Sees: providers.VerdictYes, Latency: 812 * time.Millisecond, Usage: providers.Usage{InputTokens: 1234, OutputTokens: 9, CostMicros: 560},
	}
	if name == "blind" {
		r.Reachable, r.KeyAccepted, r.ModelKnown, r.Tools, r.Sees = providers.VerdictYes, providers.VerdictNo, providers.VerdictUnknown, providers.VerdictUnknown, providers.VerdictUnknown
		r.Kind, r.Detail, r.Usage = providers.Auth, hostile, providers.Usage{}
	}
	return r
}
