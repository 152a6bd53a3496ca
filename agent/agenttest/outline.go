package agenttest

import (
	"fmt"
	"strings"

	"countersign/agent"
)

// OutlineText writes what a page shows as indented text.
func OutlineText(t *agent.Timeline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %s\n", quote(t.Title))
	for i, r := range t.Runs {
		fmt.Fprintf(&b, "run-%d %s: %s %s\n", i+1, r.Status, r.Message.Author.Name, quote(r.Message.Text))
		if r.Reviewing != nil {
			fmt.Fprintf(&b, "  reviewing %s\n", r.Reviewing.Call)
		}
		for _, item := range r.Items {
			fmt.Fprintf(&b, "  %s\n", ItemText(item))
		}
	}
	for _, q := range t.Queue {
		fmt.Fprintf(&b, "queued %s: %s %s\n", q.Message, q.Author.Name, quote(q.Text))
	}
	return b.String()
}

// ItemText writes one item as text.
func ItemText(item agent.Item) string {
	switch i := item.(type) {
	case *agent.ReasoningItem:
		return fmt.Sprintf("reasoning of %s%s %s", i.Attempt, flags("open", i.Open, "limited", i.Limited), quote(i.Text))
	case *agent.AttemptItem:
		return outlineAttempt(i)
	case *agent.CallsItem:
		var lines []string
		for _, c := range i.Calls {
			lines = append(lines, outlineCall(c))
		}
		return strings.Join(lines, "\n  ")
	case *agent.ApprovalItem:
		return outlineCard(i)
	case *agent.ReconcileItem:
		text := fmt.Sprintf("%s: what became of %s %s?", i.Interaction, i.Call.Tool, i.Call.Call)
		if i.Answer != nil {
			text += fmt.Sprintf(" %s, says %s", i.Answer.Answer, i.Answer.By.Name)
		}
		return text + word(string(i.Closed))
	case *agent.SafetyItem:
		text := fmt.Sprintf("%s: %s %d times%s", i.Interaction, i.Cause, i.Times, outlineWithheld(i.Withheld))
		if i.Repeated != nil {
			text += fmt.Sprintf(" %s %s %s", i.Repeated.Call, i.Repeated.Tool, i.Repeated.Arguments)
		}
		if i.Answer != nil {
			text += fmt.Sprintf(" %s, says %s", i.Answer.Answer, i.Answer.By.Name)
		}
		return text + word(string(i.Closed))
	case *agent.QuestionItem:
		return outlineQuestion(i)
	case *agent.NoticeItem:
		text := fmt.Sprintf("notice: %s%s", i.Status, word(i.StopReason))
		if i.Failure != nil {
			text += " " + i.Failure.Code
			if p := i.Failure.Provider; p != nil {
				text += fmt.Sprintf(" %s%s", p.Category, word(p.Code))
			}
		}
		if i.By != nil {
			text += " by " + i.By.Name
		}
		return text
	}
	return fmt.Sprintf("%T", item)
}

func outlineAttempt(i *agent.AttemptItem) string {
	text := fmt.Sprintf("%s (%d of %d) %s", i.Attempt, i.Number, i.Of, i.State)
	if i.Text != "" {
		text += " " + quote(i.Text)
	}
	if i.Refusal != "" {
		text += " refuses " + quote(i.Refusal)
	}
	if i.Error != nil {
		text += fmt.Sprintf(" %s%s", i.Error.Category, word(i.Error.Code))
	}
	text += outlineWithheld(i.Withheld)
	if i.Retry != nil {
		text += fmt.Sprintf(", again in %dms", i.Retry.DelayMS)
		if i.Retried {
			text += " (done)"
		}
	}
	return text
}

func outlineWithheld(w *agent.OutputWithheld) string {
	if w == nil {
		return ""
	}
	return fmt.Sprintf(" withheld by %s (%s%s%s)", w.Guardrail, w.How, word(string(w.Subject)), flags("failed", w.Failed, "signed", w.Signed))
}

func outlineCall(i *agent.CallItem) string {
	text := fmt.Sprintf("%s %s %s%s", i.Call, i.Tool, i.State, flags("again", i.Again))
	if i.Rewritten != "" {
		text += " rewritten by " + i.Rewritten
	}
	if d := i.Decision; d != nil && d.Interaction == "" {
		text += fmt.Sprintf(" %s, says %s", d.Verdict, d.Origin)
		if d.Reason != "" {
			text += ": " + quote(d.Reason)
		}
	}
	if i.State == agent.CallFinished {
		text += fmt.Sprintf(" %s %s", i.Outcome, quote(i.Result))
	}
	return text
}

func outlineQuestion(i *agent.QuestionItem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s", i.Interaction, word(string(i.Closed)))
	for n, q := range i.Questions {
		fmt.Fprintf(&b, "\n    %s %s%s", quote(q.Header), quote(q.Question), flags("multi", q.MultiSelect))
		for _, o := range q.Options {
			fmt.Fprintf(&b, " [%s]", o.Label)
		}
		if a := i.Answer; a != nil && a.Message == "" {
			fmt.Fprintf(&b, " %q%s", a.Answers[n].Selected, word(a.Answers[n].Text))
		}
	}
	if a := i.Answer; a != nil {
		fmt.Fprintf(&b, "\n    says %s%s", a.By.Name, word(a.Text))
	}
	if i.Call.State == agent.CallFinished {
		fmt.Fprintf(&b, "\n    %s %s", i.Call.Outcome, quote(i.Call.Result))
	}
	return b.String()
}

func outlineCard(i *agent.ApprovalItem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s", i.Interaction, word(string(i.Closed)))
	for _, c := range i.Calls {
		fmt.Fprintf(&b, "\n    %s %s %s", c.Call, c.Tool, c.Arguments)
		if r := c.Review; r != nil {
			fmt.Fprintf(&b, " %s, says %s%s:%s;", r.Verdict, r.Origin, word(string(r.Fault)), word(quote(r.Reason)))
		}
		if c.Rewritten != "" {
			b.WriteString(" rewritten by " + c.Rewritten)
		}
		if d := c.Decision; d != nil {
			fmt.Fprintf(&b, " %s, says %s%s", d.Verdict, d.Origin, word(d.By.Name))
			if d.Reason != "" {
				fmt.Fprintf(&b, ": %s", quote(d.Reason))
			}
		}
	}
	return b.String()
}

func word(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// flags lists the names whose value is true.
func flags(pairs ...any) string {
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			text += " " + pairs[i].(string)
		}
	}
	return text
}
