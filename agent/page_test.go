package agent_test

import (
	"fmt"
	"slices"

	"countersign/agent"
	"countersign/agent/agenttest"
)

// A page is what somebody sees who was there from the start: it knows only
// what it was told of.
type page struct {
	title string
	queue []agent.QueuedMessage
	runs  []*pageRun
}

type pageRun struct {
	id     agent.RunID
	status agent.RunStatus
	items  []pageItem
}

type pageItem struct{ key, text string }

// update takes the changes of the timeline and looks at nothing else of it.
func (p *page) update(t *agent.Timeline) {
	for _, c := range t.Take() {
		switch c.What {
		case agent.Rebuilt:
			*p = page{title: t.Title, queue: t.Queue}
			for _, r := range t.Runs {
				p.runs = append(p.runs, renderRun(r))
			}
		case agent.TitleChanged:
			p.title = t.Title
		case agent.QueueChanged:
			p.queue = t.Queue
		case agent.RunAdded:
			p.runs = append(p.runs, &pageRun{id: c.Run, status: t.Run(c.Run).Status})
		case agent.RunChanged:
			p.run(c.Run).status = t.Run(c.Run).Status
		case agent.ItemPut:
			if item := t.Run(c.Run).Item(c.Key); item != nil {
				p.run(c.Run).put(pageItem{c.Key, agenttest.ItemText(item)})
			}
		case agent.ItemRemoved:
			r := p.run(c.Run)
			r.items = slices.DeleteFunc(r.items, func(i pageItem) bool { return i.key == c.Key })
		}
	}
}

func (p *page) run(id agent.RunID) *pageRun {
	for _, r := range p.runs {
		if r.id == id {
			return r
		}
	}
	panic("the page was not told of the run " + string(id))
}

func (r *pageRun) put(item pageItem) {
	i := slices.IndexFunc(r.items, func(old pageItem) bool { return old.key == item.key })
	if i < 0 {
		r.items = append(r.items, item)
		return
	}
	r.items[i] = item
}

func renderRun(r *agent.RunItem) *pageRun {
	run := &pageRun{id: r.ID, status: r.Status}
	for _, i := range r.Items {
		run.items = append(run.items, pageItem{i.Key(), agenttest.ItemText(i)})
	}
	return run
}

func (p *page) rendered() []string {
	list := []string{p.title}
	for _, r := range p.runs {
		list = append(list, fmt.Sprint(r.id, " ", r.status))
		for _, i := range r.items {
			list = append(list, i.key+": "+i.text)
		}
	}
	for _, q := range p.queue {
		list = append(list, q.Text)
	}
	return list
}

func render(t *agent.Timeline) []string {
	p := &page{title: t.Title, queue: t.Queue}
	for _, r := range t.Runs {
		p.runs = append(p.runs, renderRun(r))
	}
	return p.rendered()
}
