package agenttest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/agent/journaltest"
	"countersign/providers"
)

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"no comment":      "-- script --\n-- drive --\n",
		"unknown section": "Shows.\n-- script --\n-- drive --\n-- jurnal --\n",
		"twice":           "Shows.\n-- script --\n-- drive --\n-- drive --\n",
		"no script":       "Shows.\n-- drive --\n",
		"no drive":        "Shows.\n-- script --\n",
	} {
		if s, err := agenttest.Parse([]byte(file)); err == nil {
			t.Errorf("%s: parsed as %+v", name, s)
		}
	}
	const file = "Shows.\n-- tools --\nlook read_only answers \"x\"\n-- script --\n-- drive --\nsend \"x\"\n-- journal --\n+0s\n-- timeline --\n# end\n"
	s, err := agenttest.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, string(s.Format())); diff != "" {
		t.Errorf("a file is written back as (-want +got):\n%s", diff)
	}
}

func TestParseTools_Refuses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`look`, `look reading answers "x"`, `look read_only`, `look read_only answers`, `look read_only answers "a" "b"`,
		`look read_only sleeps "x"`, `ask asks what`, `look read_only takes long "x"`, `look read_only answers "x`,
	} {
		if list, err := agenttest.ParseTools(line); err == nil {
			t.Errorf("%s: parsed as %+v", line, list)
		}
	}
}

func TestParseOptions_Refuses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`colour blue`, `retries many`, `approval soon`, `question soon`, `model_calls x`, `forbid a b`, `guard`, `guard x y`, `guard x pattern "("`, `guard x pattern "a" all`, `same_calls many`} {
		if o, err := agenttest.ParseOptions(line); err == nil {
			t.Errorf("%s: parsed as %+v", line, o)
		}
	}
}

// A recorder is a test that may fail.
type recorder struct {
	testing.TB
	errors []string
}

type stopped struct{}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stopped{})
}
func (r *recorder) Fatal(args ...any) { r.Error(args...); panic(stopped{}) }
func (r *recorder) Helper()           {}

// complaints returns what is wrong with a scenario.
func complaints(t *testing.T, s agenttest.Scenario) string {
	t.Helper()
	r := &recorder{TB: t}
	synctest.Test(t, func(t *testing.T) {
		r.TB = t
		defer func() {
			if p := recover(); p != nil {
				_ = p.(stopped)
			}
		}()
		agenttest.Play(r, &s)
	})
	return strings.Join(r.errors, "\n")
}

