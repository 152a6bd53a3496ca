package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// DefaultQuestion is how long a question waits (contract H22).
	DefaultQuestion = 10 * time.Minute
	// The bounds on what a model may ask, in characters (contract H13, 2.10).
	MaxQuestions  = 4
	MaxHeader     = 12
	MaxQuestion   = 500
	MinOptions    = 2
	MaxOptions    = 4
	MaxLabel      = 100
	MaxOptionText = 300
	// MaxAnswer is the longest answer in own words, in characters.
	MaxAnswer = 4000
)

// An Asker is a tool whose call is a question to a person. It never runs: the
// person's answer is its result. Asking needs no approval.
type Asker interface {
	Tool
	// Questions reads the arguments of a call. The error says to the model
	// what is wrong with them.
	Questions(arguments json.RawMessage) ([]Question, error)
}

// CheckQuestions says what is out of bounds, for the model to read.
func CheckQuestions(list []Question) error {
	if len(list) == 0 || len(list) > MaxQuestions {
		return fmt.Errorf("ask 1 to %d questions, not %d", MaxQuestions, len(list))
	}
	for i, q := range list {
		if err := q.check(); err != nil {
			return fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return nil
}

func (q Question) check() error {
	switch {
	case tooLong(q.Header, MaxHeader):
		return fmt.Errorf("the header may have up to %d characters", MaxHeader)
	case strings.TrimSpace(q.Question) == "":
		return fmt.Errorf("the question is missing")
	case tooLong(q.Question, MaxQuestion):
		return fmt.Errorf("the question may have up to %d characters", MaxQuestion)
	case len(q.Options) < MinOptions || len(q.Options) > MaxOptions:
		return fmt.Errorf("give %d to %d options, not %d", MinOptions, MaxOptions, len(q.Options))
	}
	seen := make(map[string]bool)
	for _, o := range q.Options {
		switch {
		case strings.TrimSpace(o.Label) == "":
			return fmt.Errorf("an option has no label")
		case seen[o.Label]:
			return fmt.Errorf("two options have the label %q", o.Label)
		case tooLong(o.Label, MaxLabel):
			return fmt.Errorf("a label may have up to %d characters", MaxLabel)
		case tooLong(o.Description, MaxOptionText):
			return fmt.Errorf("a description may have up to %d characters", MaxOptionText)
		}
		seen[o.Label] = true
	}
	return nil
}

func tooLong(s string, characters int) bool { return utf8.RuneCountInString(s) > characters }

// Answer records a person's answers to the open question. The first answer
// stands; the same one by the same person again is no error, any other one,
// and a late one, is [ErrNotWaiting].
func (e *Engine) Answer(ctx context.Context, r RunRef, a QuestionAnswered) error {
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if had := s.answerTo(a.Interaction); had != nil && had.same(a) {
			return nil, nil
		}
		asked := s.Question
		if asked == nil || asked.Interaction != a.Interaction || !e.now().Before(asked.ExpiresAt) {
			return nil, ErrNotWaiting
		}
		if err := asked.check(a.Answers); err != nil {
			return nil, err
		}
		return s.answer(a), nil
	})
	return err
}

// answer returns the events that settle the open question.
func (s *RunState) answer(a QuestionAnswered) []Event {
	a.Interaction, a.Call = s.Question.Interaction, s.Question.Call
	return []Event{a, InteractionClosed{Interaction: a.Interaction, How: ClosedDecided}, RunResumed{Reason: "answered"}}
}

// answerTo returns what was answered to an interaction, or nil.
func (s *RunState) answerTo(id InteractionID) *QuestionAnswered {
	for _, c := range slices.Concat(s.Calls, s.Earlier) {
		if c.Answered != nil && c.Answered.Interaction == id {
			return c.Answered
		}
	}
	return nil
}

// answeredBy reports whether a message was an answer in the run.
func (s *RunState) answeredBy(m MessageID) bool {
	return slices.ContainsFunc(slices.Concat(s.Calls, s.Earlier), func(c *RunCall) bool {
		return c.Answered != nil && c.Answered.Message == m
	})
}

func (a QuestionAnswered) same(b QuestionAnswered) bool {
	return a.By.User == b.By.User && a.Message == b.Message && a.Text == b.Text &&
		slices.EqualFunc(a.Answers, b.Answers, func(x, y Answer) bool { return x.Text == y.Text && slices.Equal(x.Selected, y.Selected) })
}

// check refuses answers that are not answers to the questions. Own words take
// the place of a choice.
func (q QuestionAsked) check(answers []Answer) error {
	if len(answers) != len(q.Questions) {
		return &InputError{Message: "Answer or skip each question."}
	}
	for i, a := range answers {
		asked := q.Questions[i]
		if !asked.MultiSelect && len(a.Selected) > 1 {
			return &InputError{Message: "Choose one option where only one can be chosen."}
		}
		if !utf8.ValidString(a.Text) || tooLong(a.Text, MaxAnswer) {
			return &InputError{Message: fmt.Sprintf("An answer may have up to %d characters. Shorten it.", MaxAnswer)}
		}
		for j, label := range a.Selected {
			offered := slices.ContainsFunc(asked.Options, func(o Option) bool { return o.Label == label })
			if !offered || slices.Contains(a.Selected[:j], label) {
				return &InputError{Message: "Choose from the options that are offered."}
			}
		}
	}
	return nil
}

// told is what the model gets for an answered call: the answers by header, or
// by question where there is no header of its own.
func (q QuestionAsked) told(a QuestionAnswered) string {
	answers := make(map[string]any, len(a.Answers))
	for i, given := range a.Answers {
		key := q.Questions[i].Header
		if key == "" || answers[key] != nil {
			key = q.Questions[i].Question
		}
		switch {
		case given.Text != "":
			answers[key] = given.Text
		case given.Skipped():
			answers[key] = "(skipped)"
		case q.Questions[i].MultiSelect:
			answers[key] = given.Selected
		default:
			answers[key] = given.Selected[0]
		}
	}
	var result any = map[string]any{"answers": answers}
	if a.Message != "" {
		result = map[string]any{"answer_in_own_words": a.Text}
	}
	data, err := json.Marshal(result)
	if err != nil {
		panic("agent: an answer that is not JSON")
	}
	return string(data)
}
