package models

import (
	"encoding/json"
	"fmt"

	"countersign/agent"
)

// A conversationRow is a conversation's head, with columns for lists.
type conversationRow struct {
	ID        agent.ConversationID
	Owner     agent.UserID
	Agent     agent.AgentID
	Title     string
	LastSeq   agent.Seq
	RunStatus agent.RunStatus
	NeedsYou  bool
	Archived  bool
	Queued    int  // messages that wait
	Grants    int  // standing permissions
	Deleted   bool // nobody's, and about to be erased
	Head      []byte
	CreatedAt stamp `gorm:"autoCreateTime:false"`
	UpdatedAt stamp `gorm:"autoUpdateTime:false"`
}

func (conversationRow) TableName() string { return "conversations" }

func (r conversationRow) head() (agent.Head, error) {
	var h agent.Head
	if err := json.Unmarshal(r.Head, &h); err != nil {
		return agent.Head{}, fmt.Errorf("decode head: %w", err)
	}
	return h, nil
}

// A runRow is where a run stands.
type runRow struct {
	ID           agent.RunID
	Conversation agent.ConversationID
	FirstSeq     agent.Seq
	Status       agent.RunStatus
	Epoch        int
	Rewound      bool
	CreatedAt    stamp `gorm:"autoCreateTime:false"`
	FinishedAt   stamp
}

func (runRow) TableName() string { return "runs" }

// An interactionRow is a pause for a person. Open says that it is undecided in
// a run that is not over.
type interactionRow struct {
	ID           agent.InteractionID
	Conversation agent.ConversationID
	Run          agent.RunID
	Kind         agent.InteractionKind
	ExpiresAt    stamp
	Open         bool
}

func (interactionRow) TableName() string { return "interactions" }
