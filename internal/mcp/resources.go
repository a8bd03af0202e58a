package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"editor-actions/internal/falgate"
	"editor-actions/internal/fault"
	"editor-actions/internal/readtools"
	"editor-actions/internal/typo3"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// scheme of the addresses of files: typo3-file://23.
const scheme = "typo3-file://"

const listPage = 50

var (
	errCursor = fault.New(fault.Invalid, "resource_cursor", "This cursor does not belong to the list. Start again without one.")
	cursorIs  = regexp.MustCompile(`^([0-9]{1,4})\.([0-9]{1,10})$`)
)

func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "file", Title: "File and its texts", URITemplate: scheme + "{uid}", MIMEType: "application/json",
		Description: "What is known about a file and its stored texts, by the uid of its sys_file record.",
	}, s.readFile)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "file-content", Title: "Content of a file", URITemplate: scheme + "{uid}/content",
		Description: "The content of a file: a picture as a small copy, a text as it is, anything else as a description.",
	}, s.readContent)
}

// fileOf reads the uid out of an address. What is none gives 0, which no file has.
func fileOf(uri string) typo3.FileUID {
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(uri, scheme), "/content"), 10, 32)
	if err != nil {
		return 0
	}
	return typo3.FileUID(n)
}

// aboutJSON is a file as an agent may know it. What others wrote is cleaned as the tools
// that read clean it: words that nobody sees reach no model.
type aboutJSON struct {
	UID         typo3.FileUID `json:"uid"`
	Name        string        `json:"name"`
	Identifier  string        `json:"identifier"` // "1:/press/a.jpg"
	MIMEType    string        `json:"mime_type"`
	Size        int64         `json:"size_bytes"`
	Modified    *time.Time    `json:"modified,omitempty"`
	Title       *string       `json:"title,omitempty"`
	Alternative *string       `json:"alternative,omitempty"`
	Description *string       `json:"description,omitempty"`
	Note        string        `json:"note"`
}

func cleaned(text string) *string {
	text = readtools.Clean(text)
	return &text
}

func (s *Server) readFile(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	if err := readtools.CheckOn(s.Settings(), readtools.ReadFileMetadata); err != nil {
		return nil, s.protocolError(ctx, req, err)
	}
	f, err := s.Files.Look(ctx, callerOf(ctx).user, fileOf(req.Params.URI))
	if err != nil {
		return nil, s.noResource(ctx, req, err)
	}
	about := aboutJSON{
		UID: f.UID, Name: readtools.CleanLine(f.Name), Identifier: readtools.CleanLine(f.CombinedIdentifier()),
		MIMEType: readtools.CleanLine(f.MimeType), Size: f.Size, Modified: moment(f.Modified), Note: readtools.SourceMaterial,
	}
	if m := f.Metadata; m != nil {
		about.Title, about.Alternative, about.Description = cleaned(m.Title), cleaned(m.Alternative), cleaned(m.Description)
	}
	raw, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(raw)}}}, nil
}

func (s *Server) readContent(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	if err := readtools.CheckOn(s.Settings(), readtools.ViewFileImage); err != nil {
		return nil, s.protocolError(ctx, req, err)
	}
	b, err := s.Content.File(ctx, callerOf(ctx).user, fileOf(req.Params.URI), s.Settings().MCP.Vision)
	if err != nil {
		return nil, s.noResource(ctx, req, err)
	}
	c := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: b.Text}
	if b.Image != nil {
		c.Blob, c.MIMEType, c.Text = b.Image, b.MIMEType, ""
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// noResource is the one answer for every reason a file cannot be read (P3); what is
// about the moment or the size is said.
func (s *Server) noResource(ctx context.Context, req *sdk.ReadResourceRequest, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if errors.Is(err, falgate.ErrNotAvailable) {
		s.Log.InfoContext(ctx, "refused resource", "reason", falgate.Reason(err), "file_uid", fileOf(req.Params.URI), "be_user_uid", callerOf(ctx).user.UID)
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	return s.protocolError(ctx, req, err)
}

// listResources lists the pictures in the caller's reach that have no alternative
// text, folder by folder: those an agent is asked about. It reads rows and no bytes;
// every other file is found with the search tool.
func (s *Server) listResources(ctx context.Context, by *caller, req sdk.Request) (sdk.Result, error) {
	if err := readtools.CheckOn(s.Settings(), readtools.SearchFiles); err != nil {
		return nil, s.protocolError(ctx, req, err)
	}
	at, after := 0, typo3.FileUID(0)
	if p, ok := req.GetParams().(*sdk.ListResourcesParams); ok && p != nil && p.Cursor != "" {
		m := cursorIs.FindStringSubmatch(p.Cursor)
		if m == nil {
			return nil, s.protocolError(ctx, req, errCursor)
		}
		at, _ = strconv.Atoi(m[1]) // four digits
		n, err := strconv.ParseUint(m[2], 10, 32)
		if err != nil {
			return nil, s.protocolError(ctx, req, errCursor)
		}
		after = typo3.FileUID(n)
	}
	roots, err := s.Files.Roots(ctx, by.user)
	if err != nil {
		return nil, s.protocolError(ctx, req, err)
	}
	res := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: ownAnswer}
	if at >= len(roots) {
		return res, nil
	}
	page, err := s.Files.Files(ctx, by.user, falgate.FileQuery{Folder: roots[at].Combined, MissingAlternative: true, After: after, Limit: listPage})
	if err != nil {
		return nil, s.protocolError(ctx, req, err)
	}
	for _, f := range page.Files {
		res.Resources = append(res.Resources, &sdk.Resource{
			URI: scheme + strconv.FormatUint(uint64(f.UID), 10), Name: readtools.CleanLine(f.Name), MIMEType: "application/json", Size: f.Size,
			Description: "picture without an alternative text, " + readtools.CleanLine(f.CombinedIdentifier()),
		})
	}
	switch {
	case page.Next != 0:
		res.NextCursor = strconv.Itoa(at) + "." + strconv.FormatUint(uint64(page.Next), 10)
	case at+1 < len(roots):
		res.NextCursor = strconv.Itoa(at+1) + ".0"
	}
	return res, nil
}
