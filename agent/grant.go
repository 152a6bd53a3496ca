package agent

import (
	"context"
	"slices"
	"time"
)

// A GrantID names a standing permission.
type GrantID string

// A Grant is a standing permission inside one conversation.
type Grant struct {
	GrantCreated
	Seq Seq       `json:"seq"` // of the record that created it
	At  time.Time `json:"at"`
	// UsedAt is when it last allowed a call, zero if it never has.
	UsedAt time.Time `json:"used_at,omitzero"`
}

// covers reports whether the grant allows a call.
func (g Grant) covers(c ToolCallRequested) bool {
	return g.Tool == c.Tool && g.Definition == c.Definition && c.Grantable()
}

// Grantable reports whether a grant may come with the call, and whether one may
// allow it: a call of a built-in tool that is declared and hides no text. One
// that does is for a person to look at each time.
func (c ToolCallRequested) Grantable() bool {
	return c.Connector == "" && c.Definition != "" && !c.HidesText()
}

// A grantList holds grants, oldest first.
type grantList []Grant

// covering returns the grant that allows a call, or nil.
func (l grantList) covering(c ToolCallRequested) *Grant {
	i := slices.IndexFunc(l, func(g Grant) bool { return g.covers(c) })
	if i < 0 {
		return nil
	}
	return &l[i]
}

// Revoke ends a grant. Calls that it allowed before stay allowed. Revoking one
// that is gone changes nothing.
func (e *Engine) Revoke(ctx context.Context, id ConversationID, grant GrantID, by Actor) error {
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if !slices.ContainsFunc(h.Grants, func(g Grant) bool { return g.Grant == grant }) {
			return nil, nil
		}
		return []Entry{{Event: GrantRevoked{Grant: grant, By: by}}}, nil
	})
	return err
}
