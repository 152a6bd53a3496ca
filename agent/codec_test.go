package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

func count(n int64) *int64 { return &n }

var (
	noon  = time.Date(2026, 1, 2, 12, 0, 0, 5e6, time.UTC)
	model = agent.ModelRef{Provider: "p_1", ProviderName: "Local", Model: "m"}
	fault = agent.ProviderError{
		Attempt: "a_1", Category: providers.CategoryRateLimit, Retryable: true, HTTPStatus: 429, API: providers.APIAnthropic,
		RequestID: "req_1", Code: "rate_limit_error", RetryAfterMS: 1500,
	}
)

const (
	annJSON   = `{"user":"ann","name":"Ann"}`
	fileJSON  = `{"id":"f_1","name":"a.png","type":"image/png","size":3,"sha256":"ab"}`
	modelJSON = `{"provider":"p_1","provider_name":"Local","model":"m"}`
	faultJSON = `{"attempt_id":"a_1","category":"rate_limit","retryable":true,"http_status":429,"api":"anthropic","request_id":"req_1","code":"rate_limit_error","retry_after_ms":1500}`
)

var file = agent.Attachment{ID: "f_1", Name: "a.png", Type: "image/png", Size: 3, Hash: "ab"}

// pins hold the stored form of every kind. Stored bytes are an interface: what
// is written here was written to disks, so it is never edited, only added to.
var pins = []struct {
	event agent.Event
	json  string
}{
	{agent.ConversationCreated{Owner: "ann", Agent: "g_1", AgentName: "Assistant", Model: model}, `{"owner":"ann","agent":"g_1","agent_name":"Assistant","model":` + modelJSON + `}`},
	{agent.ConversationTitled{Title: "Milk"}, `{"title":"Milk"}`},
	{agent.ConversationArchived{}, `{}`},
	{agent.ConversationUnarchived{}, `{}`},
	{
		agent.QuestionAsked{Interaction: "i_1", Call: "t_1", ExpiresAt: noon, Questions: []agent.Question{{
			Header: "Branch", Question: "Which?", MultiSelect: true, Options: []agent.Option{{Label: "A", Description: "a"}},
		}}},
		`{"interaction_id":"i_1","call_id":"t_1","questions":[{"header":"Branch","question":"Which?","multi_select":true,"options":[{"label":"A","description":"a"}]}],"expires_at":"2026-01-02T12:00:00.005Z"}`,
	},
	{
		agent.QuestionAnswered{Interaction: "i_1", Call: "t_1", Answers: []agent.Answer{{Selected: []string{"A"}}, {Text: "mine"}, {}}, By: ann},
		`{"interaction_id":"i_1","call_id":"t_1","answers":[{"selected":["A"]},{"text":"mine"},{}],"by":` + annJSON + `}`,
	},
	{
		agent.QuestionAnswered{Interaction: "i_1", Call: "t_1", Message: "m_1", Text: "Both", By: ann},
		`{"interaction_id":"i_1","call_id":"t_1","message_id":"m_1","text":"Both","by":` + annJSON + `}`,
	},
	{
		agent.GrantCreated{Grant: "n_1", Tool: "notes_write", Title: "Write a note", Definition: "d", By: ann},
		`{"grant_id":"n_1","tool":"notes_write","title":"Write a note","definition":"d","by":` + annJSON + `}`,
	},
	{agent.GrantRevoked{Grant: "n_1", By: ann}, `{"grant_id":"n_1","by":` + annJSON + `}`},
	{agent.ReviewStarted{Attempt: "a_1", Call: "t_1", Reviewer: model}, `{"attempt_id":"a_1","call_id":"t_1","reviewer":` + modelJSON + `}`},
	{agent.BypassStarted{By: ann}, `{"by":` + annJSON + `}`},
	{agent.BypassEnded{By: ann}, `{"by":` + annJSON + `}`},
	{
		agent.OutputWithheld{Attempt: "a_1", Guardrail: "No prices", How: agent.GuardrailPattern, Subject: agent.SubjectAnswer},
		`{"attempt_id":"a_1","guardrail":"No prices","how":"pattern","subject":"answer"}`,
	},
	{
		agent.OutputWithheld{Attempt: "a_1", Guardrail: "Hook", How: agent.GuardrailWebhook, Failed: true, Signed: true},
		`{"attempt_id":"a_1","guardrail":"Hook","how":"webhook","failed":true,"signed":true}`,
	},
	{
		agent.SafetyRequested{Interaction: "i_1", Cause: agent.SafetyBlocked, Withheld: &agent.OutputWithheld{Attempt: "a_1", Guardrail: "No prices", How: agent.GuardrailPattern}, Times: 2},
		`{"interaction_id":"i_1","cause":"output_blocked","withheld":{"attempt_id":"a_1","guardrail":"No prices","how":"pattern"},"times":2}`,
	},
	{
		agent.SafetyRequested{Interaction: "i_1", Cause: agent.SafetyLoop, Times: 6, Call: "t_1"},
		`{"interaction_id":"i_1","cause":"loop","times":6,"call_id":"t_1"}`,
	},
	{
		agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "notes_write", Arguments: "{}", Rewritten: "No prices"},
		`{"call_id":"t_1","attempt_id":"a_1","tool":"notes_write","arguments":"{}","rewritten":"No prices"}`,
	},
	{agent.SafetyAnswered{Interaction: "i_1", Answer: agent.SafetyContinue, By: ann}, `{"interaction_id":"i_1","answer":"continue","by":` + annJSON + `}`},
	{agent.Rewound{To: 7}, `{"to_seq":7}`},

	{agent.UserMessage{Message: "m_1", Text: "Hi", Author: ann}, `{"message_id":"m_1","text":"Hi","author":` + annJSON + `}`},
	{
		agent.MessageQueued{Message: "m_1", Text: "Hi", Author: ann, Output: agent.OutputOptions{Reasoning: true, BufferAttempts: true}},
		`{"message_id":"m_1","text":"Hi","author":` + annJSON + `,"output":{"reasoning":true,"buffer_attempts":true}}`,
	},
	{
		agent.UserMessage{Message: "m_1", Author: ann, Attachments: []agent.Attachment{file}},
		`{"message_id":"m_1","text":"","author":` + annJSON + `,"attachments":[` + fileJSON + `]}`,
	},
	{
		agent.MessageQueued{Message: "m_1", Author: ann, Attachments: []agent.Attachment{file}},
		`{"message_id":"m_1","text":"","author":` + annJSON + `,"output":{"reasoning":false,"buffer_attempts":false},"attachments":[` + fileJSON + `]}`,
	},
	{agent.QueuedMessageEdited{Message: "m_1", Text: "Ho"}, `{"message_id":"m_1","text":"Ho"}`},
	{agent.QueuedMessageRemoved{Message: "m_1"}, `{"message_id":"m_1"}`},
	{
		agent.AssistantMessage{Attempt: "a_1", Text: "Yes", Reasoning: "Hm", Refusal: "No", Finish: providers.FinishLength},
		`{"attempt_id":"a_1","text":"Yes","reasoning":"Hm","refusal":"No","finish":"length"}`,
	},
	{agent.AssistantMessage{Attempt: "a_1", Finish: providers.FinishToolCalls}, `{"attempt_id":"a_1","text":"","finish":"tool_calls"}`},

	{
		agent.RunCreated{Message: "m_1", AgentName: "Assistant", Model: model},
		`{"message_id":"m_1","agent_name":"Assistant","model":` + modelJSON + `,"output":{"reasoning":false,"buffer_attempts":false}}`,
	},
	{agent.RunStarted{Epoch: 2, Boot: "b_1", Reclaimed: true}, `{"epoch":2,"boot":"b_1","reclaimed":true}`},
	{
		agent.HistoryCopied{From: "c_1", Title: "T", Messages: []agent.CopiedMessage{{Person: "Ann", Text: "a", At: noon}, {Agent: "Assistant", Text: "b", At: noon}}, Omitted: 2},
		`{"from":"c_1","title":"T","messages":[{"person":"Ann","text":"a","at":"2026-01-02T12:00:00.005Z"},{"agent":"Assistant","text":"b","at":"2026-01-02T12:00:00.005Z"}],"omitted":2}`,
	},
	{agent.RunStarted{Epoch: 1, Boot: "b_1"}, `{"epoch":1,"boot":"b_1"}`},
	{agent.RunWaiting{For: agent.StatusWaitingApproval}, `{"for":"waiting_approval"}`},
	{agent.RunResumed{Reason: "decided"}, `{"reason":"decided"}`},
	{agent.RunFinished{Status: agent.StatusSucceeded, Answer: "a_1", StopReason: "length"}, `{"status":"succeeded","answer":"a_1","stop_reason":"length"}`},
	{
		agent.RunFinished{Status: agent.StatusFailed, Failure: &agent.Failure{Code: agent.FailProvider, Provider: &fault}},
		`{"status":"failed","failure":{"code":"provider_error","provider_error":` + faultJSON + `}}`,
	},
	{agent.RunFinished{Status: agent.StatusCancelled, By: &ann}, `{"status":"cancelled","by":` + annJSON + `}`},

	{agent.ModelAttemptStarted{Attempt: "a_1", Step: 1, Number: 2, Of: 3}, `{"attempt_id":"a_1","step":1,"number":2,"of":3}`},
	{agent.ModelAttemptFinished{Attempt: "a_1", Outcome: agent.AttemptInterrupted, DurationMS: 12}, `{"attempt_id":"a_1","outcome":"interrupted","duration_ms":12}`},
	{fault, faultJSON},
	{agent.ProviderError{Attempt: "a_1", Category: providers.CategoryNetwork}, `{"attempt_id":"a_1","category":"network","retryable":false}`},
	{
		agent.RetryScheduled{Attempt: "a_1", Number: 2, Of: 3, DelayMS: 500, At: noon},
		`{"attempt_id":"a_1","number":2,"of":3,"delay_ms":500,"at":"2026-01-02T12:00:00.005Z"}`,
	},
	{agent.ReasoningDisplayLimited{Attempt: "a_1"}, `{"attempt_id":"a_1"}`},
	{
		agent.ModelUsage{
			Attempt: "a_1", Model: agent.ModelRef{Provider: "p_1", ProviderName: "Local", Model: "m"},
			Usage: providers.Usage{InputTotal: count(9), CacheRead: count(0), Output: count(3)}, CostNanoUSD: count(1500),
		},
		`{"attempt_id":"a_1","model":{"provider":"p_1","provider_name":"Local","model":"m"},"input_total":9,"cache_read":0,"cache_write":null,"output":3,"reasoning":null,"cost_nano_usd":1500}`,
	},

	{
		agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "save", Title: "Save", Connector: "k_1", Arguments: `{"n" : 1}`, Definition: "d", ReadOnly: true},
		`{"call_id":"t_1","attempt_id":"a_1","tool":"save","title":"Save","connector":"k_1","arguments":"{\"n\" : 1}","definition":"d","read_only":true}`,
	},
	{
		agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "mcp__Shop__save_1", Connector: "Shop", Original: "save.1", ReadOnly: true, Repeat: true, Dangerous: true},
		`{"call_id":"t_1","attempt_id":"a_1","tool":"mcp__Shop__save_1","connector":"Shop","original":"save.1","arguments":"","read_only":true,"repeat":true,"dangerous":true}`,
	},
	{agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "save"}, `{"call_id":"t_1","attempt_id":"a_1","tool":"save","arguments":""}`},
	{agent.ToolCallStarted{Call: "t_1", Binding: "b", Again: true}, `{"call_id":"t_1","binding":"b","again":true}`},
	{agent.ToolCallFinished{Call: "t_1", Outcome: agent.CallNotStarted, Result: "No.", DurationMS: 5}, `{"call_id":"t_1","outcome":"aborted_before_dispatch","result":"No.","duration_ms":5}`},

	{
		agent.ApprovalRequested{Interaction: "i_1", Calls: []agent.BoundCall{{Call: "t_1", Binding: "b"}}, ExpiresAt: noon},
		`{"interaction_id":"i_1","calls":[{"call_id":"t_1","binding":"b"}],"expires_at":"2026-01-02T12:00:00.005Z"}`,
	},
	{
		agent.ApprovalDecision{Interaction: "i_1", Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictDeny, Origin: agent.OriginHuman, Reason: "No.", By: ann},
		`{"interaction_id":"i_1","call_id":"t_1","tool":"save","binding":"b","verdict":"deny","origin":"human","reason":"No.","by":` + annJSON + `}`,
	},
	{
		agent.ApprovalDecision{Interaction: "i_1", Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictAllow, Origin: agent.OriginHuman, By: ann, Arguments: `{"n": 2}`},
		`{"interaction_id":"i_1","call_id":"t_1","tool":"save","binding":"b","verdict":"allow","origin":"human","by":` + annJSON + `,"arguments":"{\"n\": 2}"}`,
	},
	{
		agent.ApprovalDecision{Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictDeny, Origin: agent.OriginHardPolicy},
		`{"call_id":"t_1","tool":"save","binding":"b","verdict":"deny","origin":"hard_policy","by":{}}`,
	},
	{
		agent.ApprovalDecision{Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictAllow, Origin: agent.OriginGrant, By: ann, Grant: "n_1", GrantedAt: noon},
		`{"call_id":"t_1","tool":"save","binding":"b","verdict":"allow","origin":"session_grant","by":` + annJSON + `,"grant_id":"n_1","granted_at":"2026-01-02T12:00:00.005Z"}`,
	},
	{
		agent.ApprovalRequested{Interaction: "i_1", Calls: []agent.BoundCall{{Call: "t_1", Binding: "b", Rule: "Big orders"}}, ExpiresAt: noon},
		`{"interaction_id":"i_1","calls":[{"call_id":"t_1","binding":"b","rule":"Big orders"}],"expires_at":"2026-01-02T12:00:00.005Z"}`,
	},
	{
		agent.ApprovalDecision{Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictAllow, Origin: agent.OriginApplicationPolicy, Rule: "Small orders"},
		`{"call_id":"t_1","tool":"save","binding":"b","verdict":"allow","origin":"application_policy","by":{},"rule":"Small orders"}`,
	},
	{
		agent.ApprovalDecision{Call: "t_1", Tool: "save", Binding: "b", Verdict: agent.VerdictUnsure, Origin: agent.OriginReviewer, Reviewer: &model, Fault: agent.ReviewTimeout},
		`{"call_id":"t_1","tool":"save","binding":"b","verdict":"unsure","origin":"reviewer","by":{},"reviewer":` + modelJSON + `,"fault":"timeout"}`,
	},
	{agent.ReconcileRequested{Interaction: "i_1", Call: "t_1"}, `{"interaction_id":"i_1","call_id":"t_1"}`},
	{agent.ReconcileRequested{Interaction: "i_1", Call: "t_1", Lost: true}, `{"interaction_id":"i_1","call_id":"t_1","lost":true}`},
	{
		agent.ReconcileAnswered{Interaction: "i_1", Call: "t_1", Answer: agent.ReconcileRunAgain, Note: "Look.", By: ann},
		`{"interaction_id":"i_1","call_id":"t_1","answer":"run_again","note":"Look.","by":` + annJSON + `}`,
	},
	{agent.InteractionClosed{Interaction: "i_1", How: agent.ClosedWithdrawn}, `{"interaction_id":"i_1","how":"withdrawn"}`},
}

