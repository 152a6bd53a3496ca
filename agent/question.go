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

// Answer records a person's answers to the open question, one for each of its
// questions in their order. Own words take the place of a choice.
//
// The first answer stands; the same one by the same person again is no error,
// any other one, and one that comes after the question has expired or was
// withdrawn, is [ErrNotWaiting] and changes nothing.
func (e *Engine) Answer(ctx context.Context, r RunRef, question InteractionID, by Actor, answers []Answer) error {
	given := QuestionAnswered{Interaction: question, Answers: slices.Clone(answers), By: by}
	for i, a := range answers {
		given.Answers[i].Text = strings.TrimSpace(a.Text)
		if given.Answers[i].Text != "" {
			given.Answers[i].Selected = nil
		}
	}
	if err := e.permit(ctx, by.User); err != nil {
		return err
	}
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if had := s.asking(question); had != nil && had.Answered != nil && had.Answered.same(given) {
			return nil, nil
		}
		asked := s.Question
		if asked == nil || asked.Interaction != question || !e.now().Before(asked.ExpiresAt) {
			return nil, ErrNotWaiting
		}
		if err := asked.check(given.Answers); err != nil {
			return nil, err
		}
		return s.answer(given), nil
	})
	return err
}

// answer returns the events that settle the open question.
func (s *RunState) answer(a QuestionAnswered) []Event {
	a.Interaction, a.Call = s.Question.Interaction, s.Question.Call
	return []Event{a, InteractionClosed{Interaction: a.Interaction, How: ClosedDecided}, RunResumed{Reason: "answered"}}
}

// asking returns the call that asked a question, or nil.
func (s *RunState) asking(id InteractionID) *RunCall {
	for _, c := range slices.Concat(s.Calls, s.Earlier) {
		if c.Asked != nil && c.Asked.Interaction == id {
			return c
		}
	}
	return nil
}

// Asked returns the questions that a run put to a person, also those that wait
// no more, or [ErrNotFound].
func (e *Engine) Asked(ctx context.Context, r RunRef, question InteractionID) ([]Question, error) {
	s, err := e.state(ctx, r)
	if err != nil {
		return nil, err
	}
	c := s.asking(question)
	if c == nil {
		return nil, ErrNotFound
	}
	return c.Asked.Questions, nil
}

func (a QuestionAnswered) same(b QuestionAnswered) bool {
	return a.By.is(b.By) && a.Message == b.Message && a.Text == b.Text &&
		slices.EqualFunc(a.Answers, b.Answers, func(x, y Answer) bool { return x.Text == y.Text && slices.Equal(x.Selected, y.Selected) })
}

// check refuses answers that are not answers to the questions.
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

// told is what the model gets for an answered call: what a message says, or the
// answers by header.
func (q QuestionAsked) told(a QuestionAnswered) string {
	if a.Message != "" {
		return toldAs(map[string]string{"answer_in_own_words": a.Text})
	}
	answers := make(map[string]any, len(a.Answers))
	for i, given := range a.Answers {
		key := q.key(i, answers)
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
	return toldAs(map[string]any{"answers": answers})
}

// key names a question to the model: by its header, or by the question where
// the header is missing or taken.
func (q QuestionAsked) key(i int, taken map[string]any) string {
	asked := q.Questions[i]
	for _, key := range []string{strings.TrimSpace(asked.Header), asked.Question} {
		if _, ok := taken[key]; key != "" && !ok {
			return key
		}
	}
	return fmt.Sprintf("%s (question %d)", asked.Question, i+1)
}

// toldAs is a result as JSON that a model reads: a page never does, so nothing
// in it is escaped for one.
func toldAs(result any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		panic("agent: an answer that is not JSON")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
