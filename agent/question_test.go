package agent_test

import (
	"strings"
	"testing"

	"countersign/agent"
)

const oneQuestion = `{"questions":[{"header":"Branch","question":"Which branch?","options":[{"label":"District 1"},{"label":"District 3"}]}]}`

// asks returns questions that are as large as they may be, changed.
func asks(change func(*agent.Question)) []agent.Question {
	list := make([]agent.Question, agent.MaxQuestions)
	for i := range list {
		q := agent.Question{Header: strings.Repeat("ở", agent.MaxHeader), Question: strings.Repeat("ở", agent.MaxQuestion)}
		for _, n := range []string{"1", "2", "3", "4"} {
			q.Options = append(q.Options, agent.Option{
				Label: strings.Repeat("ở", agent.MaxLabel-1) + n, Description: strings.Repeat("ở", agent.MaxOptionText),
			})
		}
		list[i] = q
	}
	change(&list[1])
	return list
}

// Every bound holds, and counts characters.
func TestCheckQuestions(t *testing.T) {
	t.Parallel()
	if err := agent.CheckQuestions(asks(func(*agent.Question) {})); err != nil {
		t.Errorf("the largest questions that may be asked: %v", err)
	}
	few := asks(func(q *agent.Question) { q.Header, q.Options = "", q.Options[:agent.MinOptions] })
	if err := agent.CheckQuestions(few[1:2]); err != nil {
		t.Errorf("the smallest question that may be asked: %v", err)
	}
	for says, list := range map[string][]agent.Question{
		"1 to 4 questions, not 0":                  nil,
		"1 to 4 questions, not 5":                  append(asks(func(*agent.Question) {}), agent.Question{}),
		"question 2: the header may have up to 12": asks(func(q *agent.Question) { q.Header += "a" }),
		"question 2: the question is missing":      asks(func(q *agent.Question) { q.Question = " \n" }),
		"the question may have up to 500":          asks(func(q *agent.Question) { q.Question += "a" }),
		"give 2 to 4 options, not 1":               asks(func(q *agent.Question) { q.Options = q.Options[:1] }),
		"give 2 to 4 options, not 5":               asks(func(q *agent.Question) { q.Options = append(q.Options, agent.Option{Label: "5"}) }),
		"an option has no label":                   asks(func(q *agent.Question) { q.Options[2].Label = " " }),
		"two options have the label":               asks(func(q *agent.Question) { q.Options[2].Label = q.Options[0].Label }),
		"a label may have up to 100":               asks(func(q *agent.Question) { q.Options[2].Label += "a" }),
		"a description may have up to 300":         asks(func(q *agent.Question) { q.Options[2].Description += "a" }),
	} {
		if err := agent.CheckQuestions(list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

// What the model is told names each question, whatever they are called.
func TestAnswer_IsTold(t *testing.T) {
	t.Parallel()
	const options = `"options":[{"label":"A"},{"label":"B"}]`
	for questions, want := range map[string]string{
		`{"header":"One","question":"x",` + options + `},{"header":"Two","question":"y",` + options + `}`:      `{"answers":{"One":"A","Two":"B"}}`,
		`{"header":"One","question":"x",` + options + `},{"header":"One","question":"y",` + options + `}`:      `{"answers":{"One":"A","y":"B"}}`,
		`{"header":" ","question":"x",` + options + `},{"header":"","question":"x",` + options + `}`:           `{"answers":{"x":"A","x (question 2)":"B"}}`,
		`{"header":"One","question":"x",` + options + `},{"header":"One","question":"One",` + options + `}`:    `{"answers":{"One":"A","One (question 2)":"B"}}`,
		`{"header":"<i>","question":"x",` + options + `},{"header":"Hà \"N\"","question":"y",` + options + `}`: `{"answers":{"<i>":"A","Hà \"N\"":"B"}}`,
	} {
		s := begin(t, "ask asks", "", "call call_1 ask {\"questions\":["+questions+"]}\nfinish tool_calls\n---\ntext \"Done.\"\nfinish stop")
		a := s.question(t)
		answers := []agent.Answer{{Selected: []string{"A"}}, {Selected: []string{"B"}}}
		if err := s.Engine.Answer(t.Context(), s.run, a.Interaction, ann, answers); err != nil {
			t.Fatal(err)
		}
		s.await(t, ends...)
		for _, r := range s.Memory.Records(s.run.Conversation) {
			if e, ok := r.Event.(agent.ToolCallFinished); ok && e.Result != want {
				t.Errorf("of %s the model is told %s, want %s", questions, e.Result, want)
			}
		}
	}
}

func TestAnswer_TooLong(t *testing.T) {
	t.Parallel()
	s := begin(t, "ask asks", "", "call call_1 ask "+oneQuestion+"\nfinish tool_calls\n---\ntext \"Done.\"\nfinish stop")
	id := s.question(t).Interaction
	for name, text := range map[string]string{"long": strings.Repeat("ở", agent.MaxAnswer+1), "broken": "\xff"} {
		if err := s.Engine.Answer(t.Context(), s.run, id, ann, []agent.Answer{{Text: text}}); !isInputError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Engine.Answer(t.Context(), s.run, id, ann, []agent.Answer{{Text: strings.Repeat("ở", agent.MaxAnswer)}}); err != nil {
		t.Error(err)
	}
}

// question returns the newest question of the run.
func (s *setting) question(t *testing.T) agent.QuestionAsked {
	t.Helper()
	return newest[agent.QuestionAsked](t, s)
}
