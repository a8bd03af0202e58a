package suspend_test

import (
	"encoding/json"
	"testing"

	"editor-actions/internal/suspend"
)

func TestP9_TheDigestCoversEveryByteAndTheOrder(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) suspend.PendingCall {
		return suspend.PendingCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	a, b := call("1", "set", `{"uid":7}`), call("2", "set", `{"uid":8}`)
	seen := map[string]string{}
	for name, d := range map[string]string{
		"one call":                suspend.Digest([]suspend.PendingCall{a}, 0),
		"drawn anew":              suspend.Digest([]suspend.PendingCall{a}, 1),
		"two calls":               suspend.Digest([]suspend.PendingCall{a, b}, 0),
		"two calls, other order":  suspend.Digest([]suspend.PendingCall{b, a}, 0),
		"other id":                suspend.Digest([]suspend.PendingCall{call("3", "set", `{"uid":7}`)}, 0),
		"other name":              suspend.Digest([]suspend.PendingCall{call("1", "sets", `{"uid":7}`)}, 0),
		"same JSON, other bytes":  suspend.Digest([]suspend.PendingCall{call("1", "set", `{"uid": 7}`)}, 0),
		"same number, other form": suspend.Digest([]suspend.PendingCall{call("1", "set", `{"uid":7.0}`)}, 0),
		"moved boundary":          suspend.Digest([]suspend.PendingCall{call("1s", "et", `{"uid":7}`)}, 0),
		"moved boundary at end":   suspend.Digest([]suspend.PendingCall{call("1", "set{", `"uid":7}`)}, 0),
		"nothing":                 suspend.Digest(nil, 0),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		if len(d) != 64 {
			t.Errorf("%s: %q", name, d)
		}
		seen[d] = name
	}
	// Stored digests must stay valid over releases.
	const want = "00822c87e44fa2e98f33314b4e526a16493fd21bd3d5ed6a2489bc25e26f8c5f"
	if got := suspend.Digest([]suspend.PendingCall{a, b}, 2); got != want {
		t.Errorf("got %s", got)
	}
}
