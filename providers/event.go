package providers

// An Event is one thing a stream yields: a [TextDelta], a [ReasoningDelta], a
// [RefusalDelta], an [Activity], a [UsageUpdate] or the closing [Finish].
type Event interface{ event() }

// A TextDelta is a piece of the candidate answer. It is valid UTF-8 and not
// empty.
type TextDelta struct{ Text string }

// A ReasoningDelta is a piece of display reasoning (contract A19). It is valid
// UTF-8 and not empty, and yielded only when the request asked for reasoning.
type ReasoningDelta struct{ Text string }

// A RefusalDelta is a piece of the model's refusal.
type RefusalDelta struct{ Text string }

// Activity says that bytes arrived which are none of the above, for example a
// keepalive or a part of a tool call. It is a sign of life, not of progress.
type Activity struct{}

// A UsageUpdate says what the attempt has counted so far; a later one replaces
// it. An attempt that fails costs what the last one said (contract P23).
type UsageUpdate struct{ Usage Usage }

// A Finish closes an attempt that proved its own end.
type Finish struct {
	Reason    FinishReason
	RawReason string // as sent, at most 64 bytes, "" when there is none

	Text      string
	Reasoning string // display reasoning; empty when not asked for
	Refusal   string

	// Calls are the tool calls, in order of first appearance. They may run
	// only if Reason is FinishToolCalls and the call is Executable.
	Calls []ToolCall

	Usage     Usage
	Replay    *Replay // nil when there is no private state
	RequestID string  // cleaned, "" when unknown
}

func (TextDelta) event()      {}
func (ReasoningDelta) event() {}
func (RefusalDelta) event()   {}
func (Activity) event()       {}
func (UsageUpdate) event()    {}
func (Finish) event()         {}

// A FinishReason says why a proved end came.
type FinishReason string

const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishRefusal       FinishReason = "refusal"
	FinishPause         FinishReason = "pause"
	FinishContextLength FinishReason = "context_length"
	FinishOther         FinishReason = "other"
)

// Complete reports whether the answer is whole: every other reason means that
// it was cut, refused, filtered or paused.
func (r FinishReason) Complete() bool {
	return r == FinishStop || r == FinishToolCalls
}

// A ToolCall is the model's request to run a tool.
type ToolCall struct {
	// ID is the provider's id, or one made here when it gave none or one that
	// can't be shown. It is unique within the attempt only.
	ID   string
	Name string
	// Arguments are the raw bytes as received: "" or one JSON object.
	Arguments string
	// Executable reports that the stream was complete, that every rule on
	// calls held and that the name was declared in the request.
	Executable bool
}

// Usage counts tokens. A nil field is unknown, which is not zero
// (contract P23).
type Usage struct {
	InputTotal *int64 `json:"input_total"` // cache reads and writes included
	CacheRead  *int64 `json:"cache_read"`
	CacheWrite *int64 `json:"cache_write"`
	Output     *int64 `json:"output"` // reasoning included
	Reasoning  *int64 `json:"reasoning"`
}

// Known reports whether any count is known.
func (u Usage) Known() bool {
	return u.InputTotal != nil || u.CacheRead != nil || u.CacheWrite != nil || u.Output != nil || u.Reasoning != nil
}

// Equal reports whether both count the same.
func (u Usage) Equal(v Usage) bool {
	same := func(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(u.InputTotal, v.InputTotal) && same(u.CacheRead, v.CacheRead) && same(u.CacheWrite, v.CacheWrite) &&
		same(u.Output, v.Output) && same(u.Reasoning, v.Reasoning)
}
