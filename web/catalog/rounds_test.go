package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/providertest"
)

// A wire is how one API says what a round consists of, and what of it is
// private. Its private texts hold bytes that careless copying would change.
type wire struct {
	api providers.API
	// call asks for the tool notes_write with arguments, and answer ends. Both
	// hold the private texts of a round.
	call, answer func(round int) string
	// private are the texts that have to come back, as they stand in a request.
	private func(round int) []string
}

const arguments = `{"title":"A","text":"<&> ünï"}`

func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSpace(b.String())
}

func data(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var kind struct{ Type string }
		if json.Unmarshal([]byte(e), &kind) == nil && kind.Type != "" {
			b.WriteString("event: " + kind.Type + "\n")
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

func wires() []wire {
	return []wire{
		{
			api: providers.APIChatCompletions,
			call: func(n int) string {
				return data(
					fmt.Sprintf(`{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"Thought %d. "}}]}`, n),
					fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"notes_write","arguments":%s},"extra_content":{"google":{"thought_signature":"SigCC%d<&>+/=="}}}]}}]}`, n, quote(arguments), n),
					`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
			},
			answer: func(int) string {
				return data(`{"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`, "[DONE]")
			},
			private: func(n int) []string {
				return []string{fmt.Sprintf(`{"google":{"thought_signature":"SigCC%d<&>+/=="}}`, n), fmt.Sprintf(`"reasoning_content":"Thought %d. "`, n)}
			},
		},
		{
			api: providers.APIResponses,
			call: func(n int) string {
				return data(
					fmt.Sprintf(`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_%d","type":"reasoning","summary":[{"type":"summary_text","text":"Thought %d."}],"encrypted_content":"BlobR%d<&>+/=="}}`, n, n, n),
					fmt.Sprintf(`{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_%d","type":"function_call","call_id":"call_%d","name":"notes_write","arguments":%s}}`, n, n, quote(arguments)),
					`{"type":"response.completed","response":{"status":"completed"}}`)
			},
			answer: func(int) string {
				return data(
					`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`,
					`{"type":"response.completed","response":{"status":"completed"}}`)
			},
			private: func(n int) []string {
				return []string{fmt.Sprintf(`{"type":"reasoning","summary":[{"type":"summary_text","text":"Thought %d."}],"encrypted_content":"BlobR%d<&>+/=="}`, n, n)}
			},
		},
		{
			api: providers.APIAnthropic,
			call: func(n int) string {
				return data(
					`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
					fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Thought %d <&>."}}`, n),
					fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SigA%d+/=="}}`, n),
					`{"type":"content_block_stop","index":0}`,
					fmt.Sprintf(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"RedactedA%d+/=="}}`, n),
					`{"type":"content_block_stop","index":1}`,
					fmt.Sprintf(`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_%d","name":"notes_write","input":{}}}`, n),
					fmt.Sprintf(`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":%s}}`, quote(arguments)),
					`{"type":"content_block_stop","index":2}`,
					`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`)
			},
			answer: func(int) string {
				return data(
					`{"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
					`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done."}}`,
					`{"type":"content_block_stop","index":0}`,
					`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`, `{"type":"message_stop"}`)
			},
			private: func(n int) []string {
				return []string{fmt.Sprintf(`"thinking":"Thought %d <&>."`, n), fmt.Sprintf(`"signature":"SigA%d+/=="`, n), fmt.Sprintf(`{"type":"redacted_thinking","data":"RedactedA%d+/=="}`, n)}
			},
		},
	}
}

// A boot is the program on a data directory, from one start to the next.
type boot struct {
	t       *testing.T
	db      *models.DB
	catalog *Catalog
	engine  *agent.Engine
}

