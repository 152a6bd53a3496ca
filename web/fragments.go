package web

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"

	"countersign/agent"
	"countersign/views"
)

// changed returns the fragments that bring a page from before some changes of
// the timeline to after them. They are made of the components of the page.
func (f *follower) changed(ctx context.Context, changes []agent.Change) ([]templ.Component, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	head, err := f.server.journal.Head(ctx, f.id)
	if err != nil {
		return nil, err
	}
	var list []templ.Component
	touched := make(map[agent.RunID]bool)
	for _, c := range changes {
		switch c.What {
		case agent.Rebuilt:
			return f.rebuilt(ctx, head)
		case agent.RunAdded:
			list = append(list, within(views.Put(views.IDRuns), views.PersonMessage(f.scene, f.timeline.Run(c.Run))))
			list = append(list, within(views.Put(views.IDRuns), views.RunArticle(f.scene, f.timeline.Run(c.Run))))
		case agent.ItemPut:
			if run := f.timeline.Run(c.Run); run != nil && run.Item(c.Key) != nil {
				list = append(list, f.entry(run, run.Item(c.Key)))
			}
		case agent.CallPut:
			if run := f.timeline.Run(c.Run); run != nil {
				list = append(list, f.call(run, agent.CallID(c.Key))...)
			}
		case agent.ItemRemoved:
			list = append(list, views.Remove(views.EntryIDOf(c.Key)))
		case agent.QueueChanged:
			list = append(list, replace(views.Queue(f.scene, head.Queue, head.Busy())))
		case agent.RunChanged:
			if len(head.Queue) > 0 { // what it says depends on whether a run is under way
				list = append(list, replace(views.Queue(f.scene, head.Queue, head.Busy())))
			}
		case agent.TitleChanged:
			list = append(list, replace(views.BarTitle(head.Title)), views.DocumentTitle(head.Title), replace(views.RenameForm(f.id, head.Title)))
		case agent.ArchiveChanged:
			rows, err := f.sidebar(ctx)
			if err != nil {
				return nil, err
			}
			list = append(list, rows)
		case activityShown:
			list = append(list, f.activity(agent.AttemptID(c.Key)))
		}
		touched[c.Run] = true
	}
	if !slices.ContainsFunc(changes, func(c agent.Change) bool { return c.What != activityShown }) {
		return list, nil // signs of life are no facts
	}
	for _, run := range f.timeline.Runs {
		if touched[run.ID] {
			list = append(list, replace(views.RunState(run)))
		}
	}
	around, err := f.surroundings(ctx, head)
	return append(list, around...), err
}

// surroundings are the parts of the page around the runs that say where the
// newest one stands.
func (f *follower) surroundings(ctx context.Context, head agent.Head) ([]templ.Component, error) {
	run, err := f.newest(ctx)
	if err != nil {
		return nil, err
	}
	list := []templ.Component{
		replace(views.BarMeta(head.AgentName, views.StatusOf(run))),
		replace(views.ComposerActions(views.BusyRun(run), views.Asked(run))),
		replace(views.SkipToCard(run)),
		replace(views.DetailsBody(views.DetailsProps{
			Conversation: f.id, AgentName: head.AgentName, Model: head.Model, Grants: head.Grants, Reviews: head.Reviews, Usage: head.Usage, Run: run,
		})),
		replace(views.NavRowLink(f.row(head))),
		replace(views.ArchiveForm(f.id, head.Archived)),
		replace(views.BypassBanner(f.id, head.Bypass)),
	}
	needs, err := f.server.config.DB.Conversations().NeedsYou(ctx, f.scene.Viewer.User)
	if err != nil {
		return nil, err
	}
	list = append(list, f.waits(needs)...)
	if text := views.Announcement(run); text != f.announced {
		f.announced = text
		list = append(list, views.Announce(text))
	}
	return list, nil
}

// sidebar draws the list of conversations anew.
func (f *follower) sidebar(ctx context.Context) (templ.Component, error) {
	rows, _, err := f.server.sidebar(ctx, f.scene.Viewer.User)
	markCurrent(rows, f.id)
	return replace(views.NavRows(views.Page{Rows: rows, Now: f.scene.Now})), err
}

