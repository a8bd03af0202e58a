package providers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"math/rand/v2"
	"reflect"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/media"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/providertest"
)

// More of the rows G: what happens to requirements on their way.

var toolPicture = providers.Requirements{Vision: providers.NeedDeclared}

// G04: what an Outbound demands goes with the request, whatever the caller asks for.
func TestG04_AnOutboundBringsItsDemands(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0)) // its model declares nothing
	req := providertest.VisionRequest(t)
	for _, c := range []struct {
		name string
		req  providers.Request
		want providers.Kind
	}{
		{"the subject's picture", req, ""},
		{"a tool's picture", req.With(providers.NewOutbound(req.Messages, toolPicture)), providers.Unsupported},
		{"without pictures", req.With(providers.NewOutbound(req.Messages[:2], providers.Requirements{})), ""},
	} {
		if _, _, err := h.Complete(t.Context(), "main", c.req, providers.Requirements{}); kind(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if n := h.fakes["main"].count(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// G05: what a caller does to its list during a send changes nothing for the fallback.
func TestG05_CallersListIsItsOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(withFallbacks(0, "second"))
	need := providers.Requirements{Vision: providers.NeedNotRefused, Types: []media.Type{media.PNG}}
	h.fakes["main"].answers = append(h.fakes["main"].answers, func(context.Context) (providers.Response, error) {
		need.Types[0], need.Vision = "image/webp", providers.NeedNone // no wire is sent WebP
		return providers.Response{}, &providers.Error{Kind: providers.Unavailable}
	})
	if _, r, err := h.Complete(t.Context(), "main", providers.Request{Messages: providertest.VisionRequest(t).Messages[:2]}, need); err != nil || r.Name != "second" {
		t.Errorf("%+v %v", r, err)
	}
}

// G10: a configuration whose criteria do not say vision is not used, whatever the models are.
func TestG10_CriteriaWithoutVision(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Models = models(model("eye", "chat", "tools", "vision"))
	p.Configurations["main"] = criteria("tools")
	h := newHouse(p)
	if _, ok := h.OfferVision(nil); ok {
		t.Error("offered")
	}
	for _, need := range []providers.Requirements{providers.VisionAction, toolPicture} {
		if _, err := h.Resolve("main", need); kind(err) != providers.Unsupported {
			t.Errorf("%+v: %v", need, err)
		}
	}
}

// G12: a seeing first that fails does not hand its pictures to a text model.
func TestG12_NoPictureForATextFallback(t *testing.T) {
	t.Parallel()
	for name, need := range map[string]providers.Requirements{"subject": providers.VisionAction, "tool": toolPicture} {
		p := withFallbacks(0, "text")
		p.Models = models(model("m", "chat", "tools", "vision"), model("blind", "chat", "tools"))
		p.Configurations["text"] = fixed("blind")
		h := newHouse(p)
		h.fakes["main"].answers = append(h.fakes["main"].answers, fails(providers.Error{Kind: providers.Unavailable}))
		_, r, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), need)
		if kind(err) != providers.Unavailable || r.Name != "main" || h.fakes["text"].count() != 0 {
			t.Errorf("%s: %+v %v, the fallback was asked %d times", name, r, err, h.fakes["text"].count())
		}
	}
}

// G15: each send asks again; what was true when the run began does not count.
func TestG15_ModelEditedBetweenTwoSends(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Models = models(model("m", "chat", "tools", "vision"))
	h := newHouse(p)
	ask := func() error {
		_, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), toolPicture)
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]config.Model{"declares nothing now": nil, "lost vision": models(model("m", "chat", "tools"))} {
		p.Models = list
		h.settings.Providers = p
		if err := ask(); kind(err) != providers.Unsupported || h.fakes["main"].count() != 1 {
			t.Errorf("%s: %v after %d requests", name, err, h.fakes["main"].count())
		}
	}
}

// G16: stored requirements are read whole or not at all.
func TestG16_UnknownDemandsAreRefused(t *testing.T) {
	t.Parallel()
	for _, want := range []providers.Requirements{
		{},
		providers.VisionAction, toolPicture,
		{Vision: providers.NeedDeclared, Tools: true, Types: []media.Type{media.PNG, media.JPEG}, Largest: 5, Edge: 7, Images: 2},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got providers.Requirements
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v", data, got, err)
		}
	}
	for _, bad := range []string{
		`null`, `[]`, `""`, `1`, `{"vision":"audio"}`, `{"vision":2}`, `{"vision":["declared"]}`, `{"audio":true}`, `{"features":["vision"]}`,
		`{"types":["image/gif"]}`, `{"types":["image/png",""]}`, `{"largest":-1}`, `{"edge":-1}`, `{"images":-1}`, `{"tools":"yes"}`,
	} {
		got := toolPicture
		if err := json.Unmarshal([]byte(bad), &got); err == nil || !reflect.DeepEqual(got, toolPicture) {
			t.Errorf("%s gave %+v, %v", bad, got, err)
		}
	}
	if _, err := json.Marshal(providers.Requirements{Vision: 9}); err == nil {
		t.Error("a need that is none was written")
	}
}

