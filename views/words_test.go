package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"countersign/agent"
	"countersign/providers"
)

// constants returns the values of the string constants of a type in a source
// file, so that a new one can't be forgotten here.
func constants(t *testing.T, file, typeName, prefix string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		kind, _ := spec.Type.(*ast.Ident)
		if typeName != "" && (kind == nil || kind.Name != typeName) || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constants of %s%s", file, typeName, prefix)
	}
	return values
}

func complete(t *testing.T, name string, w words, next bool) {
	t.Helper()
	if w.title == "" || w.what == "" || next && w.next == "" {
		t.Errorf("%s: words are missing: %+v", name, w)
	}
	plainSentences(t, name, w.what, w.next)
	if strings.HasSuffix(w.title, ".") || strings.Contains(w.title, "%s") {
		t.Errorf("%s: the title %q", name, w.title)
	}
}

func plainSentences(t *testing.T, name string, list ...string) {
	t.Helper()
	for _, s := range list {
		if s != "" && !strings.HasSuffix(s, ".") || strings.Contains(s, "!") || strings.Contains(s, "%s") {
			t.Errorf("%s: %q is not a plain sentence", name, s)
		}
	}
}

func TestEveryEndHasWords(t *testing.T) {
	t.Parallel()
	for _, code := range constants(t, "../agent/event_run.go", "", "Fail") {
		complete(t, code, failureWords[code], false)
	}
	for _, reason := range constants(t, "../providers/event.go", "FinishReason", "Finish") {
		if !providers.FinishReason(reason).Complete() {
			complete(t, reason, stopWords[reason], true)
		}
	}
	complete(t, "turn_limit", stopWords["turn_limit"], true)
	complete(t, "unknown", noticeWords(&agent.NoticeItem{Status: agent.StatusSucceeded, StopReason: "new"}, ""), true)
	complete(t, "unknown", noticeWords(&agent.NoticeItem{Status: agent.StatusFailed, Failure: &agent.Failure{Code: "new"}}, ""), false)
}

func TestEveryStatusHasWords(t *testing.T) {
	t.Parallel()
	for _, s := range agent.Statuses {
		if statusWords(s) == "" {
			t.Errorf("no words for the status %q", s)
		}
		if s.Terminal() && Announcement(&agent.RunItem{Status: s}) == "" {
			t.Errorf("nothing is announced for the status %q", s)
		}
	}
}

func TestEveryOriginHasWords(t *testing.T) {
	t.Parallel()
	for _, o := range constants(t, "../agent/event_interaction.go", "Origin", "Origin") {
		if got := originWords(agent.Origin(o)); got == originWords("") {
			t.Errorf("no words for the origin %q", o)
		}
	}
}

func TestEveryCallOutcomeHasWords(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, o := range constants(t, "../agent/event_tool.go", "CallOutcome", "Call") {
		words := callWords(&agent.CallItem{State: agent.CallFinished, Outcome: agent.CallOutcome(o)})
		if seen[words] {
			t.Errorf("%q says %q, as another outcome does", o, words)
		}
		seen[words] = true
	}
}

func TestWhyNoOtherAttemptFollows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number, of int
		retryable  bool
		want       string
	}{
		{1, 1, true, "Countersign does not try again by itself."},
		{3, 3, true, "That was the last of 3 attempts."},
		{1, 3, true, "Countersign does not try again by itself."},
		{3, 3, false, "Trying again by itself would not help, so Countersign stopped."},
	} {
		i := &agent.AttemptItem{Number: c.number, Of: c.of, Error: &agent.ProviderError{Retryable: c.retryable}}
		if got := triedWords(i); got != c.want {
			t.Errorf("attempt %d of %d: got %q, want %q", c.number, c.of, got, c.want)
		}
	}
}

func TestFailedAttemptsAreToldInSentences(t *testing.T) {
	t.Parallel()
	i := &agent.AttemptItem{Number: 1, Outcome: agent.AttemptFailed, Took: 2 * time.Millisecond}
	if got, want := withdrawnWords(i), "Attempt 1 failed after less than 0.1 s; nothing of it is kept."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// No sample has a space before a comma, as elements that stand side by side
// can make one, and a question's hint stands apart from it.
func TestSpacesBetweenElements(t *testing.T) {
	t.Parallel()
	for _, s := range Samples() {
		var b strings.Builder
		if err := s.HTML.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		heard := false // the text is for assistive technology
		for z := html.NewTokenizer(strings.NewReader(b.String())); z.Next() != html.ErrorToken; {
			tok := z.Token()
			if tok.Type == html.TextToken && !heard {
				text.WriteString(tok.Data)
			}
			heard = tok.Type == html.StartTagToken && slices.Contains(tok.Attr, html.Attribute{Key: "class", Val: "sr"})
		}
		for _, wrong := range []string{" ,", " .", "?Choose"} {
			if strings.Contains(text.String(), wrong) {
				t.Errorf("%s %s has %q", s.Component, s.State, wrong)
			}
		}
	}
}

// Suggestions are scripted, so they are not shown to somebody whose messages
// go to a model.
func TestSuggestionsAreForThePracticeProvider(t *testing.T) {
	t.Parallel()
	models := []Option{{Value: "real", Label: "Real"}, {Value: "practice", Label: "Practice"}}
	for _, c := range []struct {
		name   string
		models []Option
		chosen string
		want   bool
	}{
		{"another is chosen", models, "real", false},
		{"another comes first", models, "", false},
		{"it is chosen", models, "practice", true},
		{"it is the only one", models[1:], "", true},
	} {
		var b strings.Builder
		p := NewConversationProps{Composer: ComposerProps{Models: c.models, Model: c.chosen}, Suggestions: []Suggestion{{"Label", "Try this."}}, SuggestionModel: "practice"}
		if err := NewConversation(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"Try this.", "Scripted examples, played by the practice provider"} {
			if got := strings.Contains(b.String(), text); got != c.want {
				t.Errorf("%s: %q is shown: %v, want %v", c.name, text, got, c.want)
			}
		}
	}
}
