package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// vendor is whose raw messages are echoed.
const vendor = config.VendorAnthropic

// defaultMaxTokens is sent when no limit is set, because this wire needs one.
const defaultMaxTokens = 4096

var (
	// pictureTypes are what sdk.Base64ImageSourceParam names, v1.84.0, read on 2026-12-03.
	pictureTypes = map[media.Type]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}
	// callID is what this wire takes: other characters are refused (nanobot pull request
	// 4356, read on 2026-12-03). The length is our own, to be on the safe side.
	callID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

// params writes a request in the wire's form. Errors name no content.
func (p *Provider) params(req providers.Request) (sdk.MessageNewParams, error) {
	out := sdk.MessageNewParams{Model: req.Model, MaxTokens: int64(req.MaxOutputTokens)}
	if req.MaxOutputTokens <= 0 {
		out.MaxTokens = defaultMaxTokens
	}
	var err error
	if out.Messages, err = conversation(req.Messages); err != nil {
		return out, err
	}
	if s := system(req.Messages); s != "" {
		out.System = []sdk.TextBlockParam{{Text: s}}
	}
	for _, t := range req.Tools {
		tool, err := toolOf(t)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, sdk.ToolUnionParam{OfTool: tool})
	}
	if len(out.Tools) > 0 {
		out.ToolChoice.OfAuto = &sdk.ToolChoiceAutoParam{}
	}
	return out, nil
}

// system joins all system messages. This wire has a place of its own for them.
func system(messages []providers.Message) string {
	var texts []string
	for _, m := range messages {
		if m.Role == providers.System && !blank(m.Text) {
			texts = append(texts, wire.Valid(m.Text))
		}
	}
	return strings.Join(texts, "\n\n")
}

// conversation are all other messages. Neighbours of one role are one message: turns
// alternate on this wire, and all results of one turn belong into one message.
func conversation(messages []providers.Message) ([]sdk.MessageParam, error) {
	var out []sdk.MessageParam
	for i, m := range messages {
		if m.Role == providers.System && len(m.Parts) == 0 {
			continue
		}
		role, blocks, err := blocksOf(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		switch last := len(out) - 1; {
		case len(blocks) == 0: // the wire refuses empty messages
		case last >= 0 && out[last].Role == role:
			out[last].Content = append(out[last].Content, blocks...)
		default:
			out = append(out, sdk.MessageParam{Role: role, Content: blocks})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the request holds no message")
	}
	return out, nil
}

func blocksOf(m providers.Message) (sdk.MessageParamRole, []sdk.ContentBlockParamUnion, error) {
	if len(m.Parts) > 0 && m.Role != providers.User {
		return "", nil, errors.New("only a user message takes parts")
	}
	switch m.Role {
	case providers.User:
		blocks, err := user(m)
		return sdk.MessageParamRoleUser, blocks, err
	case providers.Assistant:
		return sdk.MessageParamRoleAssistant, assistant(m), nil
	case providers.ToolRole:
		return sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion{result(m)}, nil
	default:
		return "", nil, errors.New("a role this wire does not know")
	}
}

func user(m providers.Message) ([]sdk.ContentBlockParamUnion, error) {
	blocks := text(m.Text)
	for _, part := range m.Parts {
		switch {
		case part.Type == providers.TextPart:
			blocks = append(blocks, text(part.Text)...)
		case part.Type == providers.ImagePart && part.Image != nil:
			if !pictureTypes[part.Image.Type()] {
				return nil, errors.New("a picture of a type this wire does not take; nothing was sent")
			}
			blocks = append(blocks, sdk.NewImageBlockBase64(string(part.Image.Type()), part.Image.Base64()))
		default: // never dropped in silence
			return nil, errors.New("a part this wire does not know")
		}
	}
	return blocks, nil
}

// text is a block, or none: the wire refuses blocks that hold blanks only (claude-code
// issue 23440, read on 2026-12-03).
func text(s string) []sdk.ContentBlockParamUnion {
	if blank(s) {
		return nil
	}
	return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(wire.Valid(s))}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func assistant(m providers.Message) []sdk.ContentBlockParamUnion {
	if blocks := echo(m); blocks != nil {
		return blocks
	}
	blocks := text(m.Text)
	for _, c := range m.ToolCalls {
		args, _ := wire.Arguments(wire.Valid(string(c.Arguments)))
		blocks = append(blocks, sdk.NewToolUseBlock(wire.CallID(c.ID, callID), args, wire.Valid(c.Name)))
	}
	return blocks
}

// echo are the blocks of a raw message of this vendor, nil when m has none.
func echo(m providers.Message) []sdk.ContentBlockParamUnion {
	var raw []json.RawMessage
	if m.RawVendor != vendor || json.Unmarshal(m.Raw, &raw) != nil {
		return nil
	}
	var blocks []sdk.ContentBlockParamUnion
	for _, b := range raw {
		var said struct{ Type, Text string }
		if json.Unmarshal(b, &said) == nil && said.Type == "text" && blank(said.Text) {
			continue // models say such things, and their wire refuses them
		}
		blocks = append(blocks, param.Override[sdk.ContentBlockParamUnion](b))
	}
	return blocks
}

func result(m providers.Message) sdk.ContentBlockParamUnion {
	block := sdk.ToolResultBlockParam{ToolUseID: wire.CallID(m.ToolCallID, callID)}
	if !blank(m.Text) {
		block.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: wire.Valid(m.Text)}}}
	}
	if m.ToolError {
		block.IsError = param.NewOpt(true)
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &block}
}

func toolOf(t providers.Tool) (*sdk.ToolParam, error) {
	if !json.Valid(t.Parameters) || !bytes.HasPrefix(bytes.TrimSpace(t.Parameters), []byte("{")) {
		return nil, fmt.Errorf("the schema of tool %s is no JSON object", t.Name)
	}
	// The schema as it was written, and not through a map that reorders it.
	tool := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Parameters)}
	if t.Description != "" {
		tool.Description = param.NewOpt(t.Description)
	}
	return tool, nil
}
