package views

import (
	"time"

	"github.com/a-h/templ"

	"countersign/agent"
)

// sampleAnswer uses everything that an answer may be formatted with.
const sampleAnswer = "The export **failed** because it waited for a lock.\n\n" +
	"### What happened\n\n" +
	"1. At *01:58:40* a job locked `shipments`.\n2. The export began to wait.\n\n" +
	"- batches 1 to 41 are in\n- batch 42 is not\n\n" +
	"> Nothing is wrong with the data.\n\n" +
	"```sql\nselect pid from locks where relation = 'shipments';\n```\n\n" +
	"| batch | rows |\n| --- | ---: |\n| 41 | 1,204 |\n| 42 | ~~980~~ 0 |\n\n" +
	"See [the log](https://logs.example/export?day=9&from=\"02:00\"), ![a chart](https://logs.example/chart.png), " +
	"not [this](javascript:alert(1)) or <b>this</b>.\n\n---\n\nDone."

func (m *maker) runs() []Sample {
	final := m.attempt()
	final.State, final.Text = agent.AttemptFinal, m.say("Done.")
	waiting := m.attempt()
	waiting.Text = m.say("Working on")
	retry := m.failed(agent.ProviderError{Category: "server", HTTPStatus: 500, Retryable: true})
	retry.Retry, retry.Retried = &agent.RetryScheduled{Number: 2, Of: 3}, true
	whole := func(status agent.RunStatus, items ...agent.Item) templ.Component {
		return Run(m.scene(), m.run(status, items...))
	}
	return []Sample{
		{Component: "run", State: "pending", HTML: whole(agent.StatusPending)},
		{Component: "run", State: "running", HTML: whole(agent.StatusRunning, retry, waiting)},
		{Component: "run", State: "between_steps", HTML: whole(agent.StatusRunning, inRow(m.callDone()))},
		{Component: "run", State: "succeeded", HTML: whole(agent.StatusSucceeded, final)},
	}
}

func (m *maker) callDone() *agent.CallItem {
	c := m.call(agent.CallFinished, agent.CallOK)
	c.Took, c.Result = 1900*time.Millisecond, m.say("3 rows")
	return c
}

func (m *maker) queue() []agent.QueuedMessage {
	author := agent.Actor{User: "u_dana", Name: m.say("Dana Ruiz")}
	return []agent.QueuedMessage{
		{Message: agent.MessageID("m_" + m.id()), Text: m.say("And tell Ines when it is done."), Author: author, At: sampleTime},
		{Message: agent.MessageID("m_" + m.id()), Text: m.say("Then summarise the log."), Author: author, At: sampleTime},
	}
}

func (m *maker) composers() []Sample {
	models := []Option{{Value: "1", Label: m.say("claude-sonnet-4-5"), Group: m.say("Anthropic")}, {Value: "2", Label: m.say("qwen3:14b"), Group: m.say("Workshop")}}
	box := func(p ComposerProps) templ.Component { return Composer(p) }
	return []Sample{
		{Component: "composer", State: "idle", Frame: "dock", HTML: box(ComposerProps{Conversation: "c_1", Message: "m_1", Output: agent.OutputOptions{Reasoning: true}})},
		{Component: "composer", State: "busy", Frame: "dock", HTML: box(ComposerProps{Conversation: "c_1", Message: "m_1", Run: "r_1"})},
		{Component: "composer", State: "asked", Frame: "dock", HTML: box(ComposerProps{Conversation: "c_1", Message: "m_1", Run: "r_1", Asked: true})},
		{Component: "composer", State: "new_agents", Frame: "dock", HTML: box(ComposerProps{
			Message: "m_1", Agents: []Option{{Value: "g_1", Label: m.say("Operations")}, {Value: "g_2", Label: m.say("Letters")}}, Agent: "g_2", Models: models,
		})},
		{Component: "composer", State: "new", Frame: "dock", HTML: box(ComposerProps{Message: "m_1", Models: models, Model: "2", Output: agent.OutputOptions{Reasoning: true, BufferAttempts: true}})},
		{Component: "composer", State: "refused", Frame: "dock", HTML: box(ComposerProps{Conversation: "c_1", Message: "m_1", Text: m.say("<too long>"), Error: m.say("The message is too long.")})},
		{Component: "queue", State: "two", Frame: "dock", HTML: Queue(m.scene(), m.queue(), true)},
		{Component: "queue", State: "stopped", Frame: "dock", HTML: Queue(m.scene(), m.queue(), false)},
		{Component: "queue", State: "empty", Frame: "dock", HTML: Queue(m.scene(), nil, true)},
	}
}

