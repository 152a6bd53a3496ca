package agent

import (
	"context"
	"fmt"
	"time"
)

// A Bypass says that an admin has switched approvals off in a conversation
// (contract 2.7). Rules of policy stand above it.
type Bypass struct {
	By  Actor     `json:"by"`
	Seq Seq       `json:"seq"` // of the record that started it
	At  time.Time `json:"at"`
}

// StartBypass switches approvals off in a conversation. Cards that wait stay
// with their person. Whoever is no admin, and every key, gets [ErrNotAdmin].
// Starting one that is on changes nothing.
func (e *Engine) StartBypass(ctx context.Context, id ConversationID, by Actor) error {
	role := RoleAdmin
	if e.people != nil {
		if err := e.permit(ctx, by.User); err != nil {
			return err
		}
		var err error
		if role, err = e.people.Role(ctx, by.User); err != nil {
			return fmt.Errorf("ask for the role of %s: %w", by.User, err)
		}
	}
	if role != RoleAdmin || by.Key != "" {
		return ErrNotAdmin
	}
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if h.Bypass != nil {
			return nil, nil
		}
		return []Entry{{Event: BypassStarted{By: by}}}, nil
	})
	return err
}

// EndBypass switches them on again. Calls that ran stay done. Ending one that
// is off changes nothing. Whose conversation it is, is for the caller to check.
func (e *Engine) EndBypass(ctx context.Context, id ConversationID, by Actor) error {
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if h.Bypass == nil {
			return nil, nil
		}
		return []Entry{{Event: BypassEnded{By: by}}}, nil
	})
	return err
}