func start(t *testing.T, dir string) *boot {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := models.Open(t.Context(), models.Config{Dir: dir, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	b := &boot{t: t, db: db, catalog: New(db, log)}
	b.engine = agent.NewEngine(agent.Config{Journal: db.Journal(), Index: db.Journal(), Catalog: b.catalog, Tools: tools.All(db.Notes())})
	if err := b.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *boot) stop() {
	b.t.Helper()
	if err := b.engine.Shutdown(context.Background()); err != nil {
		b.t.Error(err)
	}
	b.catalog.Close()
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
}

// until waits until the newest run has a status.
func (b *boot) until(id agent.ConversationID, status agent.RunStatus) agent.Head {
	b.t.Helper()
	sub, _ := b.engine.Follow(id)
	defer sub.Close()
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	for {
		h, err := b.db.Journal().Head(ctx, id)
		if err != nil {
			b.t.Fatal(err)
		}
		if h.Run.Status == status {
			return h
		}
		if h.Run.Status.Terminal() {
			b.t.Fatalf("the run is %s, want %s", h.Run.Status, status)
		}
		if _, err := sub.Next(ctx); err != nil {
			b.t.Fatalf("the run is %s, want %s: %v", h.Run.Status, status, err)
		}
	}
}

// approve allows the call that waits.
func (b *boot) approve(id agent.ConversationID, h agent.Head) {
	b.t.Helper()
	ref := agent.RunRef{Conversation: id, Run: h.Run.ID}
	var card *agent.ApprovalRequested
	for r, err := range b.db.Journal().ReadRun(b.t.Context(), id, h.Run.ID) {
		if err != nil {
			b.t.Fatal(err)
		}
		if e, ok := r.Event.(agent.ApprovalRequested); ok {
			card = &e
		}
	}
	verdict := agent.CallDecision{Call: card.Calls[0].Call, Binding: card.Calls[0].Binding, Verdict: agent.VerdictAllow}
	if err := b.engine.Decide(b.t.Context(), ref, card.Interaction, agent.Actor{User: "u_1", Name: "Ann"}, []agent.CallDecision{verdict}); err != nil {
		b.t.Fatal(err)
	}
}

// Two rounds with a tool, each after a restart of the program: what the service
// gave in private goes back byte for byte, beside its own call, and once each.
func TestPrivateStateOverRoundsAndRestarts(t *testing.T) {
	t.Parallel()
	for _, w := range wires() {
		t.Run(string(w.api), func(t *testing.T) {
			t.Parallel()
			service := providertest.NewServer(t, providertest.Events([]byte(w.call(1))), providertest.Events([]byte(w.call(2))), providertest.Events([]byte(w.answer(3))))
			dir := filepath.Join(t.TempDir(), "data")
			b := start(t, dir)
			p, err := b.db.Providers().Create(t.Context(), models.Provider{
				Name: "Service", API: w.api, BaseURL: service.URL + "/v1", AllowPrivateNetwork: true,
				ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{{Name: "m"}}},
			}, models.Credential{Kind: models.CredentialSealed, Key: models.NewSecret("sk-first-key")})
			if err != nil {
				t.Fatal(err)
			}
			ref := agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: "m"}
			g, err := b.db.Agents().Save(t.Context(), agent.Agent{Name: "Assistant", Model: ref, Tools: []string{"notes_write"}})
			if err != nil {
				t.Fatal(err)
			}
			sent, err := b.engine.Create(t.Context(), agent.NewConversation{Agent: g, Model: ref, SendMessage: agent.SendMessage{
				Message: "m_1", Text: "Go.", Author: agent.Actor{User: "u_1", Name: "Ann"}, Output: agent.OutputOptions{Reasoning: true},
			}})
			if err != nil {
				t.Fatal(err)
			}
			for round := range 2 {
				b.until(sent.Conversation, agent.StatusWaitingApproval)
				b.stop()
				b = start(t, dir)
				if round == 1 { // another key changes nothing of what is bound
					key := models.Credential{Kind: models.CredentialSealed, Key: models.NewSecret("sk-second-key")}
					if _, err := b.db.Providers().Update(t.Context(), p.ID, models.ProviderUpdate{Credential: &key}); err != nil {
						t.Fatal(err)
					}
				}
				b.approve(sent.Conversation, b.until(sent.Conversation, agent.StatusWaitingApproval))
			}
			b.until(sent.Conversation, agent.StatusSucceeded)
			b.stop()

			requests := service.Requests()
			for i, request := range requests {
				for round := 1; round <= 2; round++ {
					for _, private := range w.private(round) {
						want := 0
						if i >= round {
							want = 1
						}
						if got := strings.Count(string(request.Body), private); got != want {
							t.Errorf("request %d holds %s %d times, want %d\n%s", i+1, private, got, want, request.Body)
						}
					}
				}
			}
		})
	}
}

// A model is not asked for what an admin says it can't do (contract P17).
func TestModelsAreAskedForWhatTheyCan(t *testing.T) {
	t.Parallel()
	no := false
	for name, tt := range map[string]struct {
		model models.ProviderModel
		want  bool // tools and a summary of the reasoning are asked for
	}{
		"not told": {models.ProviderModel{Name: "m"}, true},
		"neither":  {models.ProviderModel{Name: "m", Tools: &no, Reasoning: &no}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := providertest.NewServer(t, providertest.Events([]byte(wires()[1].answer(1))))
			b := start(t, filepath.Join(t.TempDir(), "data"))
			defer b.stop()
			p, err := b.db.Providers().Create(t.Context(), models.Provider{
				Name: "Service", API: providers.APIResponses, BaseURL: service.URL + "/v1", AllowPrivateNetwork: true,
				ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{tt.model}},
			}, models.Credential{Kind: models.CredentialNone})
			if err != nil {
				t.Fatal(err)
			}
			ref := agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: "m"}
			g, err := b.db.Agents().Save(t.Context(), agent.Agent{Name: "Assistant", Model: ref, Tools: []string{"notes_write"}})
			if err != nil {
				t.Fatal(err)
			}
			sent, err := b.engine.Create(t.Context(), agent.NewConversation{Agent: g, Model: ref, SendMessage: agent.SendMessage{
				Message: "m_1", Text: "Go.", Author: agent.Actor{User: "u_1"}, Output: agent.OutputOptions{Reasoning: true},
			}})
			if err != nil {
				t.Fatal(err)
			}
			b.until(sent.Conversation, agent.StatusSucceeded)
			body := string(service.Requests()[0].Body)
			if got := strings.Contains(body, `"tools"`); got != tt.want {
				t.Errorf("tools: %v\n%s", got, body)
			}
			if got := strings.Contains(body, `"summary":"auto"`); got != tt.want {
				t.Errorf("a summary: %v\n%s", got, body)
			}
		})
	}
}
