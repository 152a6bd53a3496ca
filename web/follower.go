package web

import (
	"bytes"
	"context"

	"countersign/agent"
	"countersign/views"
)

// maxCatchUp is how many records a page may be behind before it is drawn anew
// instead of being brought up step by step. A page that claims what can't be
// is drawn anew too.
const maxCatchUp = 500

// A follower turns what happens in a conversation into fragments for one page.
// It knows what the page shows, so that the page is sent each thing once. It
// belongs to one goroutine.
type follower struct {
	*surround
	server *Server
	id     agent.ConversationID
	scene  views.Scene

	sub      *agent.Subscription
	timeline agent.Timeline
	reached  agent.Seq // what the page was told that it has
	draft    draftOnPage
	// written is the draft for the frame that is being made, nil until it is
	// asked for: all of a frame is of one moment.
	written *agent.Draft
	// announced is the newest sentence for assistive technology.
	announced string
}

func (s *Server) newFollower(id agent.ConversationID, scene views.Scene) *follower {
	return &follower{surround: s.newSurround(scene, views.SectionConversation), server: s, id: id, scene: scene}
}

func (f *follower) wake() <-chan struct{} { return f.sub.Wake() }

func (f *follower) close() {
	f.surround.close()
	f.sub.Close()
}

// begin subscribes and brings the page from what it has to what is true now. A
// first connection, one after a loss and one of a second tab are the same. The
// answer is never empty: it is how the page learns that it is connected.
func (f *follower) begin(ctx context.Context, have words) (*bytes.Buffer, error) {
	var draft agent.Draft
	f.sub, draft = f.server.config.Engine.Follow(f.id)
	f.watch()
	head, err := f.server.journal.Head(ctx, f.id)
	if err != nil {
		return nil, err
	}
	if have.Seq < 1 || have.Seq > head.Seq || head.Seq-have.Seq > maxCatchUp {
		return f.frame(ctx, []agent.Change{{What: agent.Rebuilt}}, nil)
	}
	// Only the run that was under way at that place can still change.
	runs, err := f.server.config.DB.Conversations().Runs(ctx, f.id, have.Seq+1, 1)
	if err != nil {
		return nil, err
	}
	if len(runs) > 0 {
		f.timeline.Seq = runs[0].FirstSeq - 1
	}
	if err := f.read(ctx, have.Seq); err != nil {
		return nil, err
	}
	f.timeline.Take() // the page has all of this
	if err := f.read(ctx, 0); err != nil {
		return nil, err
	}
	changes := f.timeline.Take()
	return f.frame(ctx, changes, f.draft.continued(have, draft))
}

// read folds in the records up to a place, or all there are if it is zero.
func (f *follower) read(ctx context.Context, to agent.Seq) error {
	if to != 0 && f.timeline.Seq >= to {
		return nil
	}
	for r, err := range f.server.journal.Read(ctx, f.id, f.timeline.Seq) {
		if err != nil {
			return err
		}
		f.timeline.Apply(r)
		if r.Seq == to {
			return nil
		}
	}
	return nil
}

// more sends what is new.
func (f *follower) more(ctx context.Context) (*bytes.Buffer, error) {
	u := f.sub.Take()
	if u.Seq > f.timeline.Seq {
		if err := f.read(ctx, 0); err != nil {
			return nil, err
		}
	}
	changes := f.timeline.Take()
	if u.Lost {
		changes = append(changes, f.open(f.draft.attempt)...)
	}
	if u.Activity != nil {
		changes = append(changes, agent.Change{What: activityShown, Key: string(u.Activity.Attempt)})
	}
	return f.frame(ctx, changes, u.Deltas)
}

// again sends the whole draft of an attempt that the page lost track of.
func (f *follower) again(ctx context.Context, attempt agent.AttemptID) (*bytes.Buffer, error) {
	return f.frame(ctx, f.open(attempt), nil)
}

// open lists the items of an attempt that is still being written, to be drawn
// with all of its draft.
func (f *follower) open(attempt agent.AttemptID) []agent.Change {
	var list []agent.Change
	for _, run := range f.timeline.Runs {
		for _, item := range run.Items {
			if openAttempt(item) == attempt && attempt != "" {
				list = append(list, agent.Change{What: agent.ItemPut, Run: run.ID, Key: item.Key()})
			}
		}
	}
	return list
}

// beat is a sign of life. It looks into the journal, so that even a record
// that nobody told of reaches the page.
func (f *follower) beat(ctx context.Context) (*bytes.Buffer, error) {
	if err := f.read(ctx, 0); err != nil {
		return nil, err
	}
	frame, err := f.frame(ctx, f.timeline.Take(), nil)
	if err != nil {
		return nil, err
	}
	return frame, views.Beat(f.timeline.Seq).Render(ctx, frame)
}

// frame renders changes of the record, then what has grown since, then how far
// that brings the page: records that change nothing on it count too, or the
// next beat would have it connect anew.
func (f *follower) frame(ctx context.Context, changes []agent.Change, deltas []agent.Delta) (*bytes.Buffer, error) {
	f.scene.Now, f.written = f.server.config.Now(), nil
	list, err := f.changed(ctx, changes)
	if err != nil {
		return nil, err
	}
	for _, d := range deltas {
		list = append(list, f.grown(d)...)
	}
	if f.reached != f.timeline.Seq {
		f.reached = f.timeline.Seq
		list = append(list, views.Reached(f.reached))
	}
	var frame bytes.Buffer
	for _, fragment := range list {
		if err := fragment.Render(ctx, &frame); err != nil {
			return nil, err
		}
	}
	f.timeline.Forget()
	return &frame, nil
}

// newest returns the newest run, nil before the first one. One that is over is
// not in the timeline any more.
func (f *follower) newest(ctx context.Context) (*agent.RunItem, error) {
	if n := len(f.timeline.Runs); n > 0 {
		return f.timeline.Runs[n-1], nil
	}
	runs, err := f.server.config.DB.Conversations().Runs(ctx, f.id, 0, 1)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	var t agent.Timeline
	for r, err := range f.server.journal.ReadRun(ctx, f.id, runs[0].ID) {
		if err != nil {
			return nil, err
		}
		t.Apply(r)
	}
	return t.Run(runs[0].ID), nil
}
