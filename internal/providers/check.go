package providers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"editor-actions/internal/config"
	"editor-actions/internal/media"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Verdict is the answer to one question of a check.
type Verdict string

// The verdicts. Unknown means that the question could not be asked.
const (
	VerdictYes     Verdict = "yes"
	VerdictNo      Verdict = "no"
	VerdictUnknown Verdict = "unknown"
)

// CheckReport is what a check of one configuration found out.
type CheckReport struct {
	Configuration string        `json:"configuration"`
	Vendor        string        `json:"vendor"`
	Model         string        `json:"model"`
	Host          string        `json:"host,omitempty"`        // that was asked
	Answered      string        `json:"answered_as,omitempty"` // the model, as the provider named it
	Reachable     Verdict       `json:"reachable"`
	KeyAccepted   Verdict       `json:"key_accepted"`
	ModelKnown    Verdict       `json:"model_known"`
	Tools         Verdict       `json:"tools"` // it calls a tool when it should
	Sees          Verdict       `json:"sees"`  // it named the word in the picture
	Latency       time.Duration `json:"-"`
	Usage         Usage         `json:"usage"`
	Kind          Kind          `json:"failure,omitempty"`
	Detail        string        `json:"detail,omitempty"` // for operators
}

// OK reports whether vision actions will work.
func (r CheckReport) OK() bool { return r.Tools == VerdictYes && r.Sees == VerdictYes }

// checkWords are printed into the picture, one by chance: a model that did not look
// cannot know which. None is a word that an answer holds anyway.
var checkWords = []string{"LANTERN", "HARVEST", "COMPASS", "VOLCANO", "GRANITE", "ORCHARD", "PELICAN", "SATCHEL", "THIMBLE", "WALRUS", "ZEPHYR", "JUNIPER"}

const checkTool = "report_word"

// Check asks the model of one configuration to read a word out of a small picture and to
// report it with a tool. It uses no fallback and does not retry; it is billed like any
// other request. Errors are in the report. An empty name is the default configuration.
func (d *Directory) Check(ctx context.Context, name string, user uint32) CheckReport {
	s := d.settings()
	if name == "" {
		name = s.Providers.Default
	}
	out := CheckReport{
		Configuration: name, Reachable: VerdictUnknown, KeyAccepted: VerdictUnknown, ModelKnown: VerdictUnknown, Tools: VerdictUnknown, Sees: VerdictUnknown,
	}
	word := checkWords[rand.IntN(len(checkWords))] //nolint:gosec // a choice, no secret
	r, err := resolve(s, name, VisionAction)
	cfg := s.Providers.Configurations[name]
	out.Vendor, out.Model, out.Host = cfg.Vendor, cmp.Or(r.Model, cfg.Model), cfg.Host()
	if err != nil {
		return out.failed(err)
	}
	if r.Vendor == config.VendorDemo {
		return out.failed(unsupported(name, "the offline model reads no words, so there is nothing to check"))
	}
	b, err := d.provider(name, s.Providers.Configurations[name])
	if err != nil {
		return out.failed(err)
	}
	req, err := checkRequest(word)
	if err != nil {
		return out.failed(err)
	}
	req.Model, req.MaxOutputTokens, req.User = r.Model, r.MaxOutputTokens, user
	began := time.Now()
	resp, err := d.attempt(ctx, s, b, r, req)
	out.Latency, out.Usage, out.Answered = time.Since(began), resp.Usage, resp.Model
	if err != nil {
		return out.failed(err)
	}
	out.Reachable, out.KeyAccepted, out.ModelKnown = VerdictYes, VerdictYes, VerdictYes
	return out.judge(resp, word)
}

// judge reads the model's answer.
func (r CheckReport) judge(resp Response, word string) CheckReport {
	said := resp.Message.Text
	r.Tools = VerdictNo
	for _, c := range resp.Message.ToolCalls {
		var args struct {
			Word string `json:"word"`
		}
		if c.Name == checkTool && !c.Malformed && json.Unmarshal(c.Arguments, &args) == nil {
			r.Tools, said = VerdictYes, args.Word
		}
	}
	r.Sees = VerdictNo
	if strings.Contains(strings.ToUpper(said), word) {
		r.Sees = VerdictYes
	}
	switch {
	case r.Tools == VerdictNo && r.Sees == VerdictYes:
		r.Detail = "it read the word, but answered in words and did not call the tool"
	case r.Tools == VerdictNo:
		r.Detail = "it answered without calling the tool and without naming the word"
	case r.Sees == VerdictNo:
		r.Detail = "it called the tool without having looked: it reported another word than the picture shows"
	}
	return r
}

// failed reads from a failure how far the request came.
func (r CheckReport) failed(err error) CheckReport {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		r.Kind, r.Detail = Unavailable, "the check was ended before there was an answer"
		return r
	}
	r.Kind, r.Detail = e.Kind, e.Detail
	if e.Status != 0 {
		r.Reachable = VerdictYes
	}
	switch e.Kind {
	case Unavailable, Timeout:
		if e.Status == 0 {
			r.Reachable = VerdictNo
		}
	case Auth:
		r.KeyAccepted = VerdictNo
	case RateLimited, Quota:
		r.KeyAccepted = VerdictYes
	case BadRequest:
		r.KeyAccepted = VerdictYes
		if e.Status == http.StatusNotFound {
			r.ModelKnown = VerdictNo
		}
	case Refused, TooLarge, EmptyAnswer, Truncated:
		r.KeyAccepted, r.ModelKnown = VerdictYes, VerdictYes
	default:
	}
	return r
}

func checkRequest(word string) (Request, error) {
	img, err := wordPicture(word)
	if err != nil {
		return Request{}, fmt.Errorf("providers: draw the picture of a check: %w", err)
	}
	return Request{
		Messages: []Message{
			{Role: User, Text: "One word is printed in the picture. Call the tool `" + checkTool + "` with that word. If you cannot see a picture, call it with an empty word."},
			{Role: User, Parts: []Part{{Type: ImagePart, Image: img}}},
		},
		Tools: []Tool{{
			Name: checkTool, Description: "Report the word that is printed in the picture.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`),
		}},
	}, nil
}

// wordPicture prints a word in large letters.
func wordPicture(word string) (*media.Image, error) {
	const scale, margin = 6, 4
	face := basicfont.Face7x13
	small := image.NewGray(image.Rect(0, 0, len(word)*face.Advance+2*margin, face.Height+2*margin))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: small, Src: image.Black, Face: face, Dot: fixed.P(margin, margin+face.Ascent)}
	d.DrawString(word)
	b := small.Bounds()
	large := image.NewGray(image.Rect(0, 0, b.Dx()*scale, b.Dy()*scale))
	for y := range b.Dy() * scale {
		for x := range b.Dx() * scale {
			large.SetGray(x, y, color.Gray{Y: small.GrayAt(x/scale, y/scale).Y})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, large); err != nil {
		return nil, err
	}
	return media.NewImage(out.Bytes(), media.PNG, large.Bounds().Dx(), large.Bounds().Dy())
}