// row is the conversation in the sidebar of its own page.
func (f *follower) row(head agent.Head) views.NavRow {
	row := views.NavRow{ID: f.id, Title: head.Title, UpdatedAt: head.UpdatedAt, Current: true}
	if head.Run != nil {
		row.Status = head.Run.Status
	}
	return row
}

// rebuilt draws the whole record anew.
func (f *follower) rebuilt(ctx context.Context, head agent.Head) ([]templ.Component, error) {
	window, err := f.server.window(ctx, f.id, 0)
	if err != nil {
		return nil, err
	}
	f.timeline = window.timeline
	f.timeline.Take()
	f.draft.drawn(window.draft.Attempt, agent.ChannelAnswer, window.draft.Answer)
	f.draft.drawn(window.draft.Attempt, agent.ChannelReasoning, window.draft.Reasoning)
	list := []templ.Component{
		replace(views.Earlier(f.id, window.earlier)),
		replace(views.Runs(f.scene, f.timeline.Runs)),
		replace(views.Queue(f.scene, head.Queue, head.Busy())),
		replace(views.BarTitle(head.Title)),
		views.DocumentTitle(head.Title),
		replace(views.RenameForm(f.id, head.Title)),
	}
	around, err := f.surroundings(ctx, head)
	return append(list, around...), err
}

// entry draws one item. One that is still being written is drawn with all that
// has arrived by now.
func (f *follower) entry(run *agent.RunItem, item agent.Item) templ.Component {
	if open := openAttempt(item); open != "" {
		draft := f.draftOf(open)
		f.timeline.SetDraft(draft)
		if _, ok := item.(*agent.ReasoningItem); ok {
			f.draft.drawn(open, agent.ChannelReasoning, draft.Reasoning)
		} else {
			f.draft.drawn(open, agent.ChannelAnswer, draft.Answer)
		}
	}
	return within(views.Put(views.RunStepsID(run.ID)), views.Entry(f.scene, run, item))
}

// call draws one call and the line before those it is among.
func (f *follower) call(run *agent.RunItem, id agent.CallID) []templ.Component {
	c, calls := run.Call(id)
	if c == nil {
		return nil
	}
	return []templ.Component{
		within(views.Put(views.CallsListID(calls)), views.Call(f.scene, c)),
		replace(views.CallsSummary(calls)),
	}
}

// draftOf returns the draft of an attempt that is still being written.
func (f *follower) draftOf(open agent.AttemptID) agent.Draft {
	if f.written == nil {
		draft := f.server.config.Engine.Draft(f.id)
		f.written = &draft
	}
	if f.written.Attempt != open {
		return agent.Draft{Attempt: open}
	}
	return *f.written
}

// openAttempt returns the attempt of an item that is still being written, ""
// for any other item.
func openAttempt(item agent.Item) agent.AttemptID {
	switch i := item.(type) {
	case *agent.AttemptItem:
		if i.State == agent.AttemptOpen {
			return i.Attempt
		}
	case *agent.ReasoningItem:
		if i.Open {
			return i.Attempt
		}
	}
	return ""
}

// activityShown is a change that is no fact: an attempt showed a sign of life.
const activityShown agent.ChangeKind = "activity"

func (f *follower) activity(attempt agent.AttemptID) templ.Component {
	for _, run := range f.timeline.Runs {
		if i, ok := run.Item(string(attempt)).(*agent.AttemptItem); ok && openAttempt(i) != "" {
			return replace(views.Activity(f.scene, run, i))
		}
	}
	return templ.NopComponent
}

// grown returns the fragment for a delta, or draws the whole draft when the
// page lacks something before it.
func (f *follower) grown(d agent.Delta) []templ.Component {
	rest, gap := f.draft.take(d)
	var list []templ.Component
	if gap {
		for _, run := range f.timeline.Runs {
			for _, item := range run.Items {
				if openAttempt(item) == d.Attempt {
					list = append(list, f.entry(run, item))
				}
			}
		}
	}
	if rest.Text != "" {
		list = append(list, views.DraftText(rest, f.draft.channel(rest.Channel).splitter.Split(rest.Text)))
	}
	return list
}

// within renders a child in a component that takes one, and replace renders a
// component that is always on the page.
func within(parent, child templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return parent.Render(templ.WithChildren(ctx, child), w)
	})
}

func replace(child templ.Component) templ.Component { return within(views.Put(""), child) }
