package agent

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"
)

// The bounds on what an attempt shows while it is under way, in bytes
// (contract A11, R3). What is stored is not cut by them, except that
// reasoning beyond its bound is not kept.
const (
	MaxAnswerDisplay    = 256 << 10
	MaxReasoningDisplay = 64 << 10
)

// A Draft is the text of the attempt that is under way. It is not a fact.
type Draft struct {
	Run       RunID
	Attempt   AttemptID // "" when none is under way
	Answer    string
	Reasoning string
	// Elapsed is the age of the request at the last sign of life that was
	// announced, zero before the first.
	Elapsed time.Duration
}

// A Delta is a piece of a draft: the bytes from Start of one channel.
type Delta struct {
	Attempt AttemptID
	Channel Channel
	// Segment is the place of the attempt's segment that the piece belongs to,
	// from 0: two of one segment have nothing of another channel between them.
	Segment int
	Start   int
	Text    string
}

// End returns the offset after the delta.
func (d Delta) End() int { return d.Start + len(d.Text) }

// An Update is what a subscriber has not seen yet.
type Update struct {
	// Seq is the newest record that is known to be committed. The records are
	// in the journal.
	Seq Seq
	// Deltas are in order for each channel, adjacent ones merged.
	Deltas []Delta
	// Activity is set when the attempt showed a sign of life (contract A20).
	Activity *Activity
	// Lost says that deltas were dropped because the subscriber was slow. It
	// must ask for the draft anew.
	Lost bool
}

// Activity says that a request is still open. It is not a fact.
type Activity struct {
	Attempt AttemptID
	Elapsed time.Duration
}

// maxBehind is how many bytes of deltas a subscriber may be behind.
const maxBehind = 256 << 10

// hub keeps the draft of every conversation that has a run under way and
// tells subscribers of what is new. Everything in it may be lost without harm:
// facts are in the journal.
type hub struct {
	mu      sync.Mutex
	rooms   map[ConversationID]*room
	watches map[UserID]map[*Watch]struct{}
}

type room struct {
	seq   Seq
	draft Draft
	// answer and reasoning grow with the draft: appending to a string would
	// copy it each time.
	answer, reasoning []byte
	// full are the channels that have left something out. They take no more,
	// however little: what they hold is the start of what was written.
	full map[Channel]bool
	subs map[*Subscription]struct{}
}

// A Subscription follows one conversation. Close it.
type Subscription struct {
	hub  *hub
	id   ConversationID
	wake chan struct{}

	// What follows is guarded by hub.mu.
	next   Update // without its deltas
	behind []merged
	bytes  int // of behind
}

// A merged delta grows until it is taken: adding to a string would copy it
// each time.
type merged struct {
	first Delta // without its text
	text  []byte
}

func (m *merged) continuedBy(d Delta) bool {
	return m.first.Attempt == d.Attempt && m.first.Channel == d.Channel && m.first.Segment == d.Segment && m.first.Start+len(m.text) == d.Start
}

func newHub() *hub {
	return &hub{rooms: make(map[ConversationID]*room), watches: make(map[UserID]map[*Watch]struct{})}
}

// room returns the room of a conversation, made if needed. h.mu is held.
func (h *hub) room(id ConversationID) *room {
	r := h.rooms[id]
	if r == nil {
		r = &room{subs: make(map[*Subscription]struct{})}
		h.rooms[id] = r
	}
	return r
}

// tidy forgets a room that nobody needs. h.mu is held.
func (h *hub) tidy(id ConversationID) {
	if r := h.rooms[id]; r != nil && len(r.subs) == 0 && r.draft.Attempt == "" {
		delete(h.rooms, id)
	}
}

func (h *hub) subscribe(id ConversationID) (*Subscription, Draft) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(id)
	s := &Subscription{hub: h, id: id, wake: make(chan struct{}, 1)}
	r.subs[s] = struct{}{}
	return s, r.snapshot()
}

func (r *room) snapshot() Draft {
	d := r.draft
	d.Answer, d.Reasoning = string(r.answer), string(r.reasoning)
	return d
}

// draft returns the text so far of the attempt under way.
func (h *hub) draft(id ConversationID) Draft {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[id]; r != nil {
		return r.snapshot()
	}
	return Draft{}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if r := s.hub.rooms[s.id]; r != nil {
		delete(r.subs, s)
		s.hub.tidy(s.id)
	}
}

// Wake is signalled when Take has something to give.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Take returns what is new and forgets it.
func (s *Subscription) Take() Update {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	u := s.next
	for _, m := range s.behind {
		m.first.Text = string(m.text)
		u.Deltas = append(u.Deltas, m.first)
	}
	s.next, s.behind, s.bytes = Update{Seq: u.Seq}, nil, 0
	return u
}

// Next waits for something new and returns it.
func (s *Subscription) Next(ctx context.Context) (Update, error) {
	select {
	case <-s.wake:
		return s.Take(), nil
	case <-ctx.Done():
		return Update{}, context.Cause(ctx)
	}
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// committed tells of records up to a place.
func (h *hub) committed(id ConversationID, seq Seq) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[id]
	if r == nil {
		return
	}
	r.seq = max(r.seq, seq)
	for s := range r.subs {
		s.next.Seq = r.seq
		s.signal()
	}
}

// begin opens the draft of an attempt, and end closes it.
func (h *hub) begin(id ConversationID, run RunID, attempt AttemptID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.room(id)
	r.draft, r.answer, r.reasoning, r.full = Draft{Run: run, Attempt: attempt}, nil, nil, make(map[Channel]bool)
}

func (h *hub) end(id ConversationID, attempt AttemptID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[id]; r != nil && r.draft.Attempt == attempt {
		r.draft, r.answer, r.reasoning, r.full = Draft{}, nil, nil, nil
		h.tidy(id)
	}
}

// append grows a channel of the draft up to its bound, cut at a character, and
// reports whether all of the text fitted. The delta has the text and where it
// belongs; its start is found here.
func (h *hub) append(id ConversationID, d Delta) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[id]
	if r == nil || r.draft.Attempt != d.Attempt {
		return true
	}
	if r.full[d.Channel] {
		return false
	}
	to, bound := &r.answer, MaxAnswerDisplay
	if d.Channel == ChannelReasoning {
		to, bound = &r.reasoning, MaxReasoningDisplay
	}
	kept := Cut(d.Text, bound-len(*to))
	r.full[d.Channel] = len(kept) < len(d.Text)
	if kept != "" {
		d.Start, d.Text = len(*to), kept
		*to = append(*to, kept...)
		for s := range r.subs {
			s.add(d)
		}
	}
	return !r.full[d.Channel]
}

func (s *Subscription) add(d Delta) {
	switch n := len(s.behind); {
	case s.next.Lost:
	case s.bytes+len(d.Text) > maxBehind:
		s.next.Lost, s.behind = true, nil
	case n > 0 && s.behind[n-1].continuedBy(d):
		s.behind[n-1].text = append(s.behind[n-1].text, d.Text...)
		s.bytes += len(d.Text)
	default:
		s.bytes += len(d.Text)
		text := []byte(d.Text)
		d.Text = ""
		s.behind = append(s.behind, merged{d, text})
	}
	s.signal()
}

func (h *hub) activity(id ConversationID, a Activity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[id]
	if r == nil || r.draft.Attempt != a.Attempt {
		return
	}
	r.draft.Elapsed = a.Elapsed
	for s := range r.subs {
		s.next.Activity = &a
		s.signal()
	}
}

// Cut returns the longest start of s that has at most n bytes and ends at a
// character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
