package agent

import (
	"encoding/json"
	"fmt"
)

// kinds lists every event. A new kind is added here, and pinned in the test.
var kinds = decoders(
	decode[ConversationCreated], decode[ConversationTitled], decode[ConversationArchived], decode[ConversationUnarchived], decode[HistoryCopied], decode[Rewound],
	decode[UserMessage], decode[MessageQueued], decode[QueuedMessageEdited], decode[QueuedMessageRemoved], decode[AssistantMessage],
	decode[RunCreated], decode[RunStarted], decode[RunWaiting], decode[RunResumed], decode[RunFinished],
	decode[ModelAttemptStarted], decode[ModelAttemptFinished], decode[ProviderError], decode[RetryScheduled],
	decode[ReasoningDisplayLimited], decode[ModelUsage],
	decode[ToolCallRequested], decode[ToolCallStarted], decode[ToolCallFinished],
	decode[ApprovalRequested], decode[ApprovalDecision], decode[ReconcileRequested], decode[ReconcileAnswered], decode[InteractionClosed],
	decode[QuestionAsked], decode[QuestionAnswered], decode[GrantCreated], decode[GrantRevoked], decode[BypassStarted], decode[BypassEnded], decode[ReviewStarted],
	decode[OutputWithheld], decode[SafetyRequested], decode[SafetyAnswered],
)

type decoder func(data []byte) (Event, error)

func decode[E Event](data []byte) (Event, error) {
	var e E
	err := json.Unmarshal(data, &e)
	return e, err
}

func decoders(list ...decoder) map[Kind]decoder {
	m := make(map[Kind]decoder, len(list))
	for _, d := range list {
		e, err := d([]byte("{}"))
		if err != nil || m[e.Kind()] != nil {
			panic(fmt.Sprintf("agent: event kind %q can't be listed: %v", e.Kind(), err))
		}
		m[e.Kind()] = d
	}
	return m
}

// Kinds returns every kind that this program knows, in no order.
func Kinds() []Kind {
	list := make([]Kind, 0, len(kinds))
	for k := range kinds {
		list = append(list, k)
	}
	return list
}

// EncodeEvent returns the stored form of an event, without its kind.
func EncodeEvent(e Event) ([]byte, error) {
	if u, ok := e.(Unknown); ok {
		return u.raw, nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
	}
	return data, nil
}

// DecodeEvent reads an event's stored form. A kind that is not known becomes
// an [Unknown]; fields that are not known are passed over.
func DecodeEvent(kind Kind, data []byte) (Event, error) {
	d, ok := kinds[kind]
	if !ok {
		return Unknown{kind: kind, raw: data}, nil
	}
	e, err := d(data)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return e, nil
}
