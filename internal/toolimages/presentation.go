package toolimages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"editor-actions/internal/media"
	"editor-actions/internal/providers"

	"github.com/rivo/uniseg"
)

// PresentationType and PresentationVersion name the one form there is.
const (
	PresentationType    = "editor-actions.tool-output"
	PresentationVersion = 1
)

// Presentation is what a tool's result says about its pictures: references and
// measurements, never bytes, paths or addresses. The card, the API and Project read it
// with the same parser.
type Presentation struct {
	Type        string       `json:"type"`
	Version     int          `json:"version"`
	Attachments []Attachment `json:"attachments"`
}

// Attachment refers to one picture.
type Attachment struct {
	Type       string     `json:"type"` // "image"
	ArtifactID string     `json:"artifact_id"`
	VersionID  string     `json:"artifact_version_id"`
	SHA256     string     `json:"sha256"` // of the stored bytes, not of those a tool had
	MIMEType   media.Type `json:"mime_type"`
	Width      int        `json:"width"`
	Height     int        `json:"height"`
	Title      string     `json:"title,omitempty"`
	Alt        string     `json:"alt,omitempty"`
	Source     string     `json:"source"`       // "tool", or "sys_file:UID"
	Detail     string     `json:"model_detail"` // high, auto, low
}

// Bounds of a presentation.
const (
	maxAttachments  = 3
	maxTitle        = 500 // user-perceived characters
	maxTitleBytes   = 8 << 10
	maxPresentation = 128 << 10 // bytes: three attachments with the longest titles in JSON's longest form fit
	attachmentType  = "image"
	detailHigh      = "high"
)

var (
	idShape     = regexp.MustCompile(`^[0-9A-Za-z_-]{1,256}$`)
	sha256Shape = regexp.MustCompile(`^[0-9a-f]{64}$`)
	sourceShape = regexp.MustCompile(`^(tool|sys_file:[1-9][0-9]{0,9})$`)
)

// errPresentation says no more than that: what is wrong may be somebody's content.
var errPresentation = errors.New("toolimages: this is no presentation of ours")

// ParsePresentation reads what Result wrote, to the byte: unknown, repeated and reordered
// keys are refused like values out of bounds. Its error repeats nothing of the input.
func ParsePresentation(raw json.RawMessage) (Presentation, error) {
	if len(raw) == 0 || len(raw) > maxPresentation {
		return Presentation{}, errPresentation
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var p Presentation
	if d.Decode(&p) != nil || !p.valid() {
		return Presentation{}, errPresentation
	}
	// The library takes keys in any case, twice, and bytes that are no UTF-8.
	if canonical, err := json.Marshal(p); err != nil || !bytes.Equal(canonical, raw) {
		return Presentation{}, errPresentation
	}
	return p, nil
}

func (p Presentation) valid() bool {
	if p.Type != PresentationType || p.Version != PresentationVersion || len(p.Attachments) < 1 || len(p.Attachments) > maxAttachments {
		return false
	}
	for _, a := range p.Attachments {
		if !a.valid() {
			return false
		}
	}
	return true
}

func (a Attachment) valid() bool {
	_, ok := fileOf(a.Source)
	return a.Type == attachmentType && idShape.MatchString(a.ArtifactID) && idShape.MatchString(a.VersionID) &&
		sha256Shape.MatchString(a.SHA256) && a.MIMEType.Valid() && a.Width > 0 && a.Height > 0 &&
		cleanTitle(a.Title) == a.Title && cleanTitle(a.Alt) == a.Alt && ok &&
		(a.Detail == detailHigh || a.Detail == "auto" || a.Detail == "low")
}

// encode is the form that ParsePresentation reads.
func (p Presentation) encode() (json.RawMessage, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("toolimages: encode presentation: %w", err)
	}
	if _, err := ParsePresentation(raw); err != nil {
		return nil, err
	}
	return raw, nil
}

// sourceTool is the source of what a tool made itself.
const sourceTool = "tool"

func sourceOf(file uint32) string {
	if file == 0 {
		return sourceTool
	}
	return "sys_file:" + strconv.FormatUint(uint64(file), 10)
}

// fileOf is the sys_file that a source names, 0 for none.
func fileOf(source string) (file uint32, ok bool) {
	if !sourceShape.MatchString(source) {
		return 0, false
	}
	_, uid, found := strings.Cut(source, ":")
	if !found {
		return 0, true
	}
	n, err := strconv.ParseUint(uid, 10, 32)
	return uint32(n), err == nil
}

// cleanTitle makes one short line of a title: without control characters, whatever changes
// the direction of a text or shows nothing, and the head of a data URI. Titles come from
// file names and from models.
func cleanTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == 0x200C, r == 0x200D: // joiners belong to scripts and to emoji
			return r
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, "\uFFFD"))
	return cut(providers.WithoutInlineImages(strings.Join(strings.Fields(title), " ")))
}

// cut bounds a title and never splits a character that people see as one.
func cut(title string) string {
	end, state := 0, -1
	for n, rest := 0, title; rest != "" && n < maxTitle; n++ {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(cluster) > maxTitleBytes {
			break
		}
		end += len(cluster)
	}
	return strings.TrimSpace(title[:end])
}

// blank reports whether a text shows nothing but spaces.
func blank(text string) bool { return strings.TrimSpace(text) == "" || !utf8.ValidString(text) }
