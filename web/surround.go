package web

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"countersign/agent"
	"countersign/views"
)

// A surround keeps what a page shows around its own matter as it is now: the
// conversations of the person in the sidebar, and how much waits. On the inbox
// that is the matter itself. It belongs to one goroutine.
type surround struct {
	site     *Server
	viewer   views.Scene // of no conversation
	section  views.Section
	watching *agent.Watch

	// What the page was last told.
	needs int    // -1 for nothing yet
	rows  string // of the sidebar
	cards string // of the inbox
}

func (s *Server) newSurround(scene views.Scene, section views.Section) *surround {
	return &surround{site: s, viewer: scene, section: section, needs: -1}
}

// watch begins, before anything is read.
func (p *surround) watch() { p.watching = p.site.config.Engine.Watch(p.viewer.Viewer.User) }

func (p *surround) close() { p.watching.Close() }

func (p *surround) moved() <-chan struct{} { return p.watching.Wake() }

// around sends what may have changed.
func (p *surround) around(ctx context.Context) (*bytes.Buffer, error) {
	list, err := p.fragments(ctx)
	if err != nil {
		return nil, err
	}
	var frame bytes.Buffer
	for _, fragment := range list {
		if err := fragment.Render(ctx, &frame); err != nil {
			return nil, err
		}
	}
	return &frame, nil
}

func (p *surround) fragments(ctx context.Context) ([]templ.Component, error) {
	p.viewer.Now = p.site.config.Now()
	needs, err := p.site.config.DB.Conversations().NeedsYou(ctx, p.viewer.Viewer.User)
	if err != nil {
		return nil, err
	}
	list := p.waits(needs)
	if !p.section.Settings() {
		rows, _, err := p.site.sidebar(ctx, p.viewer.Viewer.User)
		if err != nil {
			return nil, err
		}
		markCurrent(rows, p.viewer.Conversation)
		if told := fmt.Sprint(rows); told != p.rows {
			p.rows = told
			list = append(list, replace(views.NavRows(views.Page{Rows: rows, Now: p.viewer.Now})))
		}
	}
	if p.section == views.SectionInbox {
		items, more, err := p.site.waiting(ctx, p.viewer)
		if err != nil {
			return nil, err
		}
		if told := signature(items); told != p.cards {
			p.cards = told
			list = append(list, replace(views.InboxList(items, more)))
		}
	}
	return list, nil
}

// waits says how much waits, unless the page was told.
func (p *surround) waits(needs int) []templ.Component {
	if needs == p.needs {
		return nil
	}
	p.needs = needs
	return []templ.Component{
		replace(views.InboxLink(needs, p.section == views.SectionInbox)), replace(views.Favicon(needs)), views.Needs(needs),
	}
}

// signature tells apart what the inbox may show: which cards, and what of them
// is decided. Countdowns run by themselves.
func signature(items []views.InboxItem) string {
	var b strings.Builder
	for _, i := range items {
		decided := 0
		if card, ok := i.Item.(*agent.ApprovalItem); ok {
			for _, c := range card.Calls {
				if c.Decision != nil {
					decided++
				}
			}
		}
		fmt.Fprintf(&b, "%s %d\n", i.Item.Key(), decided)
	}
	return b.String()
}

// A personFollower is what happens around a page that shows no conversation.
type personFollower struct{ *surround }

func (p *personFollower) begin(ctx context.Context, _ words) (*bytes.Buffer, error) {
	p.watch()
	return p.around(ctx)
}

func (*personFollower) wake() <-chan struct{} { return nil }

func (*personFollower) more(context.Context) (*bytes.Buffer, error) { return new(bytes.Buffer), nil }

func (*personFollower) again(context.Context, agent.AttemptID) (*bytes.Buffer, error) {
	return new(bytes.Buffer), nil
}

// beat looks again: what another program changes, and what expires, nobody
// tells of.
func (p *personFollower) beat(ctx context.Context) (*bytes.Buffer, error) {
	frame, err := p.around(ctx)
	if err != nil {
		return nil, err
	}
	return frame, views.Beat(0).Render(ctx, frame)
}
