package agent

import "errors"

var (
	// ErrNotFound says that no such conversation, run or interaction exists,
	// or not for the person who asks.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that the journal has moved on: read again, decide
	// again, append again.
	ErrConflict = errors.New("the conversation has moved on")
	// ErrNotWaiting says that a decision came too late: the card was decided
	// otherwise, has expired or was withdrawn (run_not_waiting).
	ErrNotWaiting = errors.New("the run does not wait for this")
	// ErrOwnRun says that a key may not decide on a run that it started.
	ErrOwnRun = errors.New("the run was started with this key")
	// ErrBarred says that a person may not have anything run: they are disabled.
	ErrBarred = errors.New("the person is disabled")
	// ErrNotAdmin says that only an admin may do this.
	ErrNotAdmin = errors.New("only an admin may do this")
	// ErrFull says that there is no room on the disk. Nothing was written, and
	// nothing that was written is lost.
	ErrFull = errors.New("the disk is full")
	// ErrShutdown is the cause of a context that the stopping engine ended.
	ErrShutdown = errors.New("the server is stopping")
	// ErrStopped is the cause of a context that a person's Stop ended.
	ErrStopped = errors.New("stopped by a person")
	// errFenced ends a worker whose run went to another one or is over.
	errFenced = errors.New("the run is no longer held by this worker")
)

// An InputError refuses what a caller sent. Its text is written for the
// person who sent it.
type InputError struct{ Message string }

func (e *InputError) Error() string { return e.Message }
