package views

import (
	"time"

	"countersign/agent"
)

func (m *maker) grants() []agent.Grant {
	return []agent.Grant{{GrantCreated: agent.GrantCreated{Grant: agent.GrantID("n_" + m.id()), Tool: m.say("notes_write")}, At: sampleTime}}
}

// question is a card with a question of each kind.
func (m *maker) question() *agent.QuestionItem {
	option := func(label, description string) agent.Option {
		return agent.Option{Label: m.say(label), Description: m.say(description)}
	}
	call := m.call(agent.CallRequested, "")
	call.Tool, call.Title, call.Connector = m.say("ask_user"), m.say("Ask"), ""
	return &agent.QuestionItem{
		Interaction: agent.InteractionID("i_" + m.id()), Run: "r_sample", Call: call, At: sampleTime, ExpiresAt: m.now.Add(9*time.Minute + 40*time.Second),
		Questions: []agent.Question{
			{Header: m.say("Clock"), Question: m.say("Which clock should 09:30 follow?"), Options: []agent.Option{
				option("Edinburgh", "11:30 in Helsinki, all year"), option("Helsinki", "07:30 in Edinburgh, all year"),
			}},
			{Header: m.say("Notify"), Question: m.say("Who should be told?"), MultiSelect: true, Options: []agent.Option{
				option("Everyone invited", "9 people get an updated invitation"), option("Depot leads", "3 people get a short message as well"), option("Nobody", ""),
			}},
		},
	}
}

func (m *maker) questions() []Sample {
	one := m.question()
	one.Questions = one.Questions[:1]

	answered := func(a agent.QuestionAnswered) *agent.QuestionItem {
		i := m.question()
		a.By = agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}
		i.Closed, i.Answer, i.AnsweredAt = agent.ClosedDecided, &a, sampleTime.Add(time.Minute)
		return i
	}
	chosen := []agent.Answer{{Selected: []string{m.say("Edinburgh")}}, {Selected: []string{m.say("Everyone invited"), m.say("Depot leads")}}}
	words := []agent.Answer{{Text: m.say("Whatever suits the depot.")}, {}}

	expired, withdrawn := m.question(), m.question()
	expired.Closed, withdrawn.Closed = agent.ClosedExpired, agent.ClosedWithdrawn
	return []Sample{
		m.entry("question", "waiting", m.question()),
		m.entry("question", "one", one),
		m.entry("question", "answered", answered(agent.QuestionAnswered{Answers: chosen})),
		m.entry("question", "own_words", answered(agent.QuestionAnswered{Answers: words})),
		m.entry("question", "by_message", answered(agent.QuestionAnswered{Message: "m_1", Text: m.say("Ask Ines, she knows.")})),
		m.entry("question", "expired", expired),
		m.entry("question", "withdrawn", withdrawn),
	}
}
