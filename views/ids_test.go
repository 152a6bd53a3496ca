package views_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/views"
)

// The modules in static/js find elements by ids that the views give out.
func TestScriptsUseKnownIDs(t *testing.T) {
	t.Parallel()
	tree, err := parser.ParseFile(token.NewFileSet(), "ids.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	ast.Inspect(tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			value, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			known[value] = true
		}
		return true
	})
	files, err := filepath.Glob("../static/js/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d modules: %v", len(files), err)
	}
	use := regexp.MustCompile(`getElementById\("([^"]+)"\)`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range use.FindAllStringSubmatch(string(text), -1) {
			if !known[m[1]] {
				t.Errorf("%s looks for %q", f, m[1])
			}
		}
	}
}

// The data attributes that the modules attach themselves to are in the markup.
func TestScriptsAttachToSomething(t *testing.T) {
	t.Parallel()
	var markup strings.Builder
	for _, s := range views.Samples() {
		markup.WriteString(render(t, s.HTML))
	}
	files, err := filepath.Glob("../static/js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	use := regexp.MustCompile(`\[(data-[a-z-]+)`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range use.FindAllStringSubmatch(string(text), -1) {
			// What a module marks an element with by itself is in no markup.
			own := "dataset." + strings.TrimPrefix(m[1], "data-")
			if !strings.Contains(markup.String(), " "+m[1]) && !strings.Contains(string(text), own) {
				t.Errorf("%s attaches to %s, which no component has", f, m[1])
			}
		}
	}
}

func TestAddressesEscapeTheirParts(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		views.ConversationURL("c_1"):     "/c/c_1",
		views.ConversationURL("../?x#"):  "/c/..%2F%3Fx%23",
		views.LiveURL("c_1"):             "/c/c_1/live",
		views.MessagesURL("c_1"):         "/c/c_1/messages",
		views.StopURL("c_1"):             "/c/c_1/stop",
		views.EarlierURL("c_1", 7):       "/c/c_1?before=7",
		views.TitleURL("c_1"):            "/c/c_1/title",
		views.ArchiveURL("c_1"):          "/c/c_1/archive",
		views.DeleteURL("c_1"):           "/c/c_1/delete",
		views.OlderURL(false, "1.c/1"):   "/c?after=1.c%2F1",
		views.OlderURL(true, "&"):        "/c?after=%26&archived=true",
		views.QueuedURL("c_1", "m/1"):    "/c/c_1/queue/m%2F1",
		views.NewWithURL("p_1/m&x"):      "/?model=p_1%2Fm%26x",
		views.QueueURL("c_1"):            "/c/c_1/queue",
		views.AnswerURL("c_1", "a/1"):    "/c/c_1/answers/a%2F1",
		views.ApprovalURL("c_1", "i_1"):  "/c/c_1/approvals/i_1",
		views.ReconcileURL("c_1", "i_1"): "/c/c_1/reconcile/i_1",
		views.SafetyURL("c_1", "i_1"):    "/c/c_1/safety/i_1",
		views.PersonURL("u/1"):           "/settings/people/u%2F1",
		views.PersonAccessURL("u_1"):     "/settings/people/u_1/access",
		views.InvitationURL("v_1"):       "/settings/invitations/v_1",
		views.AcceptURL("A&B"):           "/invite?token=A%26B",
		views.SessionURL("s_1"):          "/account/sessions/s_1",
		views.QuestionURL("c_1", "i/1"):  "/c/c_1/questions/i%2F1",
		views.RevokeURL("c_1", "n_1"):    "/c/c_1/grants/n_1/revoke",
		views.ProviderURL("a b"):         "/settings/providers/a%20b",
		views.ProviderTestURL("p"):       "/settings/providers/p/test",
		views.ProviderDeleteURL("p"):     "/settings/providers/p/delete",
	} {
		if got != want {
			t.Errorf("address %s, want %s", got, want)
		}
	}
}