// A harness that forgives proves nothing.
func TestPlay_IsStrict(t *testing.T) {
	t.Parallel()
	const answer = "text \"Hi.\"\nfinish stop\n"
	const tools = "save writing answers \"Saved.\"\n"
	const call = "call call_1 save {}\nfinish tool_calls\n"
	for name, c := range map[string]struct {
		scenario agenttest.Scenario
		says     string
	}{
		"a script left unread":        {agenttest.Scenario{Script: answer + "---\n" + answer, Drive: `send "Hi."`}, "nobody asked for 1"},
		"an unexpected request":       {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\nsend \"Ho.\""}, "unexpected"},
		"an expectation":              {agenttest.Scenario{Script: "expect user \"Ho\"\n" + answer, Drive: `send "Hi."`}, "expects"},
		"an unknown verb":             {agenttest.Scenario{Script: answer, Drive: `sing "Hi."`}, "no such verb"},
		"an error nobody expects":     {agenttest.Scenario{Script: answer, Drive: `send " "`}, `want ""`},
		"an error that does not come": {agenttest.Scenario{Script: answer, Drive: `send "Hi." -> not_found`}, `want "not_found"`},
		"a status that never comes":   {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\nwait failed"}, "succeeded"},
		"an unknown status":           {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\nwait done"}, "no status"},
		"an unknown event":            {agenttest.Scenario{Script: answer, Drive: "kill after lunch"}, "no event"},
		"an unknown gate":             {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\nrelease it"}, "no gate"},
		"a start while it runs":       {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\nstart"}, "runs"},
		"an approval of nothing":      {agenttest.Scenario{Script: answer, Drive: "send \"Hi.\"\napprove"}, "not_found"},
		"an unreadable script":        {agenttest.Scenario{Script: "say it", Drive: `send "Hi."`}, "script"},
		"an unreadable tool":          {agenttest.Scenario{Script: answer, Tools: "x", Drive: `send "Hi."`}, "read_only or writing"},
		"an unknown option":           {agenttest.Scenario{Script: answer, Options: "x", Drive: `send "Hi."`}, "option"},
		"a leak":                      {agenttest.Scenario{Script: "text \"a SECRET\"\nfinish stop\n", Drive: `send "Hi."`}, "the journal has what is withheld"},
		"a run left waiting is fine":  {agenttest.Scenario{Script: call, Tools: tools, Drive: `send "Hi."`}, ""},
	} {
		got := complaints(t, c.scenario)
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: complained %q, want %q", name, got, c.says)
		}
	}
}

// What Check and CheckRequests are for.
func TestCheck_Finds(t *testing.T) {
	t.Parallel()
	const run = "r_1"
	opening := []agent.Event{
		agent.ConversationCreated{}, agent.UserMessage{}, agent.RunCreated{}, agent.RunStarted{Epoch: 1}, agent.ModelAttemptStarted{Attempt: "a"},
		agent.ModelAttemptFinished{Attempt: "a"}, agent.AssistantMessage{Attempt: "a"}, agent.ToolCallRequested{Call: "t"},
	}
	allow := agent.ApprovalDecision{Call: "t", Binding: "b", Verdict: agent.VerdictAllow}
	granted := allow
	granted.Origin, granted.Grant = agent.OriginGrant, "n"
	start := agent.ToolCallStarted{Call: "t", Binding: "b"}
	again := agent.ToolCallStarted{Call: "t", Binding: "b", Again: true}
	result := agent.ToolCallFinished{Call: "t"}
	end := agent.RunFinished{Status: agent.StatusSucceeded}
	for name, c := range map[string]struct {
		events []agent.Event
		says   string
	}{
		"nothing":              {[]agent.Event{allow, start, result, end}, ""},
		"no result":            {[]agent.Event{end}, "no result"},
		"two results":          {[]agent.Event{result, result}, "second result"},
		"no leave":             {[]agent.Event{start}, "allowed was"},
		"leave withdrawn":      {[]agent.Event{allow, agent.ApprovalDecision{Call: "t", Verdict: agent.VerdictDeny}, start}, "allowed was"},
		"other bytes":          {[]agent.Event{allow, agent.ToolCallStarted{Call: "t", Binding: "c"}}, "allowed was"},
		"twice":                {[]agent.Event{allow, start, start}, "was started 1 times"},
		"again without a word": {[]agent.Event{allow, start, again}, "nobody said so"},
		"after its result":     {[]agent.Event{allow, start, result, again}, "finished 1 times"},
		"an open attempt":      {[]agent.Event{result, agent.ModelAttemptStarted{Attempt: "z"}, end}, "z is left open"},
		"an open card":         {[]agent.Event{result, agent.ApprovalRequested{Interaction: "i"}, end}, "i is left open"},
		"an open question":     {[]agent.Event{result, agent.QuestionAsked{Interaction: "i", Call: "t"}, end}, "i is left open"},
		"an open safety card":  {[]agent.Event{result, agent.SafetyRequested{Interaction: "i"}, end}, "i is left open"},
		"an open outcome":      {[]agent.Event{result, agent.ReconcileRequested{Interaction: "i", Call: "t"}, end}, "i is left open"},
		"closed twice":         {[]agent.Event{agent.InteractionClosed{Interaction: "i"}}, "i is not open"},
		"a grant":              {[]agent.Event{agent.GrantCreated{Grant: "n"}, granted, start, result, end}, ""},
		"no grant":             {[]agent.Event{granted}, "no grant allows t"},
		"a revoked grant":      {[]agent.Event{agent.GrantCreated{Grant: "n"}, agent.GrantRevoked{Grant: "n"}, granted}, "no grant allows t"},
		"a rewound grant":      {[]agent.Event{agent.GrantCreated{Grant: "n"}, agent.Rewound{To: 1}, granted}, "no grant allows t"},
		"a grant of another":   {[]agent.Event{agent.GrantCreated{Grant: "n", Tool: "x"}, granted}, "no grant allows t"},
		"an old epoch":         {[]agent.Event{agent.RunStarted{Epoch: 1}}, "epoch 1 follows 1"},
	} {
		m := journaltest.NewMemory()
		var entries []agent.Entry
		for _, e := range append(opening[:len(opening):len(opening)], c.events...) {
			entries = append(entries, agent.Entry{Run: run, Event: e})
		}
		if _, err := m.Append(t.Context(), agent.Batch{Conversation: "c", At: time.Unix(0, 0), Entries: entries}); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		agenttest.Check(r, m, "c")
		got := strings.Join(r.errors, "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: found %q, want %q", name, got, c.says)
		}
	}
}

func TestCheckRequests_Finds(t *testing.T) {
	t.Parallel()
	calls := func(ids ...string) providers.AssistantMessage {
		m := providers.AssistantMessage{Text: "Well."}
		for _, id := range ids {
			m.Calls = append(m.Calls, providers.ToolCall{ID: id})
		}
		return m
	}
	user := providers.UserMessage{Text: "Hi."}
	for name, c := range map[string]struct {
		messages []providers.Message
		says     string
	}{
		"nothing":           {[]providers.Message{user, calls("1", "2"), providers.ToolResult{CallID: "1"}, providers.ToolResult{CallID: "2"}, user}, ""},
		"no result":         {[]providers.Message{user, calls("1")}, "without a result"},
		"a message between": {[]providers.Message{user, calls("1"), user, providers.ToolResult{CallID: "1"}}, "without a result"},
		"an answer between": {[]providers.Message{user, calls("1"), calls(), providers.ToolResult{CallID: "1"}}, "without a result"},
		"another order":     {[]providers.Message{user, calls("1", "2"), providers.ToolResult{CallID: "2"}, providers.ToolResult{CallID: "1"}}, "result of 2"},
		"a stray result":    {[]providers.Message{user, providers.ToolResult{CallID: "1"}}, "result of 1"},
		"withdrawn text":    {[]providers.Message{user, providers.AssistantMessage{Text: "It was a draft, well."}}, "was withdrawn"},
	} {
		r := &recorder{TB: t}
		agenttest.CheckRequests(r, []providers.Request{{Messages: c.messages}}, []agent.Output{
			{Attempt: "a", Segments: []agent.Segment{{Text: "Well."}}},
			{Attempt: "b", Withdrawn: true, Segments: []agent.Segment{{Text: "a draft"}}},
		})
		got := strings.Join(r.errors, "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: found %q, want %q", name, got, c.says)
		}
	}
}
