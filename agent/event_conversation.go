package agent

// ConversationCreated opens a journal. The agent and the model are resolved
// once and kept (contract P2).
type ConversationCreated struct {
	Owner     UserID   `json:"owner"`
	Agent     AgentID  `json:"agent"`
	AgentName string   `json:"agent_name"`
	Model     ModelRef `json:"model"`
}

// ConversationTitled sets what the conversation is called.
type ConversationTitled struct {
	Title string `json:"title"` // at most MaxTitle characters
}

// ConversationArchived takes the conversation out of the lists. A new run brings
// it back, as does ConversationUnarchived.
type ConversationArchived struct{}

// ConversationUnarchived undoes ConversationArchived.
type ConversationUnarchived struct{}

// Rewound makes every fold forget the runs that began after To. To is the place
// before a user message, so runs are kept or forgotten whole, and no run is
// under way: whoever rewinds ends it first. What belongs to no run, the title
// and the queue, stays. Nothing is rewritten.
type Rewound struct {
	To Seq `json:"to_seq"`
}

func (ConversationCreated) Kind() Kind    { return "conversation_created" }
func (ConversationTitled) Kind() Kind     { return "conversation_titled" }
func (ConversationArchived) Kind() Kind   { return "conversation_archived" }
func (ConversationUnarchived) Kind() Kind { return "conversation_unarchived" }
func (Rewound) Kind() Kind                { return "rewound" }

// A ModelRef names a model on a provider. The name of the provider is kept for
// display: the provider may be renamed or gone by then.
type ModelRef struct {
	Provider     string `json:"provider"` // id
	ProviderName string `json:"provider_name"`
	Model        string `json:"model"`
}

// An Actor is who did something.
type Actor struct {
	User UserID `json:"user,omitempty"` // "" for the program itself
	Name string `json:"name,omitempty"`
	// Key is what a program did it with in the name of the person, "" where
	// they did it themselves; KeyName is what the key is called.
	Key     KeyID  `json:"key,omitempty"`
	KeyName string `json:"key_name,omitempty"`
}

// is reports whether both are the same person by the same means, whatever they
// are called.
func (a Actor) is(b Actor) bool { return a.User == b.User && a.Key == b.Key }

// OutputOptions are what the sender asked to see (contract A13, A14).
type OutputOptions struct {
	// Reasoning shows the text that the provider designates for display.
	Reasoning bool `json:"reasoning"`
	// BufferAttempts holds an attempt's text back until it has succeeded.
	BufferAttempts bool `json:"buffer_attempts"`
}
