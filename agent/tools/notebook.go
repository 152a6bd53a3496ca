package tools

import (
	"context"
	"errors"
	"fmt"

	"countersign/agent"
)

// A Notebook keeps the notes of each conversation apart. Its methods are safe
// for use by multiple goroutines.
//
// What a caller did wrong is an [*agent.InputError] in plain words, and a note
// that is not there is [agent.ErrNotFound]. Any other error is a fault of the
// notebook, of which the model learns nothing more.
type Notebook interface {
	// List returns the titles of the notes, in a fixed order.
	List(ctx context.Context, id agent.ConversationID) ([]string, error)
	// Read returns the text of a note.
	Read(ctx context.Context, id agent.ConversationID, title string) (string, error)
	// Write puts the text under the title, in place of what was there. It
	// refuses what is over the limits of the notebook.
	Write(ctx context.Context, id agent.ConversationID, title, text string) error
	// Delete removes a note for good.
	Delete(ctx context.Context, id agent.ConversationID, title string) error
}

// answer turns what a notebook said into what the model is told.
func answer(title, text string, err error) (agent.Result, error) {
	var refused *agent.InputError
	switch {
	case err == nil:
		return agent.Result{Text: text}, nil
	case errors.As(err, &refused):
		return failure(refused.Message), nil
	case errors.Is(err, agent.ErrNotFound):
		return failure(fmt.Sprintf("There is no note called %q in this conversation.", title)), nil
	}
	return agent.Result{}, err
}

func failure(text string) agent.Result { return agent.Result{Text: text, IsError: true} }
