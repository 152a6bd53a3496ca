package crash_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"countersign/agent"
	"countersign/agent/tools"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/scripted"
)

// A config is what a victim is told: a process that serves a data directory as
// the program does, has people talk to it, and is killed.
type config struct {
	Dir string
	// First is, for each person, the number of the first conversation that is
	// not known to be over. Each works through theirs one after the other.
	First []int
	// Talks is how many new conversations a person begins, negative for one
	// after the other until the end.
	Talks int
	// KillAt is the point at which the process kills itself, "" for none: when
	// it first comes there, or in the first new conversation.
	KillAt string
	AtOnce bool
	// Answer is what people know of an unknown outcome. Without one, they
	// choose this and everything else by the seed.
	Answer agent.ReconcileAnswer
	Seed   uint64
}

// A victim is the program without its pages.
type victim struct {
	models.Journal
	engine *agent.Engine
	script *scripted.Script
	killAt string
	armed  atomic.Bool
	ledger *os.File

	mu      sync.Mutex
	changed chan struct{} // closed at the next append
}

// serve runs a victim until its people have nothing more to say.
func serve(ctx context.Context, c config) error {
	script, err := scripted.Parse(script)
	if err != nil {
		return err
	}
	ledger, err := os.OpenFile(filepath.Join(c.Dir, ledgerFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer ledger.Close()
	fmt.Println("opens")
	db, err := models.Open(ctx, models.Config{Dir: filepath.Join(c.Dir, "data")})
	if err != nil {
		return err
	}
	v := &victim{Journal: db.Journal(), script: script, killAt: c.KillAt, ledger: ledger, changed: make(chan struct{})}
	v.armed.Store(c.AtOnce)
	v.engine = agent.NewEngine(agent.Config{
		Journal: v, Index: v, Catalog: v, Tools: append(tools.All(db.Notes()), pay{v}),
	})
	if err := v.engine.Start(ctx); err != nil {
		return err
	}
	errs := make([]error, len(c.First))
	var talking sync.WaitGroup
	for i := range c.First {
		talking.Go(func() { errs[i] = newPerson(v, c, i).talk(ctx) })
	}
	talking.Wait()
	return errors.Join(append(errs, v.engine.Shutdown(ctx), db.Close())...)
}

// reach kills the process if this is the point.
func (v *victim) reach(point string) {
	if v.killAt != point || !v.armed.Load() {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // the signal is on its way
}

// Append tells whoever reads standard output what is on disk.
func (v *victim) Append(ctx context.Context, b agent.Batch) ([]agent.Record, error) {
	for _, e := range b.Entries {
		v.reach("before " + string(e.Event.Kind()))
	}
	records, err := v.Journal.Append(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		fmt.Println("wrote", r.Conversation, r.Seq, digest(r))
	}
	for _, e := range b.Entries {
		v.reach("after " + string(e.Event.Kind()))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	close(v.changed)
	v.changed = make(chan struct{})
	return records, nil
}

// next returns a channel that is closed at the next append.
func (v *victim) next() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

func digest(r agent.Record) string {
	data, err := agent.EncodeEvent(r.Event)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s-%x", r.Event.Kind(), sha256.Sum256(data))
}

// Agent implements [agent.Catalog].
func (*victim) Agent(context.Context, agent.AgentID) (agent.Agent, error) {
	return agent.Agent{ID: "agent", Name: "Assistant", Tools: []string{"current_time", "ask_user", "pay"}}, nil
}

// Connect implements [agent.Catalog]. The script is played anew for every
// request.
func (v *victim) Connect(context.Context, agent.ModelRef) (agent.Connection, error) {
	return agent.Connection{Provider: v}, nil
}

// Stream implements [providers.Provider].
func (v *victim) Stream(ctx context.Context, r providers.Request) iter.Seq2[providers.Event, error] {
	return scripted.NewProvider(scripted.NewStage(v.script)).Stream(ctx, r)
}

const script = `
match results 0
reasoning "First the clock. "
text "I look at the clock and pay."
call call_1 current_time {}
call call_2 pay {"amount":1}
finish tool_calls
---
match results 2
text "For whom?"
call call_3 ask_user {"questions":[{"header":"Whom","question":"For whom?","options":[{"label":"Ann"},{"label":"Bob"}]}]}
finish tool_calls
---
match results 3
call call_4 pay {"amount":2}
call call_5 pay {"amount":3}
finish tool_calls
---
match results 5
repeat 20 text "All is paid. "
finish stop
`

// ledgerFile is where payments are written down, outside the database.
const ledgerFile = "ledger"

// pay is a tool that matters: a second payment can't be taken back.
type pay struct{ *victim }

func (pay) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{Name: "pay", Title: "Pay", Description: "Pays.", Parameters: []byte(`{"type":"object"}`)}
}

func (p pay) Call(_ context.Context, in agent.Invocation) (agent.Result, error) {
	p.reach("before the ledger")
	if _, err := fmt.Fprintln(p.ledger, in.Call); err != nil {
		return agent.Result{}, err
	}
	if err := p.ledger.Sync(); err != nil {
		return agent.Result{}, err
	}
	p.reach("after the ledger")
	return agent.Result{Text: "Paid."}, nil
}
