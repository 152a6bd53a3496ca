package models

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// ErrClosed says that a write came after the database was closed.
var ErrClosed = errors.New("the database is closed")

// A priority orders writes that wait: a lower one goes first.
type priority int

const (
	// priorityFacts is for what somebody waits for.
	priorityFacts priority = iota
	// priorityBulk is for work that can wait, cut into jobs of a few
	// milliseconds. It waits as long as facts do come.
	priorityBulk
	priorities
)

// A group is closed when it has as many jobs, or has taken as long.
const (
	groupJobs = 256
	groupTime = 5 * time.Millisecond
)

// A writeQueue is the only way to the writer's connection. One goroutine
// carries out what waits; the jobs that wait together share a transaction, so
// that they share the cost of reaching the disk. Each job has a savepoint of
// its own: one that fails undoes its own work and nobody else's.
type writeQueue struct {
	db   *gorm.DB
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	changed *sync.Cond // a job came, or the queue was closed
	waiting [priorities][]*writeJob
	closed  bool
}

type writeJob struct {
	ctx  context.Context
	do   func(tx *gorm.DB) error
	err  error
	done chan struct{} // closed when err is final
}

func newWriteQueue(db *gorm.DB) *writeQueue {
	q := &writeQueue{db: db, done: make(chan struct{})}
	q.changed = sync.NewCond(&q.mu)
	go q.run()
	return q
}

// do carries out a job and returns its error, or that of the commit; on a full
// disk it is [agent.ErrFull]. If the context ends before the job's turn,
// nothing is written and its error is returned; after that the context does
// not matter and the result is certain.
//
// The job must use tx alone: anything that waits for this queue, waits for
// ever.
func (q *writeQueue) do(ctx context.Context, p priority, do func(tx *gorm.DB) error) error {
	j := &writeJob{ctx: ctx, do: do, done: make(chan struct{})}
	if !q.push(p, j) {
		return ErrClosed
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
	}
	if q.withdraw(p, j) {
		return ctx.Err()
	}
	<-j.done
	return j.err
}

// close refuses new jobs and returns when all that wait are done. It may be
// called twice.
func (q *writeQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.changed.Signal()
	q.mu.Unlock()
	<-q.done
}

func (q *writeQueue) push(p priority, j *writeJob) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting[p] = append(q.waiting[p], j)
	q.changed.Signal()
	return true
}

// withdraw takes a job back and reports whether it was still waiting.
func (q *writeQueue) withdraw(p priority, j *writeJob) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting[p], j)
	if i >= 0 {
		q.waiting[p] = slices.Delete(q.waiting[p], i, i+1)
	}
	return i >= 0
}

// pop takes the next job, nil when none waits.
func (q *writeQueue) pop() *writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.popLocked()
}

func (q *writeQueue) popLocked() *writeJob {
	for p, jobs := range q.waiting {
		if len(jobs) > 0 {
			first := jobs[0]
			jobs[0] = nil
			q.waiting[p] = jobs[1:]
			return first
		}
	}
	return nil
}

// wait takes the next job, nil when the queue is closed and empty.
func (q *writeQueue) wait() *writeJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if j := q.popLocked(); j != nil || q.closed {
			return j
		}
		q.changed.Wait()
	}
}

func (q *writeQueue) run() {
	defer close(q.done)
	for {
		first := q.wait()
		if first == nil {
			return
		}
		q.commit(first)
	}
}

// commit carries out a job, and with it those that wait.
func (q *writeQueue) commit(first *writeJob) {
	group := []*writeJob{first}
	err := q.db.Transaction(func(tx *gorm.DB) error {
		start := time.Now()
		for {
			if err := group[len(group)-1].carryOut(tx); err != nil {
				return err
			}
			if len(group) == groupJobs || time.Since(start) > groupTime {
				return nil
			}
			next := q.pop()
			if next == nil {
				return nil
			}
			group = append(group, next)
		}
	})
	for _, j := range group {
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("commit: %w", err)
		}
		if isFull(j.err) {
			j.err = fmt.Errorf("%w: %w", agent.ErrFull, j.err)
		}
		close(j.done)
	}
}

// carryOut does the job in a savepoint. It returns an error only if the whole
// transaction is lost.
func (j *writeJob) carryOut(tx *gorm.DB) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if err := tx.Exec("SAVEPOINT job").Error; err != nil {
		return err
	}
	if j.err = j.guarded(tx); j.err != nil {
		if err := tx.Exec("ROLLBACK TO SAVEPOINT job").Error; err != nil {
			if isFull(j.err) { // which may have undone the work of the others too
				return fmt.Errorf("%w, and %w", j.err, err)
			}
			return err
		}
	}
	return tx.Exec("RELEASE SAVEPOINT job").Error
}

// guarded turns a panic into the job's error.
func (j *writeJob) guarded(tx *gorm.DB) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return j.do(tx)
}
