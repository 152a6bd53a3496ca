package models

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gorm.io/gorm"
	engine "modernc.org/sqlite"
)

// put returns a job that stores a session with a name.
func put(name string) func(*gorm.DB) error {
	return func(tx *gorm.DB) error { return tx.Create(&sessionRow{Token: name, ID: name, Data: []byte{}}).Error }
}

func stored(t *testing.T, db *DB) []string {
	t.Helper()
	var rows []sessionRow
	if err := db.read(t.Context()).Order("token").Find(&rows).Error; err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Token)
	}
	return names
}

// hold occupies the writer until the returned function is called, so that what
// is queued meanwhile waits. It first ends the database's own work: a look for
// what is to be erased could share the transaction that is held, and closing
// the database waits for that look.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	endSweeping(db)
	started, gate, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = db.write(context.Background(), func(*gorm.DB) error {
			close(started)
			<-gate
			return nil
		})
	}()
	<-started
	return func() { close(gate); <-done }
}

// endSweeping ends what an open database writes by itself.
func endSweeping(db *DB) {
	db.stop()
	db.sweeping.Wait()
}

// enqueue starts jobs one after the other and waits until each is queued.
func enqueue(t *testing.T, db *DB, p priority, jobs ...func(*gorm.DB) error) (wait func() []error) {
	t.Helper()
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	for i, j := range jobs {
		before := waitingJobs(db, p)
		wg.Go(func() { errs[i] = db.queue.do(context.Background(), p, j) })
		awaitWaiting(db, p, before+1)
	}
	return func() []error { wg.Wait(); return errs }
}

func waitingJobs(db *DB, p priority) int {
	db.queue.mu.Lock()
	defer db.queue.mu.Unlock()
	return len(db.queue.waiting[p])
}

func awaitWaiting(db *DB, p priority, n int) {
	for waitingJobs(db, p) < n {
		runtime.Gosched()
	}
}

// countCommits counts the writer's commits from now on.
func countCommits(t *testing.T, db *DB) *atomic.Int64 {
	t.Helper()
	pool, err := db.writer.DB()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	err = conn.Raw(func(c any) error {
		c.(engine.HookRegisterer).RegisterCommitHook(func() int32 { n.Add(1); return 0 })
		return nil
	})
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return &n
}

