package api

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
)

// A teller turns what happens to a run into the events of a stream. It belongs
// to one goroutine.
type teller interface {
	// record tells of a record, which is folded into the run by then. live is
	// false for one that was there when the stream began.
	record(rec agent.Record, live bool)
	// delta tells of text of the attempt that is under way.
	delta(d agent.Delta)
	// activity tells that the attempt under way is still alive.
	activity(a agent.Activity)
	// standing tells what is so after the records: what waits, and the end.
	standing()
	// joined says what had been written of an attempt when the stream began,
	// and written what there is by now of one of which the reader lacks a part.
	joined(d agent.Draft)
	written(d agent.Draft)
}

// A follower follows one run for one program. It belongs to the goroutine of
// its request.
type follower struct {
	teller
	server *Server
	run    *run
	out    *eventWriter
	sub    *agent.Subscription
	read   agent.Seq // how far the journal was read
}

// A listener is what a teller tells to: a reader, and what it has already.
type listener struct {
	*run
	out   *eventWriter
	after agent.Seq
	now   func() time.Time
}

// place is the newest record that the reader has everything of.
func (l listener) place() agent.Seq { return max(l.after, l.Seq) }

// followRun serves the frames of a run.
func (s *Server) followRun(c *call) error {
	return s.follow(c, func(l listener) teller { return &frames{listener: l} })
}

// followEvents serves the journal's own events of a run. The operator's command
// gets all that was written, however late it comes; a program that comes late
// has what was stored.
func (s *Server) followEvents(c *call) error {
	return s.follow(c, func(l listener) teller {
		t := &events{listener: l}
		if c.operator {
			t.output = func(id agent.AttemptID) []agent.Segment { return s.output(c.Context(), l.ref.Conversation, id) }
		}
		return t
	})
}

// output is what an attempt wrote, nothing if it left nothing.
func (s *Server) output(ctx context.Context, id agent.ConversationID, attempt agent.AttemptID) []agent.Segment {
	o, err := s.journal.Output(ctx, id, attempt)
	if err != nil && !errors.Is(err, agent.ErrNotFound) && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "read what an attempt wrote", "conversation", string(id), "attempt", string(attempt), "error", err)
	}
	return o.Segments
}

// follow serves a stream to its end. An error comes before anything was sent.
func (s *Server) follow(c *call, tell func(listener) teller) error {
	after, err := cursor(c)
	if err != nil {
		return err
	}
	found, err := s.find(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	st := &stream{caller: c.name(), key: c.key.ID, user: c.user.ID, conversation: found.ref.Conversation, cancel: cancel}
	if !s.streams.add(st, s.Limits.Streams, s.Limits.KeyStreams) {
		return errNoStream
	}
	defer s.streams.remove(st)
	// A key that ended before its stream was known did not end it.
	if err := s.mayStill(c); err != nil {
		return err
	}
	// Live first, then the journal: what happens in between comes twice and is
	// told once.
	sub, draft := s.Engine.Follow(found.ref.Conversation)
	defer sub.Close()
	head, err := s.journal.Head(c.Context(), found.ref.Conversation)
	if err != nil {
		return orUnknown(err, errNoRun)
	}
	out, err := begin(c.w, s.Limits.Write)
	if err != nil {
		return nil // the program has gone
	}
	f := &follower{server: s, run: &run{ref: found.ref, queued: found.queued}, out: out, sub: sub}
	f.teller = tell(listener{f.run, out, after, s.Now})
	if draft.Run == found.ref.Run {
		f.joined(draft)
	}
	if err := f.serve(ctx, c, head); err != nil && ctx.Err() == nil && errorOf(err) == errInternal {
		s.log.ErrorContext(ctx, "a stream broke off", "conversation", string(found.ref.Conversation), "run", string(found.ref.Run), "error", err)
	}
	return nil
}

// cursor reads where a reader left off: Last-Event-ID, or after.
func cursor(c *call) (agent.Seq, error) {
	text := strings.TrimSpace(c.Header.Get("Last-Event-ID"))
	if text == "" {
		text = c.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxSeq {
		return 0, invalid("Last-Event-ID and after are ids of events of this run.")
	}
	return agent.Seq(n), nil
}

// serve tells of the run until it is over or the context ends. The head is that
// of the moment at which the stream began: what comes after it is live.
func (f *follower) serve(ctx context.Context, c *call, head agent.Head) error {
	f.read = head.Seq // of a run that begins later
	for rec, err := range f.server.journal.ReadRun(ctx, f.run.ref.Conversation, f.run.ref.Run) {
		if err != nil {
			return err
		}
		f.run.Apply(rec)
		f.read = rec.Seq
		f.record(rec, rec.Seq > head.Seq)
	}
	f.stillQueued(head)
	f.catchUp()
	f.standing()
	beat := time.NewTicker(f.server.Limits.KeepAlive)
	defer beat.Stop()
	for {
		if err := f.out.flush(); err != nil || f.run.state().Terminal() {
			return nil // the reader has gone, or has everything
		}
		if !pause(ctx, f.server.Limits.Frame) {
			return nil
		}
		select {
		case <-f.sub.Wake():
			if err := f.more(ctx); err != nil {
				return err
			}
		case <-beat.C:
			if err := f.beat(ctx, c); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// stillQueued notes that the message of a run that has not begun was taken
// back. The head is older than what was read.
func (f *follower) stillQueued(head agent.Head) {
	if q := f.run.queued; q != nil && head.Queued(q.Message) < 0 {
		f.run.removed = true
	}
}

// beat is a sign of life. It looks into the journal, so that even a record
// that nobody told of reaches the reader.
func (f *follower) beat(ctx context.Context, c *call) error {
	err := f.server.mayStill(c)
	if err == nil {
		_, err = f.server.journal.Head(ctx, f.run.ref.Conversation)
	}
	if err != nil {
		return err // the key has ended, or the conversation is deleted
	}
	f.out.comment("keepalive")
	return f.more(ctx)
}

// catchUp tells what there is by now of the attempt under way.
func (f *follower) catchUp() {
	if draft := f.server.Engine.Draft(f.run.ref.Conversation); draft.Attempt != "" && draft.Attempt == f.open() {
		f.written(draft)
	}
}

// open is the attempt under way, "" without one.
func (f *follower) open() agent.AttemptID {
	if f.run.Attempt == nil {
		return ""
	}
	return f.run.Attempt.Attempt
}

// more tells what is new. The text of an attempt comes before the record that
// ends it.
func (f *follower) more(ctx context.Context) error {
	u := f.sub.Take()
	deltas := u.Deltas
	flush := func() {
		rest := deltas[:0:0]
		for _, d := range deltas {
			if d.Attempt == f.open() {
				f.delta(d)
			} else {
				rest = append(rest, d)
			}
		}
		deltas = rest
	}
	flush()
	head := agent.Head{}
	if f.run.queued != nil {
		var err error
		if head, err = f.server.journal.Head(ctx, f.run.ref.Conversation); err != nil {
			return err
		}
	}
	for rec, err := range f.server.journal.Read(ctx, f.run.ref.Conversation, f.read) {
		if err != nil {
			return err
		}
		f.read = rec.Seq
		if rec.Run != f.run.ref.Run {
			continue
		}
		f.run.Apply(rec)
		f.record(rec, true)
		flush() // an attempt may have begun, and what it wrote is here
	}
	f.stillQueued(head)
	if u.Lost {
		f.catchUp()
	}
	if u.Activity != nil && u.Activity.Attempt == f.open() {
		f.activity(*u.Activity)
	}
	f.standing()
	return nil
}