// G18: a run without pictures works with a text model as before.
func TestG18_TextModelWithoutPictures(t *testing.T) {
	t.Parallel()
	p := withFallbacks(0)
	p.Configurations["main"] = fixed("blind")
	h := newHouse(p)
	req := providertest.VisionRequest(t)
	req.Messages = req.Messages[:2]
	if _, r, err := h.Complete(t.Context(), "main", req, providers.Requirements{Tools: true}); err != nil || r.Model != "blind" {
		t.Errorf("%+v %v", r, err)
	}
}

// G19: a type that a wire does not take is refused before anything is sent, and this
// program has no picture of such a type to begin with.
func TestG19_NoOtherTypeIsSentOrDropped(t *testing.T) {
	t.Parallel()
	for vendor := range wires() {
		for _, typ := range []media.Type{"image/gif", "image/webp", "image/avif"} {
			p := withFallbacks(0)
			c := fixed("m")
			c.Vendor = vendor
			p.Configurations["main"] = c
			h := newHouse(p)
			_, _, err := h.Complete(t.Context(), "main", providertest.VisionRequest(t), providers.Requirements{Types: []media.Type{typ}})
			if kind(err) != providers.Unsupported || h.fakes["main"].count() != 0 {
				t.Errorf("%s to %s: %v", typ, vendor, err)
			}
			if _, err := media.NewImage([]byte("GIF89a"), typ, 1, 1); err == nil {
				t.Errorf("a picture of type %s was made", typ)
			}
		}
	}
}

// G20: a real picture of 4 MB is 5.6 MB when it is encoded. It passes where that is taken and
// goes nowhere else, on every wire; what an adapter itself refuses lies no lower.
func TestG20_ALargePictureOnEveryWire(t *testing.T) {
	t.Parallel()
	img := heavy(t, 4_200_000)
	if img.Size() > 5<<20 || img.EncodedLen() <= 5<<20 {
		t.Fatalf("%d bytes, %d encoded: the test needs another picture", img.Size(), img.EncodedLen())
	}
	req := providertest.VisionRequest(t)
	req.Messages[2].Parts = []providers.Part{{Type: providers.ImagePart, Image: img}}
	for vendor, w := range wires() {
		p := withFallbacks(0)
		c := fixed("m")
		c.Vendor = vendor
		p.Configurations["main"] = c
		h := newHouse(p)
		_, _, err := h.Complete(t.Context(), "main", req, providers.VisionAction)
		limit := providers.LimitsOf(c).MaxEncodedBytes
		if refused := limit > 0 && img.EncodedLen() > limit; refused != (kind(err) == providers.TooLarge) || refused != (h.fakes["main"].count() == 0) {
			t.Errorf("%s takes %d: %v after %d requests", vendor, limit, err, h.fakes["main"].count())
		} else if refused {
			continue
		}
		s := providertest.NewFor(t, w.format)
		s.Script(providertest.Text("A boat."))
		c.BaseURL, c.PrivateNetwork, c.TimeoutSeconds = s.URL, true, 20
		adapter, err := w.build("main", c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := adapter.Complete(t.Context(), req); err != nil {
			t.Errorf("%s: passed the gate, and its adapter refused it: %v", vendor, err)
		}
	}
}

// heavy is a PNG of noise with at least n bytes.
func heavy(t *testing.T, n int) *media.Image {
	t.Helper()
	edge := 1
	for edge*edge < n {
		edge += 64
	}
	m := image.NewGray(image.Rect(0, 0, edge, n/edge))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	img, err := media.NewImage(b.Bytes(), media.PNG, edge, n/edge)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func FuzzRequirements(f *testing.F) {
	for _, seed := range []string{`{}`, `{"vision":"declared","types":["image/png"],"largest":1,"images":1}`, `{"vision":"audio"}`, `null`, `{"vision":"","Vision":"declared"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again providers.Requirements
		if json.Unmarshal(data, &r) != nil {
			return
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("read, and not written: %v", err)
		}
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("written, and not read: %v", err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(text, second) {
			t.Fatalf("%s became %s, %v", text, second, err)
		}
	})
}
