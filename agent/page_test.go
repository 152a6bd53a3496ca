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

// A pageItem is an item or one of the calls in it.
type pageItem struct {
	key, text string
	calls     []pageItem
}

func shown(item agent.Item) pageItem {
	calls, ok := item.(*agent.CallsItem)
	if !ok {
		return pageItem{key: item.Key(), text: agenttest.ItemText(item)}
	}
	p := pageItem{key: item.Key()}
	for _, c := range calls.Calls {
		p.calls = append(p.calls, shownCall(c))
	}
	return p
}

func shownCall(c *agent.CallItem) pageItem {
	return pageItem{key: string(c.Call), text: agenttest.ItemText(&agent.CallsItem{Calls: []*agent.CallItem{c}})}
}

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
				p.run(c.Run).items = put(p.run(c.Run).items, shown(item))
			}
		case agent.CallPut:
			call, calls := t.Run(c.Run).Call(agent.CallID(c.Key))
			items := p.run(c.Run).items
			i := slices.IndexFunc(items, func(i pageItem) bool { return i.key == calls.Key() })
			items[i].calls = put(items[i].calls, shownCall(call))
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

func put(items []pageItem, item pageItem) []pageItem {
	i := slices.IndexFunc(items, func(old pageItem) bool { return old.key == item.key })
	if i < 0 {
		return append(items, item)
	}
	items[i] = item
	return items
}

func renderRun(r *agent.RunItem) *pageRun {
	run := &pageRun{id: r.ID, status: r.Status}
	for _, i := range r.Items {
		run.items = append(run.items, shown(i))
	}
	return run
}

func (p *page) rendered() []string {
	list := []string{p.title}
	for _, r := range p.runs {
		list = append(list, fmt.Sprint(r.id, " ", r.status))
		for _, i := range r.items {
			list = append(list, i.key+": "+i.text)
			for _, c := range i.calls {
				list = append(list, c.key+": "+c.text)
			}
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