func TestWriteQueue_GroupsCommits(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	endSweeping(db) // a look for what is to be erased is a commit, too
	commits := countCommits(t, db)
	for i := range 3 {
		if err := db.write(t.Context(), put(fmt.Sprint("alone ", i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := commits.Swap(0); n != 3 {
		t.Errorf("%d commits of 3 lone writes", n)
	}
	release := hold(t, db)
	jobs := make([]func(*gorm.DB) error, 200)
	for i := range jobs {
		jobs[i] = put(fmt.Sprint("together ", i))
	}
	wait := enqueue(t, db, priorityFacts, jobs...)
	release()
	if err := errors.Join(wait()...); err != nil {
		t.Fatal(err)
	}
	if n := commits.Load(); n > 50 {
		t.Errorf("%d commits of 200 writes that waited together", n)
	}
}

func TestWriteQueue_FailureIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	broken := errors.New("broken")
	release := hold(t, db)
	wait := enqueue(t, db, priorityFacts,
		put("a"),
		func(tx *gorm.DB) error { return errors.Join(put("b")(tx), broken) },
		put("c"),
		put("a"), // a duplicate
		func(tx *gorm.DB) error { _ = put("d")(tx); panic("a fault") },
		put("e"),
	)
	release()
	errs := wait()
	if errs[0] != nil || errs[2] != nil || errs[5] != nil {
		t.Errorf("good jobs failed: %v", errs)
	}
	if !errors.Is(errs[1], broken) || !isDuplicate(errs[3]) || errs[4] == nil || !strings.Contains(errs[4].Error(), "a fault") {
		t.Errorf("bad jobs: %v", errs)
	}
	if got := stored(t, db); !slices.Equal(got, []string{"a", "c", "e"}) {
		t.Errorf("stored %v, want a, c, e", got)
	}
}

func TestWriteQueue_FactsBeforeBulk(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	var order []string // written by the writer alone
	note := func(name string) func(*gorm.DB) error {
		return func(*gorm.DB) error { order = append(order, name); return nil }
	}
	release := hold(t, db)
	waitBulk := enqueue(t, db, priorityBulk, note("bulk 1"), note("bulk 2"))
	waitFacts := enqueue(t, db, priorityFacts, note("fact 1"), note("fact 2"))
	release()
	for _, err := range append(waitBulk(), waitFacts()...) {
		if err != nil {
			t.Error(err)
		}
	}
	if want := []string{"fact 1", "fact 2", "bulk 1", "bulk 2"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}

func TestWriteQueue_EndedContext(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	release := hold(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- db.write(ctx, put("late")) }()
	awaitWaiting(db, priorityFacts, 1)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting job: got %v, want context.Canceled", err)
	}
	release()

	// Its turn comes before its caller has noticed the end.
	unnoticed := &writeJob{ctx: ctx, do: put("unnoticed"), done: make(chan struct{})}
	db.queue.push(priorityFacts, unnoticed)
	<-unnoticed.done
	if !errors.Is(unnoticed.err, context.Canceled) {
		t.Errorf("job with an ended context: got %v, want context.Canceled", unnoticed.err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	err := db.write(ctx, func(tx *gorm.DB) error {
		cancel() // after its turn has come
		return put("certain")(tx)
	})
	if err != nil {
		t.Errorf("started job: %v", err)
	}
	if got := stored(t, db); !slices.Equal(got, []string{"certain"}) {
		t.Errorf("stored %v, want certain", got)
	}
}

func TestWriteQueue_CloseDrains(t *testing.T) {
	t.Parallel()
	c := Config{Dir: t.TempDir()}
	db := openTest(t, c)
	release := hold(t, db)
	wait := enqueue(t, db, priorityBulk, put("a"), put("b"))
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	for !isClosed(db) {
		runtime.Gosched()
	}
	if err := db.write(t.Context(), put("late")); !errors.Is(err, ErrClosed) {
		t.Errorf("write after close: got %v, want ErrClosed", err)
	}
	release()
	if err := errors.Join(append(wait(), <-closed)...); err != nil {
		t.Error(err)
	}
	if got := stored(t, openTest(t, c)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("stored %v, want a, b", got)
	}
}

func isClosed(db *DB) bool {
	db.queue.mu.Lock()
	defer db.queue.mu.Unlock()
	return db.queue.closed
}

func TestWriteQueue_LostTransaction(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	release := hold(t, db)
	wait := enqueue(t, db, priorityFacts,
		put("a"),
		func(tx *gorm.DB) error { return errors.Join(tx.Exec("ROLLBACK").Error, errors.New("the disk is full")) },
		put("b"),
	)
	release()
	errs := wait()
	if errs[1] == nil {
		t.Error("the job that lost the transaction succeeded")
	}
	var want []string
	for i, name := range []string{"a", "", "b"} {
		if errs[i] == nil {
			want = append(want, name)
		}
	}
	want = append(want, "c")
	if err := db.write(t.Context(), put("c")); err != nil {
		t.Errorf("the queue did not recover: %v", err)
	}
	if got := stored(t, db); !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
}

func TestWriteQueue_ManyCallers(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	var wg sync.WaitGroup
	var want []string
	for i := range 50 {
		name := fmt.Sprintf("%03d", i)
		if i%3 > 0 {
			want = append(want, name)
		}
		wg.Go(func() {
			err := db.queue.do(t.Context(), priority(i%2), func(tx *gorm.DB) error {
				if err := put(name)(tx); err != nil || i%3 > 0 {
					return err
				}
				return errors.New("every third fails")
			})
			if (err == nil) != (i%3 > 0) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wg.Wait()
	if got := stored(t, db); !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
}
