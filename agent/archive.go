package agent

import "context"

// Archive takes a conversation out of the lists, or back into them. One that
// is where it should be stays as it is. The error is an [*InputError] while a
// run is under way: a card that waits must stay in sight.
func (e *Engine) Archive(ctx context.Context, id ConversationID, archived bool) error {
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		switch {
		case h.Archived == archived:
			return nil, nil
		case !archived:
			return []Entry{{Event: ConversationUnarchived{}}}, nil
		case h.Busy():
			return nil, &InputError{Message: "A run is under way. Stop it or let it end, then archive the conversation."}
		}
		return []Entry{{Event: ConversationArchived{}}}, nil
	})
	return err
}
