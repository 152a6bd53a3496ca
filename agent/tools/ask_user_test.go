package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

func asker(t *testing.T) agent.Asker {
	t.Helper()
	a, ok := find(t, book{}, "ask_user").(agent.Asker)
	if !ok {
		t.Fatal("ask_user asks nobody")
	}
	return a
}

func TestAskUser_Questions(t *testing.T) {
	t.Parallel()
	got, err := asker(t).Questions([]byte(`{"questions":[{"header":"Branch","question":"Which?","multi_select":true,"options":[{"label":"A","description":"a"},{"label":"B"}]}]}`))
	want := []agent.Question{{Header: "Branch", Question: "Which?", MultiSelect: true, Options: []agent.Option{{Label: "A", Description: "a"}, {Label: "B"}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, arguments := range []string{``, `{`, `[]`, `{"questions":"x"}`, `{"questions":[],"more":1}`, `{"questions":[{"free":true}]}`, `{"questions":[]} {}`, `{"questions":[]}x`} {
		if got, err := asker(t).Questions([]byte(arguments)); err == nil {
			t.Errorf("%q was read as %+v", arguments, got)
		}
	}
}

// The model is told the bounds that its questions are held to.
func TestAskUser_DeclaresTheBounds(t *testing.T) {
	t.Parallel()
	type text struct{ MaxLength int }
	var schema struct {
		Properties struct {
			Questions struct {
				MinItems, MaxItems int
				Items              struct {
					Properties struct {
						Header, Question text
						Options          struct {
							MinItems, MaxItems int
							Items              struct {
								Properties struct{ Label, Description text }
							}
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(asker(t).Definition().Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	questions := schema.Properties.Questions
	one := questions.Items.Properties
	option := one.Options.Items.Properties
	got := []int{questions.MinItems, questions.MaxItems, one.Header.MaxLength, one.Question.MaxLength, one.Options.MinItems, one.Options.MaxItems, option.Label.MaxLength, option.Description.MaxLength}
	want := []int{1, agent.MaxQuestions, agent.MaxHeader, agent.MaxQuestion, agent.MinOptions, agent.MaxOptions, agent.MaxLabel, agent.MaxOptionText}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
