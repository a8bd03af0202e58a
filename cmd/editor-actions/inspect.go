package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"editor-actions/internal/actions"
	"editor-actions/internal/config"
	"editor-actions/internal/downscaler"
	"editor-actions/internal/falgate"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/typo3"

	"github.com/spf13/cobra"
)

// Exit codes of inspect, for scripts.
const (
	exitRefusedPicture = 3
	exitTextError      = 4
)

func (a *app) inspectCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "inspect", Short: "Ask the service's own functions: access, session, image, text", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.inspectAccess(), a.inspectSession(), a.inspectImage(), a.inspectText())
	return c
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// site opens the database for a command that only reads.
func (a *app) site() (*rooms, error) {
	s, err := a.loadSettings()
	if err != nil {
		return nil, err
	}
	return openSite(fixed(s), slog.New(slog.DiscardHandler))
}

func (a *app) inspectAccess() *cobra.Command {
	var all bool
	var user string
	c := &cobra.Command{
		Use:   "access",
		Short: "Print who may do what with which file, as tab-separated values",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all == (user != "") {
				return &exitError{exitUsage, fmt.Errorf("inspect access: give --all or --user NAME")}
			}
			r, err := a.site()
			if err != nil {
				return err
			}
			defer r.close()
			var names []string // none = everybody
			if user != "" {
				names = []string{user}
			}
			return falgate.WriteAccessTSV(cmd.Context(), a.stdout, r.gate, r.cms, names)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every backend user")
	c.Flags().StringVar(&user, "user", "", "one backend user, by name")
	return c
}

func (a *app) inspectSession() *cobra.Command {
	var cookie, host, ip string
	var now int64
	var https bool
	c := &cobra.Command{
		Use:   "session",
		Short: "Say whom a TYPO3 backend session cookie signs in",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.site()
			if err != nil {
				return err
			}
			defer r.close()
			at := time.Now()
			if cmd.Flags().Changed("now") {
				at = time.Unix(now, 0)
			}
			res, err := r.cms.SessionUser(cmd.Context(), typo3.SessionRequest{Cookie: cookie, Host: host, RemoteIP: ip, HTTPS: https, Now: at})
			if err != nil {
				return err
			}
			return a.printJSON(res)
		},
	}
	c.Flags().StringVar(&cookie, "cookie", "", "the cookie's value")
	c.Flags().StringVar(&host, "host", "", "host of the request, a port may follow")
	c.Flags().StringVar(&ip, "remote-ip", "", "address of the browser")
	c.Flags().BoolVar(&https, "https", true, "the browser spoke TLS")
	c.Flags().Int64Var(&now, "now", 0, "moment to judge at, in unix seconds (default: now)")
	_ = c.MarkFlagRequired("cookie") // the flag exists
	_ = c.MarkFlagRequired("host")
	return c
}

func (a *app) inspectImage() *cobra.Command {
	var edge int
	var out string
	var tokens bool
	c := &cobra.Command{
		Use:   "image FILE",
		Short: "Make the copy a model would be sent, or say why not",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			if edge == 0 {
				edge = s.Vision.MaxImageEdge
			}
			if edge < 64 || edge > 4096 {
				return &exitError{exitUsage, fmt.Errorf("inspect image: --edge %d: must be 64 to 4096 pixels", edge)}
			}
			picture, err := inspectPicture(cmd.Context(), s, args[0], edge)
			if err != nil {
				return err
			}
			report, image := picture.Report, picture.Image
			answer := imageReport{Report: report}
			if tokens && report.OK {
				answer.Tokens = providers.EstimateImageTokens(report.Width, report.Height)
			}
			if err := a.printJSON(answer); err != nil {
				return err
			}
			if !report.OK {
				return &exitError{exitRefusedPicture, nil}
			}
			if out != "" {
				return os.WriteFile(out, image.Bytes(), 0o600)
			}
			return nil
		},
	}
	c.Flags().IntVar(&edge, "edge", 0, "longest edge in pixels (default: vision.maxImageEdge)")
	c.Flags().StringVar(&out, "out", "", "write the copy to this file")
	c.Flags().BoolVar(&tokens, "tokens", false, "add about how many tokens the copy costs at each provider")
	return c
}

// inspected is a picture as it would be sent, and what was noticed about it.
type inspected struct {
	Report downscaler.Report
	Image  *media.Image
}

// inspectPicture scales one file as the service would.
func inspectPicture(ctx context.Context, s *config.Settings, path string, edge int) (inspected, error) {
	data, err := readFile(path, s.Images.MaxFileBytes)
	if err != nil {
		return inspected{}, err
	}
	limits := s.Images
	limits.Workers = 1
	scaler, err := downscaler.New(limits, downscaler.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return inspected{}, err
	}
	defer func() { _ = scaler.Close() }() // the answer is out
	report, image := downscaler.Inspect(ctx, scaler, data, edge)
	return inspected{report, image}, nil
}

// imageReport is what inspect image prints.
type imageReport struct {
	downscaler.Report
	Tokens []providers.ImageTokens `json:"tokens,omitempty"`
}

// readFile reads at most one byte more than the limit: enough for the refusal.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read-only
	return io.ReadAll(io.LimitReader(f, limit+1))
}

func (a *app) inspectText() *cobra.Command {
	var field, lang, image string
	ctx := actions.LintContext{UILanguage: "en"}
	var files map[string]string
	c := &cobra.Command{
		Use:   "text TEXT",
		Short: "Clean and check a text as a proposal would be",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f := actions.Field(field)
			if !f.Valid() {
				return &exitError{exitUsage, fmt.Errorf("inspect text: --field %q: must be alternative, title or description", field)}
			}
			s, err := a.loadSettings()
			if err != nil {
				return err
			}
			ctx.MaxLength = f.Settings(s).MaxLength
			for name, text := range files {
				ctx.Files = append(ctx.Files, actions.FileText{Name: name, Text: text})
			}
			if image != "" {
				picture, err := inspectPicture(cmd.Context(), s, image, s.Vision.MaxImageEdge)
				if err != nil {
					return err
				}
				if !picture.Report.OK {
					return &exitError{exitRefusedPicture, fmt.Errorf("inspect text: --image %s: %s", image, picture.Report.Reason)}
				}
				ctx.Picture = picture.Report.Warnings
			}
			report := actions.Inspect(f, lang, args[0], ctx)
			if err := a.printJSON(report); err != nil {
				return err
			}
			if report.HasError() {
				return &exitError{exitTextError, nil}
			}
			return nil
		},
	}
	c.Flags().StringVar(&field, "field", "alternative", "alternative, title or description")
	c.Flags().StringVar(&lang, "lang", "en", "language of the text")
	c.Flags().StringVar(&ctx.Caption, "caption", "", "the caption that stands beside it")
	c.Flags().StringVar(&ctx.FileName, "file-name", "", "the name of the picture's file")
	c.Flags().StringVar(&image, "image", "", "the picture, to see whether it is tiny or an animation")
	c.Flags().StringToStringVar(&files, "other", nil, "NAME=TEXT, the text of another file; may be repeated")
	return c
}
