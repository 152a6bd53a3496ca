package agenttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing/synctest"
	"time"

	"countersign/agent"
	"countersign/providers/scripted"
)

// A drive performs the verbs of a scenario.
type drive struct {
	*Server
	stage        *scripted.Stage
	conversation agent.ConversationID
	sent         int // messages with a name of their own
	timeline     strings.Builder
	by           agent.Actor
}

// maxWait is how much time a wait may take.
const maxWait = time.Hour

// line performs one line.
func (d *drive) line(line string) error {
	line, want, _ := strings.Cut(line, " -> ")
	line, by, _ := strings.Cut(line, " by ")
	d.by = agent.Actor{User: "ann", Name: "Ann"}
	if by != "" {
		d.by = agent.Actor{User: agent.UserID(strings.ToLower(by)), Name: by}
	}
	words, err := split(line)
	if err != nil {
		return err
	}
	err = d.verb(shift(&words), words)
	synctest.Wait()
	if got := failureName(err); got != want {
		return fmt.Errorf("got %q (%v), want %q", got, err, want)
	}
	return nil
}

func failureName(err error) string {
	var refused *agent.InputError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, agent.ErrNotWaiting):
		return "not_waiting"
	case errors.Is(err, agent.ErrNotFound):
		return "not_found"
	case errors.Is(err, agent.ErrNotAdmin):
		return "not_admin"
	case errors.As(err, &refused):
		return "refused"
	}
	return "error"
}

func (d *drive) verb(verb string, words []string) error {
	ctx := context.Background()
	switch verb {
	case "send":
		return d.send(ctx, words)
	case "edit":
		m := agent.SendMessage{Message: agent.MessageID(shift(&words)), Text: shift(&words), Author: d.by}
		return d.Engine.EditQueued(ctx, d.conversation, m)
	case "remove":
		return d.Engine.RemoveQueued(ctx, d.conversation, agent.MessageID(shift(&words)))
	case "approve":
		return d.decide(ctx, agent.VerdictAllow, words)
	case "change":
		return d.decide(ctx, agent.VerdictAllow, append([]string{""}, words...))
	case "deny":
		return d.decide(ctx, agent.VerdictDeny, words)
	case "reconcile":
		return d.reconcile(ctx, words)
	case "safety":
		return d.safety(ctx, agent.SafetyAnswer(shift(&words)))
	case "answer":
		return d.answer(ctx, words)
	case "revoke":
		return d.Engine.Revoke(ctx, d.conversation, agent.GrantID(shift(&words)), d.by)
	case "bypass":
		if shift(&words) == "ends" {
			return d.Engine.EndBypass(ctx, d.conversation, d.by)
		}
		return d.Engine.StartBypass(ctx, d.conversation, d.by)
	case "cancel":
		return d.Engine.Cancel(ctx, d.newest(), d.by)
	case "rerun":
		return d.rerun(ctx, agent.MessageID(shift(&words)), shift(&words))
	case "rewind":
		return d.rewind(ctx, agent.MessageID(shift(&words)))
	}
	return d.machine(ctx, verb, words)
}

