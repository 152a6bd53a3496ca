package web

import (
	"unicode/utf8"

	"countersign/agent"
	"countersign/views"
)

// A draftOnPage is how much of the open attempt's draft a page has. The zero
// value is a page that has none.
type draftOnPage struct {
	attempt  agent.AttemptID
	channels map[agent.Channel]*channelOnPage
}

type channelOnPage struct {
	end      int // bytes
	splitter views.Splitter
}

func (p *draftOnPage) channel(c agent.Channel) *channelOnPage {
	if p.channels == nil {
		p.channels = make(map[agent.Channel]*channelOnPage)
	}
	if p.channels[c] == nil {
		p.channels[c] = &channelOnPage{}
	}
	return p.channels[c]
}

// continued takes what a page says it has and returns what it lacks of the
// draft. What a page claims beyond the draft is left alone: the facts that
// replace its text are on their way.
func (p *draftOnPage) continued(have words, draft agent.Draft) []agent.Delta {
	*p = draftOnPage{attempt: have.Attempt}
	if have.Attempt == "" || have.Attempt != draft.Attempt {
		return nil
	}
	var deltas []agent.Delta
	for _, c := range []struct {
		channel agent.Channel
		end     int
		text    string
	}{{agent.ChannelReasoning, have.Reasoning, draft.Reasoning}, {agent.ChannelAnswer, have.Answer, draft.Answer}} {
		if c.end < 0 || c.end > len(c.text) || (c.end < len(c.text) && !utf8.RuneStart(c.text[c.end])) {
			continue
		}
		p.drawn(draft.Attempt, c.channel, c.text[:c.end])
		if rest := c.text[c.end:]; rest != "" {
			deltas = append(deltas, agent.Delta{Attempt: draft.Attempt, Channel: c.channel, Start: c.end, Text: rest})
		}
	}
	return deltas
}

// drawn notes that the page shows this much of a channel.
func (p *draftOnPage) drawn(attempt agent.AttemptID, c agent.Channel, text string) {
	if p.attempt != attempt {
		*p = draftOnPage{attempt: attempt}
	}
	on := p.channel(c)
	*on = channelOnPage{end: len(text)}
	on.splitter.Split(text)
}

// take returns the part of a delta that the page lacks; its text is empty
// where the page has it all, or the attempt is not on the page. gap says that
// something before it is missing too.
func (p *draftOnPage) take(d agent.Delta) (rest agent.Delta, gap bool) {
	if d.Attempt != p.attempt {
		return rest, false
	}
	on := p.channel(d.Channel)
	switch {
	case d.Start > on.end:
		return rest, true
	case d.End() <= on.end:
		return rest, false
	}
	d.Text, d.Start = d.Text[on.end-d.Start:], on.end
	on.end = d.End()
	return d, false
}
