package main

import (
	"fmt"
	"strings"
	"testing"

	"editor-actions/internal/providers"
	"editor-actions/internal/suspend"
)

// overheadOfAState is more than all that a first card's state holds beside its picture:
// prompt, call, preview, origin, seal.
const overheadOfAState = 12 << 10

// What a waiting run costs beside its picture, with pictures of the kinds that there are,
// scaled as they are sent. With -v it prints the table of internal/suspend/DESIGN.md.
func TestBytes_OfAWaitingRun(t *testing.T) {
	eachService(t, nil, func(t *testing.T, s *service) {
		editor, r := s.as(editorUID), s.stores()
		var table strings.Builder
		for _, name := range []string{"jpeg_base.jpg", "jpeg_progressive.jpg", "webp_orient6_large.webp", "heic.heic", "avif.avif", "png_screenshot.png", "png_noise.png", "png_white_logo.png", "gif_anim.gif"} {
			s.replaceFile(lakeIdentifier, name)
			id := editor.begin(suggestAlternative, fileLake, "")
			editor.await(id, "waiting")
			_, state, err := r.store.Load(t.Context(), suspend.RunID(id))
			if err != nil {
				t.Fatal(err)
			}
			var sent int
			var kind string
			for _, p := range state.Messages[len(state.Messages)-2].Parts {
				if p.Type == providers.ImagePart {
					sent, kind = p.Image.Size(), fmt.Sprintf("%s %dx%d", p.Image.Type(), p.Image.Width(), p.Image.Height())
				}
			}
			sealed := s.count("SELECT LENGTH(sealed_state) FROM tx_editoractions_run WHERE id = ?", id)
			row := 0
			for _, v := range s.row(id) {
				switch v := v.(type) {
				case []byte:
					row += len(v)
				case string:
					row += len(v)
				case nil:
				default:
					row += 8
				}
			}
			if sent == 0 || sealed < sent || sealed > sent*4/3+overheadOfAState || row > sealed+2<<10 {
				t.Errorf("%s: %d bytes sent, %d sealed, %d in the row", name, sent, sealed, row)
			}
			_, _ = fmt.Fprintf(&table, "| %s, %s | %d | %d | %d | %.2f |\n", name, kind, sent, sealed, row-sealed, float64(row)/float64(sent))
		}
		t.Logf("| picture as sent | its bytes | sealed_state | rest of the row | row / picture |\n%s", table.String())
	})
}