// machine performs the verbs that no person says.
func (d *drive) machine(ctx context.Context, verb string, words []string) error {
	first := shift(&words)
	switch verb {
	case "wait":
		return d.wait(agent.RunStatus(first))
	case "advance":
		length, err := time.ParseDuration(first)
		if err == nil {
			<-time.After(length)
		}
		return err
	case "gate":
		if g := d.gate(first); g != nil {
			<-g.reached
			return nil
		}
		return d.stage.Reached(ctx, first)
	case "release":
		if g := d.gate(first); g != nil {
			g.Release()
			return nil
		}
		return d.stage.Release(first)
	case "show":
		synctest.Wait()
		records := d.Memory.Records(d.conversation)
		d.show(fmt.Sprintf("+%s", time.Since(records[0].At)))
	case "guard":
		return d.guards(first, words)
	case "forbid", "rule":
		rule, err := parseRule(verb, first, words)
		d.SetRule(rule)
		return err
	case "drop":
		d.DropRule(first)
	case "redefine":
		for _, t := range d.config.Tools {
			if t.Name == first {
				t.Redefine(t.ReadOnly || shift(&words) == "read_only")
				return nil
			}
		}
		return fmt.Errorf("there is no tool %s", first)
	case "disk":
		if first != "full" && first != "free" {
			return fmt.Errorf("a disk is full or free, not %q", first)
		}
		d.store.setFull(first == "full")
	case "stop":
		d.Stop()
	case "start":
		if d.Running() {
			return fmt.Errorf("the engine runs")
		}
		d.Stop() // what a killed one left behind
		d.Start()
	case "restart":
		d.Stop()
		d.Start()
	case "kill":
		return d.kill(first, agent.Kind(shift(&words)))
	default:
		return fmt.Errorf("there is no such verb")
	}
	return nil
}

func (d *drive) kill(when string, kind agent.Kind) error {
	if when != "" && !slices.Contains(agent.Kinds(), kind) {
		return fmt.Errorf("there is no event %q", kind)
	}
	switch when {
	case "before":
		d.link.killAt(kind, "")
	case "after":
		d.link.killAt("", kind)
	case "":
		d.Kill()
	default:
		return fmt.Errorf("kill before or after, not %q", when)
	}
	return nil
}

func (d *drive) gate(name string) *Gate {
	for _, t := range d.config.Tools {
		if t.Gate != nil && t.Gate.Name == name {
			return t.Gate
		}
	}
	return nil
}

func (d *drive) send(ctx context.Context, words []string) error {
	id := "m" + strconv.Itoa(d.sent+1)
	if len(words) == 2 {
		id = shift(&words)
	} else {
		d.sent++
	}
	m := agent.SendMessage{Message: agent.MessageID(id), Text: shift(&words), Author: d.by, Output: d.config.Output}
	if id != "m1" {
		_, err := d.Engine.Send(ctx, d.conversation, m)
		return err
	}
	a, _ := d.Agent(ctx, "")
	_, err := d.Engine.Create(ctx, agent.NewConversation{
		Agent: a, Model: agent.ModelRef{Provider: "p", ProviderName: "Scripted", Model: "test"}, SendMessage: m,
	})
	return err
}

func (d *drive) newest() agent.RunRef {
	h, err := d.Memory.Head(context.Background(), d.conversation)
	if err != nil || h.Run == nil {
		return agent.RunRef{Conversation: d.conversation}
	}
	return agent.RunRef{Conversation: d.conversation, Run: h.Run.ID}
}

// wait lets time pass until the newest run has a status.
func (d *drive) wait(status agent.RunStatus) error {
	if !slices.Contains(agent.Statuses, status) {
		return fmt.Errorf("there is no status %q", status)
	}
	return d.Await(d.conversation, maxWait, status)
}

// decide gives a verdict on a call, or on every open one of the newest card.
func (d *drive) decide(ctx context.Context, v agent.Verdict, words []string) error {
	var only agent.CallID
	if len(words) > 0 && strings.HasPrefix(words[0], "call-") {
		only = agent.CallID(shift(&words))
	}
	grant := len(words) >= 3 && strings.Join(words[len(words)-3:], " ") == "for the conversation"
	if grant {
		words = words[:len(words)-3]
	}
	reason := shift(&words)
	arguments := shift(&words)
	var card agent.InteractionID
	var run agent.RunID
	var verdicts []agent.CallDecision
	for _, r := range d.Memory.Records(d.conversation) {
		asked, ok := r.Event.(agent.ApprovalRequested)
		if !ok {
			continue
		}
		card, run = asked.Interaction, r.Run
		var on []agent.CallDecision
		for _, c := range asked.Calls {
			if only == "" || c.Call == only {
				on = append(on, agent.CallDecision{Call: c.Call, Binding: c.Binding, Verdict: v, Reason: reason, Grant: grant, Arguments: arguments})
			}
		}
		if verdicts = on; only != "" && len(on) > 0 {
			break
		}
	}
	if only != "" && len(verdicts) == 0 { // a call that is on no card
		verdicts = []agent.CallDecision{{Call: only, Verdict: v, Reason: reason}}
	}
	return d.Engine.Decide(ctx, agent.RunRef{Conversation: d.conversation, Run: run}, card, d.by, verdicts)
}

