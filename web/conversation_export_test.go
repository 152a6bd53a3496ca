package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
)

// A person takes their conversation away as a file that no browser takes for a
// page; nobody else does.
func TestExport(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"<b>An answer.</b>\"\nfinish stop", setting{})
	d.send("# A question")
	d.until(agent.StatusSucceeded)
	for query, c := range map[string]struct{ kind, name, text string }{
		"":                 {"application/jsonl; charset=utf-8", "conversation.jsonl", `"text":"<b>An answer.</b>"`},
		"?format=markdown": {"text/markdown; charset=utf-8", "conversation.md", "\n\n<b>An answer.</b>\n"},
	} {
		address := views.ExportURL(d.id) + query
		got := d.s.Admin.Get(address)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, c.text) || !strings.Contains(got.Body, "# A question") {
			t.Errorf("%s: got %d, %q", address, got.Status, got.Body)
		}
		for name, want := range map[string]string{
			"Content-Type": c.kind, "X-Content-Type-Options": "nosniff", "Content-Disposition": `attachment; filename="` + c.name + `"`,
		} {
			if got := got.Header.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", address, name, got, want)
			}
		}
		if got := d.s.Member.Get(address); got.Status != http.StatusNotFound {
			t.Errorf("%s: somebody else: got %d, want 404", address, got.Status)
		}
	}
}