func TestEvents_StoredForm(t *testing.T) {
	t.Parallel()
	pinned := map[agent.Kind]bool{}
	for _, pin := range pins {
		kind := pin.event.Kind()
		pinned[kind] = true
		data, err := agent.EncodeEvent(pin.event)
		if err != nil || string(data) != pin.json {
			t.Errorf("%s is stored as %s (%v), want %s", kind, data, err, pin.json)
		}
		back, err := agent.DecodeEvent(kind, []byte(pin.json))
		if err != nil {
			t.Errorf("read %s: %v", kind, err)
		}
		if diff := cmp.Diff(pin.event, back); diff != "" {
			t.Errorf("%s is read as (-want +got):\n%s", kind, diff)
		}
	}
	for _, kind := range agent.Kinds() {
		if !pinned[kind] {
			t.Errorf("no stored form of %s is pinned", kind)
		}
	}
}

// The names that programs and earlier journals know.
func TestEvents_Names(t *testing.T) {
	t.Parallel()
	want := []agent.Kind{
		"approval_decision", "approval_requested", "assistant_message",
		"bypass_ended", "bypass_started", "conversation_archived", "conversation_created", "conversation_titled", "conversation_unarchived",
		"grant_created", "grant_revoked", "history_copied",
		"interaction_closed", "message_queued", "model_attempt_finished", "model_attempt_started", "model_usage", "output_withheld",
		"provider_error", "question_answered", "question_asked", "queued_message_edited", "queued_message_removed", "reasoning_display_limited",
		"reconcile_answered", "reconcile_requested", "retry_scheduled", "review_started", "rewound", "run_created", "run_finished",
		"run_resumed", "run_started", "run_waiting", "safety_answered", "safety_requested", "tool_call_finished", "tool_call_requested", "tool_call_started",
		"user_message",
	}
	got := agent.Kinds()
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeEvent_OfANewerProgram(t *testing.T) {
	t.Parallel()
	const raw = `{"b":1, "a":[2],"n":1.0}`
	e, err := agent.DecodeEvent("compaction_started", []byte(raw))
	if err != nil || e.Kind() != "compaction_started" {
		t.Fatalf("an unknown kind is read as %v, %v", e, err)
	}
	if data, err := agent.EncodeEvent(e); err != nil || string(data) != raw {
		t.Errorf("its bytes came back as %s, %v", data, err)
	}
	e, err = agent.DecodeEvent("conversation_titled", []byte(`{"title":"Milk","colour":"blue"}`))
	if diff := cmp.Diff(agent.ConversationTitled{Title: "Milk"}, e); diff != "" || err != nil {
		t.Errorf("an unknown field: %v %s", err, diff)
	}
	// Nothing that a fold does with it may fail.
	var head agent.Head
	var timeline agent.Timeline
	var history agent.History
	var output agent.AttemptOutput
	var run agent.RunState
	unknown, _ := agent.DecodeEvent("compaction_started", []byte(raw))
	r := agent.Record{Conversation: "c", Seq: 1, Run: "r", Event: unknown}
	head.Apply(r)
	timeline.Apply(r)
	history.Apply(r)
	output.Apply(r)
	run.Apply(r)
	if head.Seq != 1 || timeline.Seq != 1 || len(timeline.Take()) != 0 || run.Status != agent.StatusNone {
		t.Errorf("an unknown event left head %d, timeline %d, run %q", head.Seq, timeline.Seq, run.Status)
	}
}

func TestDecodeEvent_Damaged(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{`, `[]`, `"x"`, `{"epoch":"two"}`} {
		if e, err := agent.DecodeEvent("run_started", []byte(data)); err == nil {
			t.Errorf("%q was read as %+v", data, e)
		}
	}
}