// answer answers a question, the newest one if none is named.
func (d *drive) answer(ctx context.Context, words []string) error {
	var question agent.InteractionID
	if len(words) > 0 && strings.HasPrefix(words[0], "card-") {
		question = agent.InteractionID(shift(&words))
	}
	asked, run := question, agent.RunID("")
	for _, r := range d.Memory.Records(d.conversation) {
		if e, ok := r.Event.(agent.QuestionAsked); ok && (question == "" || e.Interaction == question) {
			asked, run = e.Interaction, r.Run
		}
	}
	var answers []agent.Answer
	for _, w := range words {
		var a agent.Answer
		if text, own := strings.CutPrefix(w, "="); own {
			a.Text = text
		} else if w != "-" {
			a.Selected = strings.Split(w, "|")
		}
		answers = append(answers, a)
	}
	return d.Engine.Answer(ctx, agent.RunRef{Conversation: d.conversation, Run: run}, asked, d.by, answers)
}

func (d *drive) reconcile(ctx context.Context, words []string) error {
	a := agent.ReconcileAnswered{Answer: agent.ReconcileAnswer(shift(&words)), Note: shift(&words), By: d.by}
	var run agent.RunID
	for _, r := range d.Memory.Records(d.conversation) {
		if asked, ok := r.Event.(agent.ReconcileRequested); ok {
			a.Interaction, run = asked.Interaction, r.Run
		}
	}
	return d.Engine.Reconcile(ctx, agent.RunRef{Conversation: d.conversation, Run: run}, a)
}

func (d *drive) safety(ctx context.Context, answer agent.SafetyAnswer) error {
	a := agent.SafetyAnswered{Answer: answer, By: d.by}
	var run agent.RunID
	for _, r := range d.Memory.Records(d.conversation) {
		if asked, ok := r.Event.(agent.SafetyRequested); ok {
			a.Interaction, run = asked.Interaction, r.Run
		}
	}
	return d.Engine.AnswerSafety(ctx, agent.RunRef{Conversation: d.conversation, Run: run}, a)
}

func (d *drive) rerun(ctx context.Context, m agent.MessageID, text string) error {
	for _, r := range slices.Backward(d.Memory.Records(d.conversation)) {
		if u, ok := r.Event.(agent.UserMessage); ok && (u.Message == m || m == "newest") {
			if text == "" {
				text = u.Text
			}
			_, err := d.Engine.Rerun(ctx, agent.RunRef{Conversation: d.conversation, Run: r.Run}, text, d.by)
			return err
		}
	}
	return fmt.Errorf("nothing was sent as %s", m)
}

func (d *drive) rewind(ctx context.Context, m agent.MessageID) error {
	for _, r := range d.Memory.Records(d.conversation) {
		if u, ok := r.Event.(agent.UserMessage); !ok || u.Message != m {
			continue
		}
		h, err := d.Memory.Head(ctx, d.conversation)
		if err != nil {
			return err
		}
		_, err = d.link.Append(ctx, agent.Batch{
			Conversation: d.conversation, After: h.Seq, At: time.Now(),
			Entries: []agent.Entry{{Event: agent.Rewound{To: r.Seq - 1}}},
		})
		return err
	}
	return fmt.Errorf("nothing was sent as %s", m)
}