func (m *maker) parts() []Sample {
	run := m.run(agent.StatusSucceeded, inRow(m.callDone()))
	run.EndedAt = run.CreatedAt.Add(31 * time.Second)
	final := m.attempt()
	final.State = agent.AttemptFinal
	m.count(final, 120, 0)
	run.Items = append(run.Items, final)
	used := m.used()
	run.Usage.Add(agent.ModelUsage{})
	row := func(status agent.RunStatus) templ.Component {
		return NavRowLink(NavRow{ID: agent.ConversationID("c_" + m.id()), Title: m.say("Why did the nightly export fail?"), Status: status})
	}
	notice := func(tone Tone) Notice {
		return Notice{Tone: tone, Title: m.say("Saved."), Text: m.say("It takes effect with the next run.")}
	}
	return []Sample{
		{Component: "bar", State: "title", HTML: BarTitle(m.say("Why did the nightly export fail?"))},
		{Component: "bar", State: "waiting", HTML: BarMeta(m.say("Operations"), agent.StatusWaitingApproval)},
		{Component: "details", State: "run", HTML: DetailsBody(DetailsProps{Conversation: "c_sample", AgentName: m.say("Operations"), Model: m.model(), Grants: m.grants(), Usage: used, Run: run})},
		{Component: "details", State: "none", HTML: DetailsBody(DetailsProps{Conversation: "c_sample", AgentName: m.say("Operations"), Model: m.model()})},
		{Component: "nav", State: "idle", HTML: row(agent.StatusSucceeded)},
		{Component: "nav", State: "running", HTML: row(agent.StatusRunning)},
		{Component: "nav", State: "waiting", HTML: row(agent.StatusWaitingApproval)},
		{Component: "nav", State: "failed", HTML: row(agent.StatusFailed)},
		{Component: "field", State: "plain", HTML: Field(FieldProps{Name: "plain", Label: m.say("Name"), Value: m.say("Local"), Help: m.say("Shown to people."), Required: true, MaxLength: 64})},
		{Component: "field", State: "wrong", HTML: Field(FieldProps{Name: "wrong", Label: m.say("Base URL"), Value: m.say("ftp://x"), Error: m.say("Begin with http:// or https://."), Help: m.say("Ends before /chat."), Mono: true, Optional: true})},
		{Component: "field", State: "select", HTML: Select(SelectProps{Name: "select", Label: m.say("API"), Value: "b", Options: []Option{{Value: "a", Label: m.say("One")}, {Value: "b", Label: m.say("Two"), Group: m.say("More")}}})},
		{Component: "field", State: "check", HTML: Check(CheckProps{Name: "check", Label: m.say("Private network"), Help: m.say("Needed for this machine."), Checked: true})},
		{Component: "notice_box", State: "note", HTML: NoticeBox(notice(ToneNote))},
		{Component: "notice_box", State: "ok", HTML: NoticeBox(notice(ToneOK))},
		{Component: "notice_box", State: "attn", HTML: NoticeBox(notice(ToneAttn))},
		{Component: "notice_box", State: "bad", HTML: NoticeBox(notice(ToneBad))},
		{Component: "toast", State: "ok", HTML: Toast(notice(ToneOK))},
		{Component: "tag", State: "plain", HTML: Tag(ToneNote, m.say("Read-only"))},
		{Component: "status", State: "bad", HTML: Status(ToneBad, m.say("Refused, HTTP 401"))},
	}
}

func (m *maker) page(title string, section Section) Page {
	return Page{
		Title: m.say(title), User: User{Name: m.say("Dana Ruiz"), Admin: true}, Section: section, Now: m.now,
		Rows: []NavRow{
			{ID: "c_sample", Title: m.say("Why did the nightly export fail?"), Status: agent.StatusRunning, UpdatedAt: m.now, Current: section == SectionConversation},
			{ID: "c_2", Title: m.say("Reorder filters for the Leith depot"), Status: agent.StatusWaitingApproval, UpdatedAt: m.now.Add(-time.Hour)},
			{ID: "c_3", Title: m.say("Rota for week 42"), Status: agent.StatusFailed, UpdatedAt: m.now.AddDate(0, 0, -1)},
			{ID: "c_4", UpdatedAt: m.now.AddDate(0, 0, -5)},
			{ID: "c_5", Title: m.say("Pallet sizes"), UpdatedAt: m.now.AddDate(0, -2, 0)},
		},
	}
}

