package agent

// GrantCreated lets a tool run in this conversation without a card from now
// on. The person who allowed a call creates it with that decision.
type GrantCreated struct {
	Grant GrantID `json:"grant_id"`
	Tool  string  `json:"tool"`
	Title string  `json:"title,omitempty"`
	// Definition is the hash of what was granted: a tool that has changed
	// asks again.
	Definition string `json:"definition"`
	By         Actor  `json:"by"`
}

// GrantRevoked ends a grant.
type GrantRevoked struct {
	Grant GrantID `json:"grant_id"`
	By    Actor   `json:"by"`
}

func (GrantCreated) Kind() Kind { return "grant_created" }
func (GrantRevoked) Kind() Kind { return "grant_revoked" }
