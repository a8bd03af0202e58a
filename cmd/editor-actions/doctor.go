package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"text/tabwriter"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/database"
	"editor-actions/internal/suspend"
	"editor-actions/internal/token"

	"github.com/spf13/cobra"
)

// A finding's level.
const (
	fine = "ok"
	warn = "warning"
	bad  = "NOT OK"
)

// ailing are queued runs that nobody took for so long.
const ailing = 15 * time.Minute

// tokenEnds is how long before its end a token is worth a word.
const tokenEnds = 14 * 24 * time.Hour

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything the service needs and say what is wrong",
		Long:  "Looks at the settings, the database, the keys, the storages, the pictures, the models and the runs. Sends nothing to a model and changes nothing.\nExit code 1 when something is not ok.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{app: a}
			d.look(cmd.Context())
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			worst := false
			for _, f := range d.findings {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.level, f.what, f.detail) // Flush reports a failure
				worst = worst || f.level == bad
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if worst {
				return &exitError{code: exitFailure}
			}
			return nil
		},
	}
}

type doctor struct {
	*app
	findings []struct{ level, what, detail string }
}

func (d *doctor) say(level, what, format string, args ...any) {
	d.findings = append(d.findings, struct{ level, what, detail string }{level, what, fmt.Sprintf(format, args...)})
}

// look asks in the order in which one thing needs another, and stops where nothing
// further can be said.
func (d *doctor) look(ctx context.Context) {
	s, warnings, err := d.loader().Load()
	if err == nil && d.demoDir != "" {
		s, err = d.demoSettings(s)
		warnings = nil // about a site's own settings
	}
	if err != nil {
		d.say(bad, "settings", "%v", err)
		return
	}
	d.say(fine, "settings", "valid")
	for _, w := range warnings {
		d.say(warn, "settings", "%s", w.String())
	}
	log := slog.New(slog.DiscardHandler)
	r, err := openSite(fixed(s), log)
	if err != nil {
		d.say(bad, "database", "%v", err)
		return
	}
	defer r.close()
	d.pictures(ctx, r, log)
	if err := database.Ready(ctx, r.db); err != nil {
		d.say(bad, "database", "%v", err)
		return
	}
	d.say(fine, "database", "reachable, the service's own tables are up to date")
	d.users(ctx, r, s)
	d.models(r, s, log)
	d.tokens(ctx, r, log)
	d.keys(ctx, r, log)
}

// pictures scales one in a worker, as the service does.
func (d *doctor) pictures(ctx context.Context, r *rooms, log *slog.Logger) {
	if err := r.withScaler(log); err != nil {
		d.say(bad, "pictures", "%v", err)
		return
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 200)), nil); err != nil {
		d.say(bad, "pictures", "%v", err)
		return
	}
	small, err := r.scaler.Fit(ctx, b.Bytes(), 100)
	if err != nil {
		d.say(bad, "pictures", "%v", err)
		return
	}
	d.say(fine, "pictures", "a worker scaled one: %s", small.Image)
}

// users counts who could use the service, and which storages they would see.
func (d *doctor) users(ctx context.Context, r *rooms, s *config.Settings) {
	names, all, err := r.cms.AllUserNames(ctx)
	if err != nil {
		d.say(bad, "backend users", "%v", err)
		return
	}
	roots, may := 0, 0
	for _, name := range names {
		u, err := r.cms.User(ctx, all[name])
		if err != nil || !u.MayEnter(s.Access.Groups) {
			continue // disabled, out of time, or not in a group of access.groups
		}
		may++
		folders, err := r.gate.Roots(ctx, u)
		if err != nil {
			d.say(bad, "storages", "%v", err)
			return
		}
		roots = max(roots, len(folders))
	}
	level := fine
	if may == 0 {
		level = bad
	}
	d.say(level, "backend users", "%d may use the service", may)
	if roots == 0 {
		d.say(bad, "storages", "nobody sees a folder of the storages in fal.allowedStorages %v: is typo3.rootPath right, is the storage online and local?", s.FAL.AllowedStorages)
	} else {
		d.say(fine, "storages", "somebody sees %d folders at the top", roots)
	}
	if s.TYPO3.EncryptionKey.Empty() && s.Server.SignIn == config.SignInTYPO3 {
		d.say(bad, "sign-in", "typo3.encryptionKey is empty, so no session of TYPO3's is recognised; set it, or typo3.settingsFile")
	}
}