func (m *maker) pages() []Sample {
	open := m.attempt()
	open.At, open.Text = m.now.Add(-14*time.Second), m.say("The export failed because it waited ten minutes for a lock.")
	flashed := m.page("New conversation", SectionNew)
	flashed.Flash = &Notice{Tone: ToneOK, Title: m.say("Saved.")}
	composer := ComposerProps{Message: "m_1", Models: []Option{{Value: "1", Label: m.say("practice-1"), Group: m.say("Practice")}}, Model: "1"}
	tries := []Suggestion{{Label: m.say("A short answer"), Message: m.say("Show me a short answer.")}, {Label: m.say("A call that waits for you"), Message: m.say("Write a note for me.")}}
	conversation := ConversationProps{
		Page: m.page("Why did the nightly export fail?", SectionConversation), Scene: m.scene(), Title: m.say("Why did the nightly export fail?"),
		AgentName: m.say("Operations"), Model: m.model(), Seq: 12, Earlier: 3, Queue: m.queue(), Message: "m_9", Output: agent.OutputOptions{Reasoning: true},
		Runs: []*agent.RunItem{m.run(agent.StatusRunning, inRow(m.callDone()), open, m.card(m.asked()))},
	}
	past := conversation
	past.Past, past.Title, past.Earlier = true, "", 0
	past.Page.Title = ""
	gone := conversation
	gone.AgentGone, gone.Queue, gone.Runs = true, nil, []*agent.RunItem{m.run(agent.StatusSucceeded)}
	goingOn := conversation
	goingOn.Earlier, goingOn.Copied = 0, &agent.HistoryCopied{From: "c_old", Title: m.say("Rota for week 42"), Omitted: 3, Messages: []agent.CopiedMessage{
		{Person: m.say("Dana Ruiz"), Text: m.say("Who is on call?"), At: sampleTime}, {Agent: m.say("Operations"), Text: m.say("**Ines**, until Friday."), At: sampleTime},
	}}
	inbox := m.page("Inbox", SectionInbox)
	inbox.Needs = 4
	from := composer
	from.From, from.FromTitle = "c_old", m.say("Rota for week 42")
	return []Sample{
		{Component: "page", State: "going_on", Frame: "page", HTML: Conversation(goingOn)},
		{Component: "page", State: "new_going_on", Frame: "page", HTML: NewConversation(NewConversationProps{Page: flashed, AgentName: m.say("Operations"), Composer: from, Suggestions: tries, SuggestionModel: "1"})},
		{Component: "page", State: "agent_gone", Frame: "page", HTML: Conversation(gone)},
		{Component: "page", State: "inbox", Frame: "page", HTML: Inbox(InboxProps{Page: inbox, Items: []InboxItem{
			{Scene: m.scene(), Title: m.say("Rota for week 42"), Run: conversation.Runs[0], Item: m.card(m.asked())},
			{Scene: m.scene(), Title: "", Run: conversation.Runs[0], Item: m.card(m.asked(), m.asked())},
		}, More: 2})},
		{Component: "page", State: "inbox_empty", Frame: "page", HTML: Inbox(InboxProps{Page: m.page("Inbox", SectionInbox)})},
		{Component: "page", State: "past", Frame: "page", HTML: Conversation(past)},
		{Component: "page", State: "conversation", Frame: "page", HTML: Conversation(conversation)},
		{Component: "page", State: "new", Frame: "page", HTML: NewConversation(NewConversationProps{Page: flashed, AgentName: m.say("Operations"), Composer: composer, Suggestions: tries, SuggestionModel: "1"})},
		{Component: "page", State: "no_provider", Frame: "page", HTML: NewConversation(NewConversationProps{Page: m.page("New conversation", SectionNew)})},
		{Component: "page", State: "layout", Frame: "page", HTML: layoutSample(m.page("Providers", SectionProviders), m.say("Child"))},
	}
}
