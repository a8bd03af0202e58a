package main

import (
	"fmt"
	"strings"
	"testing"

	"editor-actions/internal/config"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool that the operator switches off leaves no other door to what it shows.
func TestMCP_ResourcesFollowTheSwitches(t *testing.T) {
	eachService(t, withAgents, func(t *testing.T, s *service) {
		secret, _ := s.tokenOf(editorUID)
		p := s.agent(links[0], secret)
		uri := fmt.Sprintf("typo3-file://%d", fileLake)
		doors := map[string]func() error{
			"search_files":       func() error { _, err := p.ListResources(t.Context(), nil); return err },
			"read_file_metadata": func() error { _, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); return err },
			"view_file_image": func() error {
				_, err := p.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri + "/content"})
				return err
			},
		}
		for tool, off := range map[string]func(*config.Tools){
			"search_files":       func(c *config.Tools) { c.SearchFiles = false },
			"read_file_metadata": func(c *config.Tools) { c.ReadFileMetadata = false },
			"view_file_image":    func(c *config.Tools) { c.ViewFileImage = false },
		} {
			was := s.settings.Load().Tools
			s.change(func(c *config.Settings) { off(&c.Tools) })
			for name, open := range doors {
				if err := open(); (err != nil) != (name == tool) || name == tool && !strings.Contains(err.Error(), "[read_tool_off]") {
					t.Errorf("%s with %s off: %v", name, tool, err)
				}
			}
			s.change(func(c *config.Settings) { c.Tools = was })
		}
	})
}
