package agent

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/providers"
)

//go:embed prompts/reviewer.md
var reviewerPrompt string

// What a reviewer is told of the conversation: the newest of what was said, cut
// to a length each.
const (
	maxReviewLines = 12
	maxReviewLine  = 2000 // bytes
)

// A reviewInput is what a reviewer judges. Results of tools are not in it:
// instructions to the assistant hide there.
type reviewInput struct {
	Conversation []reviewLine `json:"conversation"` // oldest first
	Tool         reviewTool   `json:"tool"`
	// Arguments are the exact bytes of the call.
	Arguments string `json:"arguments"`
}

type reviewLine struct {
	From string `json:"from"` // person or assistant
	Text string `json:"text"`
}

type reviewTool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Connector   string `json:"connector,omitempty"`
	Description string `json:"description"`
	ReadOnly    bool   `json:"read_only"`
}

// reviewRequest asks about one call: no tools, no thinking setting, nothing to
// display (contract R13).
func (w *worker) reviewRequest(ctx context.Context, c *RunCall) (providers.Request, error) {
	var h History
	for r, err := range w.journal.Read(ctx, w.ref.Conversation, 0) {
		if err != nil {
			return providers.Request{}, fmt.Errorf("read the history: %w", err)
		}
		h.Apply(r)
	}
	in := reviewInput{
		Conversation: h.said(), Arguments: string(w.arguments(c)),
		Tool: reviewTool{Name: c.Tool, Title: c.Title, Connector: c.Connector, ReadOnly: c.ReadOnly},
	}
	if tool, ok := w.offered(c.Tool); ok {
		in.Tool.Description = Cut(tool.Definition().Description, maxReviewLine)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(in); err != nil {
		return providers.Request{}, fmt.Errorf("write down a call for review: %w", err)
	}
	return providers.Request{
		Model: w.agent.Reviewer.Model, System: reviewerPrompt, Messages: []providers.Message{providers.UserMessage{Text: text.String()}},
		Attempt: 1, MaxOutputTokens: reviewTokens, OmitThinking: true,
	}, nil
}

// said is the newest of what people and the assistant said.
func (h *History) said() []reviewLine {
	lines := []reviewLine{}
	for _, m := range h.copied.Messages {
		if m.Person != "" {
			lines = append(lines, reviewLine{"person", Cut(m.Text, maxReviewLine)})
		} else {
			lines = append(lines, reviewLine{"assistant", Cut(m.Text, maxReviewLine)})
		}
	}
	for _, run := range h.runs {
		lines = append(lines, reviewLine{"person", Cut(run.user, maxReviewLine)})
		for _, step := range run.steps {
			if step.message.Text != "" {
				lines = append(lines, reviewLine{"assistant", Cut(step.message.Text, maxReviewLine)})
			}
		}
	}
	return lines[max(0, len(lines)-maxReviewLines):]
}

// A reviewVerdict is what a reviewer answers.
type reviewVerdict struct {
	Verdict Verdict
	Reason  string
}

// parseVerdict reads an answer: one JSON object with the two members and no
// others, each once; a fence of code around it is passed over. Whatever could
// be read in two ways is no verdict.
func parseVerdict(text string) (v reviewVerdict, ok bool) {
	text = strings.TrimSpace(text)
	if inside, found := strings.CutPrefix(text, "```"); found {
		inside = strings.TrimPrefix(inside, "json")
		if text, found = strings.CutSuffix(inside, "```"); !found {
			return v, false
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return v, false
	}
	members := map[string]string{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return v, false
		}
		value, err := d.Token()
		name, _ := key.(string)
		said, isText := value.(string)
		_, twice := members[name]
		if err != nil || !isText || twice || name != "verdict" && name != "reason" {
			return v, false
		}
		members[name] = said
	}
	if _, err := d.Token(); err != nil || strings.TrimSpace(text[d.InputOffset():]) != "" {
		return v, false
	}
	v = reviewVerdict{Verdict(members["verdict"]), safeReason(members["reason"])}
	return v, v.Verdict == VerdictAllow || v.Verdict == VerdictDeny || v.Verdict == VerdictUnsure
}

// safeReason bounds an explanation, and leaves out one that seems to hold a
// key. It is no secret scanner (contract V20, V21).
func safeReason(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if LooksLikeKey(text) {
		return ""
	}
	if runes := []rune(text); len(runes) > MaxReason {
		return string(runes[:MaxReason-1]) + "…"
	}
	return text
}
