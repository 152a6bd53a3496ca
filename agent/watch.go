package agent

// A Watch tells that a person's conversations have changed as a list shows
// them: their titles, where their runs stand, what waits for a person. Close
// it.
type Watch struct {
	hub  *hub
	user UserID
	wake chan struct{}
}

// Watch begins to watch the conversations of a person.
func (e *Engine) Watch(user UserID) *Watch {
	w := &Watch{hub: e.hub, user: user, wake: make(chan struct{}, 1)}
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	if e.hub.watches[user] == nil {
		e.hub.watches[user] = make(map[*Watch]struct{})
	}
	e.hub.watches[user][w] = struct{}{}
	return w
}

// Wake is signalled when something has changed. What changed is in the store.
func (w *Watch) Wake() <-chan struct{} { return w.wake }

// Close ends the watch.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.watches[w.user], w)
	if len(w.hub.watches[w.user]) == 0 {
		delete(w.hub.watches, w.user)
	}
}

// moved tells those who watch a person's conversations.
func (h *hub) moved(user UserID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watches[user] {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// listed reports whether a list of conversations shows what the event changes.
func listed(e Event) bool {
	switch e.(type) {
	case ConversationCreated, ConversationTitled, ConversationArchived, ConversationUnarchived, Rewound,
		UserMessage, RunCreated, RunWaiting, RunResumed, RunFinished,
		ApprovalRequested, ApprovalDecision, QuestionAsked, ReconcileRequested, SafetyRequested, InteractionClosed:
		return true
	}
	return false
}