func (d *doctor) models(r *rooms, s *config.Settings, log *slog.Logger) {
	r.withCatalogue(log)
	for _, o := range r.directory.Overviews() {
		level, detail := fine, fmt.Sprintf("%s %s, zone %s", o.Vendor, o.Model, o.Zone)
		switch {
		case !o.Active:
			detail += ", switched off"
		case o.Problem != "":
			level, detail = warn, o.Problem
		case !o.Priced && o.Vendor != config.VendorDemo:
			level, detail = warn, detail+", without a price: costs are not shown"
		}
		if o.Default && (o.Problem != "" || !o.Active) {
			level = bad
		}
		d.say(level, "model "+o.Name, "%s", detail)
	}
	if s.Providers.Default == "" {
		d.say(bad, "models", "providers.default is empty, so no action is offered")
	}
}

// tokens counts the access tokens that work, and those that soon will not.
func (d *doctor) tokens(ctx context.Context, r *rooms, log *slog.Logger) {
	now, tokens := time.Now(), r.tokens(log)
	list, err := tokens.List(ctx, 0)
	if err != nil {
		d.say(bad, "access tokens", "%v", err)
		return
	}
	states, err := tokens.States(ctx, list)
	if err != nil {
		d.say(bad, "access tokens", "%v", err)
		return
	}
	valid, ending := 0, 0
	for i, t := range list {
		if states[i] != token.Valid {
			continue
		}
		valid++
		if t.Expires.Before(now.Add(tokenEnds)) {
			ending++
		}
	}
	d.say(fine, "access tokens", "%d work", valid)
	if ending > 0 {
		d.say(warn, "access tokens", "%d expire within %d days: see `editor-actions token list`", ending, int(tokenEnds.Hours()/24))
	}
}

// keys looks at the keyset, and whether every waiting run can be opened with it.
func (d *doctor) keys(ctx context.Context, r *rooms, log *slog.Logger) {
	if err := r.withStore(log); err != nil {
		d.say(bad, "keys", "%v", err)
		return
	}
	keys, foreign, err := r.store.Keys(ctx)
	if err != nil {
		d.say(bad, "keys", "%v", err)
		return
	}
	sealed, pictures := 0, 0
	for _, k := range keys {
		sealed, pictures = sealed+k.Rows, pictures+k.Artifacts
	}
	d.say(fine, "keys", "%d in the keyset, %d runs are sealed with them, and %d pictures of tools", len(keys), sealed, pictures)
	if foreign.Runs > 0 {
		d.say(bad, "unreadable runs", "%d are sealed with a key that the keyset does not have: put it back from your copy. They are kept; until then they can only be rejected", foreign.Runs)
	}
	if foreign.Artifacts > 0 {
		d.say(bad, "unreadable pictures", "%d pictures of tools are sealed with a key that the keyset does not have: put it back from your copy. They are kept while their runs wait", foreign.Artifacts)
	}
	d.runs(ctx, r.store)
	r.withNotices(log)
	status, err := r.notices.Status(ctx)
	if err != nil {
		d.say(bad, "notices", "%v", err)
		return
	}
	d.notices(r.settings(), status)
}

// runs looks for work that nobody does.
func (d *doctor) runs(ctx context.Context, store *suspend.Store) {
	waiting, err := store.CountWaiting(ctx, nil)
	if err != nil {
		d.say(bad, "runs", "%v", err)
		return
	}
	active, err := store.Active(ctx, nil, 1000)
	if err != nil {
		d.say(bad, "runs", "%v", err)
		return
	}
	stuck := 0
	for _, run := range active {
		if run.Status == suspend.Queued && time.Since(run.Created) > ailing {
			stuck++
		}
	}
	d.say(fine, "runs", "%d wait for a person, %d are in work", waiting, len(active))
	if stuck > 0 {
		d.say(bad, "runs", "%d have been queued for more than %s: is the service running?", stuck, ailing)
	}
}
