package views

import (
	"slices"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/providers"
)

// wantFault requires that a fault says what happened and what to do, to both
// readers, in plain sentences that name the provider at most once.
func wantFault(t *testing.T, name string, f Fault) {
	t.Helper()
	if f.Title == "" || f.What == "" || f.Next == "" || f.Mend == "" {
		t.Errorf("%s: words are missing: %+v", name, f)
	}
	plainSentences(t, name, f.What, f.Next, f.Mend)
	if strings.HasSuffix(f.Title, ".") || strings.Contains(f.Title, "%s") || strings.Count(f.Title, "Workshop") > 1 {
		t.Errorf("%s: the title %q", name, f.Title)
	}
	if strings.Contains(f.Mend, "administrator") {
		t.Errorf("%s: %q sends an admin to an admin", name, f.Mend)
	}
}

func TestEveryCategoryHasWords(t *testing.T) {
	t.Parallel()
	list := constants(t, "../providers/error.go", "Category", "Category")
	for _, c := range list {
		if _, ok := categoryWords[c]; !ok {
			t.Errorf("no words for the category %s", c)
		}
		wantFault(t, c, FaultOf(agent.ProviderError{Category: providers.Category(c)}, "Workshop"))
	}
	if len(categoryWords) != len(list) {
		t.Errorf("words for %d categories, there are %d", len(categoryWords), len(list))
	}
	wantFault(t, "unknown", FaultOf(agent.ProviderError{Category: "new"}, "Workshop"))
	if got := FaultOf(agent.ProviderError{Category: "server"}, "").Title; got != "The provider had a fault" {
		t.Errorf("without a name the title is %q", got)
	}
}

// Every code of ours says more than its category; a code of a service is shown
// as a fact, and changes no word.
func TestEveryCodeOfOursHasWords(t *testing.T) {
	t.Parallel()
	list := []string{"provider_removed", "unsupported_api", "unusable_base_url"}
	for _, file := range []string{"../providers/upstream/code.go", "../providers/key.go", "../providers/probe/result.go"} {
		list = append(list, constants(t, file, "", "Code")...)
	}
	for _, code := range list {
		w, ok := codeWords[code]
		if !ok || w.title == "" && w.what == "" {
			t.Errorf("no words for the code %s", code)
		}
		wantFault(t, code, FaultOf(agent.ProviderError{Category: "configuration", Code: code}, "Workshop"))
	}
	for code := range codeWords {
		if !slices.Contains(list, code) {
			t.Errorf("words for the code %s, which nothing has", code)
		}
	}
	plain := FaultOf(agent.ProviderError{Category: "quota"}, "Workshop")
	theirs := FaultOf(agent.ProviderError{Category: "quota", Code: "insufficient_quota"}, "Workshop")
	if theirs.Title != plain.Title || theirs.What != plain.What {
		t.Errorf("a code of the service changes the words: %+v", theirs)
	}
}

// The facts are those of the contract (D2), and what is missing is said to be.
func TestFactsOfAFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    agent.ProviderError
		want string
	}{
		{agent.ProviderError{Category: "overloaded", HTTPStatus: 529, API: "anthropic", Code: "overloaded_error", RequestID: "req_1"},
			"Category overloaded|HTTP 529|API anthropic|Code overloaded_error|Request req_1"},
		{agent.ProviderError{Category: "configuration", Code: "key_needed"}, "Category configuration|Code key_needed"},
		{agent.ProviderError{Category: "network"}, "Category network|HTTP (no response)|Code (none)|Request (not sent by the provider)"},
	} {
		var got []string
		for _, f := range FaultOf(c.e, "Workshop").Facts() {
			if f.Value == "" {
				f.Value = "(" + f.Unknown + ")"
			}
			got = append(got, f.Label+" "+f.Value)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("got %s, want %s", s, c.want)
		}
	}
}
