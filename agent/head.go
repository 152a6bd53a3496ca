package agent

import (
	"slices"
	"time"
)

// A Head is what is true of a conversation now, small enough to keep beside
// its journal and to read for every command. It is a projection: applying a
// record twice changes nothing.
type Head struct {
	Seq       Seq       `json:"seq"`
	Owner     UserID    `json:"owner"`
	Agent     AgentID   `json:"agent"`
	AgentName string    `json:"agent_name"`
	Model     ModelRef  `json:"model"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Archived  bool      `json:"archived,omitempty"`

	// Run is the newest run, nil before the first one and after one was rewound.
	Run *RunHead `json:"run,omitempty"`
	// Queue holds the messages that wait for the run to end, oldest first.
	Queue []QueuedMessage `json:"queue,omitempty"`
	// Grants are the standing permissions, oldest first.
	Grants []Grant `json:"grants,omitempty"`
	// Bypass is on while approvals are switched off, else nil.
	Bypass *Bypass `json:"bypass,omitempty"`
	// Reviews counts against the reviewer.
	Reviews Reviews `json:"reviews,omitzero"`
	// Usage is what the conversation has used so far.
	Usage UsageTotal `json:"usage"`
	// Answers are the newest messages that answered a question, oldest first:
	// they started no run by which they would be found when sent again.
	Answers []MessageAnswer `json:"answers,omitempty"`
}

// maxAnswers is how many answers a head remembers.
const maxAnswers = 20

// A MessageAnswer is a message that answered the question of a run.
type MessageAnswer struct {
	Message MessageID `json:"message_id"`
	Run     RunID     `json:"run_id"`
}

// A RunHead is what is true of the newest run.
type RunHead struct {
	ID       RunID         `json:"id"`
	FirstSeq Seq           `json:"first_seq"` // of its user message
	Status   RunStatus     `json:"status"`
	Epoch    int           `json:"epoch"`
	Open     []Interaction `json:"open,omitempty"`
}

// An Interaction is a pause for a person.
type Interaction struct {
	ID        InteractionID   `json:"id"`
	Kind      InteractionKind `json:"kind"`
	ExpiresAt time.Time       `json:"expires_at"` // zero when it never expires
}

// InteractionKind is what a person is asked for.
type InteractionKind string

const (
	KindApproval  InteractionKind = "approval"
	KindReconcile InteractionKind = "reconcile"
	KindQuestion  InteractionKind = "question"
	// KindSafety asks whether a run goes on that a guardrail or the loop guard
	// stopped.
	KindSafety InteractionKind = "safety"
)

// A QueuedMessage waits for the run to end.
type QueuedMessage struct {
	Message     MessageID     `json:"message_id"`
	Text        string        `json:"text"`
	Author      Actor         `json:"author"`
	Output      OutputOptions `json:"output"`
	At          time.Time     `json:"at"`
	Attachments []Attachment  `json:"attachments,omitempty"`
}

// Busy reports whether a run is under way, so that a message must wait.
func (h *Head) Busy() bool { return h.Run != nil && !h.Run.Status.Terminal() }

// Queued returns the place of a message in the queue, or -1.
func (h *Head) Queued(id MessageID) int {
	return slices.IndexFunc(h.Queue, func(q QueuedMessage) bool { return q.Message == id })
}

// answeredBy returns the run whose question a message answered.
func (h *Head) answeredBy(id MessageID) (RunID, bool) {
	i := slices.IndexFunc(h.Answers, func(a MessageAnswer) bool { return a.Message == id })
	if i < 0 {
		return "", false
	}
	return h.Answers[i].Run, true
}

// Apply folds a record into the head.
func (h *Head) Apply(r Record) {
	if r.Seq <= h.Seq {
		return
	}
	h.Seq, h.UpdatedAt = r.Seq, r.At
	h.Reviews.apply(r.Event)
	switch e := r.Event.(type) {
	case ConversationCreated:
		h.Owner, h.Agent, h.AgentName, h.Model, h.CreatedAt = e.Owner, e.Agent, e.AgentName, e.Model, r.At
	case ConversationTitled:
		h.Title = e.Title
	case ConversationArchived:
		h.Archived = true
	case ConversationUnarchived:
		h.Archived = false
	case MessageQueued:
		h.Queue = append(slices.Clip(h.Queue), QueuedMessage{Message: e.Message, Text: e.Text, Author: e.Author, Output: e.Output, At: r.At, Attachments: e.Attachments})
	case QueuedMessageEdited:
		if i := h.Queued(e.Message); i >= 0 {
			h.Queue = slices.Clone(h.Queue)
			h.Queue[i].Text = e.Text
		}
	case QueuedMessageRemoved:
		h.dequeue(e.Message)
	case UserMessage:
		h.dequeue(e.Message)
		h.Archived = false
		h.Run = &RunHead{ID: r.Run, FirstSeq: r.Seq}
	case QuestionAnswered:
		if e.Message != "" {
			h.Answers = append(slices.Clone(h.Answers), MessageAnswer{Message: e.Message, Run: r.Run})
			h.Answers = h.Answers[max(0, len(h.Answers)-maxAnswers):]
		}
	case ModelUsage:
		h.Usage.Add(e)
	case GrantCreated:
		h.Grants = append(slices.Clip(h.Grants), Grant{GrantCreated: e, Seq: r.Seq, At: r.At})
	case ApprovalDecision:
		if i := slices.IndexFunc(h.Grants, func(g Grant) bool { return g.Grant == e.Grant }); i >= 0 && e.Origin == OriginGrant {
			h.Grants = slices.Clone(h.Grants)
			h.Grants[i].UsedAt = r.At
		}
	case GrantRevoked:
		h.Grants = slices.DeleteFunc(slices.Clone(h.Grants), func(g Grant) bool { return g.Grant == e.Grant })
	case BypassStarted:
		h.Bypass = &Bypass{By: e.By, Seq: r.Seq, At: r.At}
	case BypassEnded:
		h.Bypass = nil
	case Rewound:
		if h.Bypass != nil && h.Bypass.Seq > e.To {
			h.Bypass = nil
		}
		h.Grants = slices.DeleteFunc(slices.Clone(h.Grants), func(g Grant) bool { return g.Seq > e.To })
		if h.Run != nil && h.Run.FirstSeq > e.To {
			h.Run = nil
		}
	}
	if h.Run != nil && r.Run == h.Run.ID {
		h.Run = h.Run.apply(r.Event)
	}
}

func (h *Head) dequeue(id MessageID) {
	if i := h.Queued(id); i >= 0 {
		h.Queue = slices.Delete(slices.Clone(h.Queue), i, i+1)
	}
}

// apply returns the run after an event; it never changes the one it is given,
// because heads are copied.
func (r RunHead) apply(e Event) *RunHead {
	r.Status = r.Status.next(e)
	switch e := e.(type) {
	case RunStarted:
		r.Epoch = e.Epoch
	case ApprovalRequested:
		r.Open = append(slices.Clip(r.Open), Interaction{ID: e.Interaction, Kind: KindApproval, ExpiresAt: e.ExpiresAt})
	case QuestionAsked:
		r.Open = append(slices.Clip(r.Open), Interaction{ID: e.Interaction, Kind: KindQuestion, ExpiresAt: e.ExpiresAt})
	case ReconcileRequested:
		r.Open = append(slices.Clip(r.Open), Interaction{ID: e.Interaction, Kind: KindReconcile})
	case SafetyRequested:
		r.Open = append(slices.Clip(r.Open), Interaction{ID: e.Interaction, Kind: KindSafety})
	case InteractionClosed:
		r.Open = slices.DeleteFunc(slices.Clone(r.Open), func(i Interaction) bool { return i.ID == e.Interaction })
	}
	return &r
}
