package crash_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/models"
	"countersign/models/modelstest"
)

// patience is how long a victim may take. A loaded machine is no failure, a
// run that is stuck is.
const patience = 2 * time.Minute

// A site is a data directory and a ledger, and what the victims that worked on
// them said before they were killed.
type site struct {
	t     *testing.T
	dir   string
	first []int
	wrote map[agent.ConversationID]map[string]string // digest by sequence number
	kills int
	slow  time.Duration // the longest time from the start to the end of a victim
}

func newSite(t *testing.T, people int) *site {
	return &site{t: t, dir: t.TempDir(), first: make([]int, people), wrote: map[agent.ConversationID]map[string]string{}}
}

// A moment is when to kill a victim: some time after it said so many lines. It
// says first that it opens its data, and then what it wrote.
type moment struct {
	lines int
	after time.Duration
}

// run runs a victim to its end, and kills it at a moment if there is one. It
// reports whether the victim was killed.
func (s *site) run(c config, kill *moment) (killed bool) {
	s.t.Helper()
	c.Dir, c.First = s.dir, s.first
	text, err := json.Marshal(c)
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), program)
	cmd.Env = append(os.Environ(), configVariable+"="+string(text))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	n := 0
	for lines := bufio.NewScanner(stdout); lines.Scan(); n++ {
		if kill != nil && n == kill.lines {
			defer time.AfterFunc(kill.after, func() { _ = cmd.Process.Kill() }).Stop()
		}
		s.hear(lines.Text())
	}
	err = cmd.Wait()
	took := time.Since(began)
	switch code := cmd.ProcessState.ExitCode(); {
	case took >= patience:
		s.t.Fatalf("a run is stuck: the program did not end within %v\n%s", patience, &stderr)
	case code > 0:
		s.t.Fatalf("%v\n%s", err, &stderr)
	case code < 0:
		s.kills++
	}
	s.slow = max(s.slow, took)
	return err != nil
}

// hear takes down what a victim says. A line is short enough to come whole or
// not at all.
func (s *site) hear(line string) {
	var id agent.ConversationID
	var seq, digest string
	var person, n int
	if k, _ := fmt.Sscanf(line, "wrote %s %s %s", &id, &seq, &digest); k == 3 {
		if s.wrote[id] == nil {
			s.wrote[id] = map[string]string{}
		}
		s.wrote[id][seq] = digest
	}
	if k, _ := fmt.Sscanf(line, "over %d %d", &person, &n); k == 2 {
		s.first[person] = n + 1
	}
}

// A finding is what a site holds.
type finding struct {
	kills, conversations, records, payments int
	succeeded, failed, cancelled            int
	answers                                 map[agent.ReconcileAnswer]int
	slow                                    time.Duration
}

func (f finding) String() string {
	return fmt.Sprintf("%d kills, %d conversations (%d succeeded, %d failed, %d stopped), %d records, %d payments, unknown outcomes answered %v, slowest process %v",
		f.kills, f.conversations, f.succeeded, f.failed, f.cancelled, f.records, f.payments, f.answers, f.slow.Round(time.Millisecond))
}

// check looks at everything that is on disk now.
func (s *site) check() finding {
	s.t.Helper()
	db := modelstest.OpenConfig(s.t, models.Config{Dir: filepath.Join(s.dir, "data")})
	found := finding{kills: s.kills, slow: s.slow, answers: map[agent.ReconcileAnswer]int{}}
	if left, err := db.Journal().Unfinished(s.t.Context()); err != nil || len(left) > 0 {
		s.t.Errorf("runs that are not over: %v, %v", left, err)
	}
	ledger, err := os.ReadFile(filepath.Join(s.dir, ledgerFile))
	if err != nil {
		s.t.Fatal(err)
	}
	paid := map[agent.CallID]int{}
	for call := range strings.Lines(string(ledger)) {
		paid[agent.CallID(strings.TrimSpace(call))]++
		found.payments++
	}
	for person, first := range s.first {
		for n := range first {
			s.conversation(db, conversation(person, n), paid, &found)
		}
	}
	for call := range paid {
		s.t.Errorf("%s was paid for no conversation", call)
	}
	if len(s.wrote) > 0 {
		s.t.Errorf("conversations that were acknowledged and are gone: %d", len(s.wrote))
	}
	return found
}

// conversation checks one conversation, and takes it from what was heard and
// paid.
func (s *site) conversation(db *models.DB, id agent.ConversationID, paid map[agent.CallID]int, found *finding) {
	s.t.Helper()
	var records []agent.Record
	for r, err := range db.Journal().Read(s.t.Context(), id, 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		records = append(records, r)
	}
	found.conversations++
	found.records += len(records)
	agenttest.CheckRecords(s.t, records)
	agenttest.CheckMoves(s.t, records)
	s.acknowledged(id, records)
	s.payments(records, paid, found)
	if len(records) == 0 {
		s.t.Fatalf("%s is empty", id)
	}
	end, ok := records[len(records)-1].Event.(agent.RunFinished)
	switch {
	case !ok:
		s.t.Errorf("%s ends with %s", id, records[len(records)-1].Event.Kind())
	case end.Status == agent.StatusSucceeded:
		found.succeeded++
	case end.Status == agent.StatusCancelled:
		found.cancelled++
	default:
		found.failed++
		if end.Failure == nil || end.Failure.Code != agent.FailReclaimed {
			s.t.Errorf("%s failed: %+v", id, end.Failure)
		}
	}
}

// acknowledged reports records that a victim said to be on disk and that are
// not there as they were.
func (s *site) acknowledged(id agent.ConversationID, records []agent.Record) {
	s.t.Helper()
	wrote := s.wrote[id]
	delete(s.wrote, id)
	for _, r := range records {
		seq := fmt.Sprint(r.Seq)
		if was, ok := wrote[seq]; ok && was != digest(r) {
			s.t.Errorf("record %d of %s is %s, acknowledged was %s", r.Seq, id, digest(r), was)
		}
		delete(wrote, seq)
	}
	if len(wrote) > 0 {
		s.t.Errorf("records of %s that were acknowledged and are gone: %v", id, wrote)
	}
}

// payments compares the ledger with what the records say.
func (s *site) payments(records []agent.Record, paid map[agent.CallID]int, found *finding) {
	s.t.Helper()
	calls := map[agent.CallID]*payment{}
	for _, r := range records {
		switch e := r.Event.(type) {
		case agent.ToolCallRequested:
			if e.Tool == "pay" {
				calls[e.Call] = &payment{}
			}
		case agent.ToolCallStarted:
			if c := calls[e.Call]; c != nil {
				c.started++
				c.lost = false
			}
		case agent.ReconcileRequested:
			calls[e.Call].lost = true
		case agent.ReconcileAnswered:
			found.answers[e.Answer]++
			if e.Answer == agent.ReconcileRunAgain {
				calls[e.Call].again++
			}
		case agent.ToolCallFinished:
			if c := calls[e.Call]; c != nil {
				c.outcome = e.Outcome
			}
		}
	}
	for id, c := range calls {
		n := paid[id]
		delete(paid, id)
		sure := c.started > 0 && !c.lost && c.outcome == agent.CallOK
		if n > c.started || n > 1+c.again || c.started > 1+c.again || sure && n == 0 {
			s.t.Errorf("%s was paid %d times: %+v", id, n, c)
		}
	}
}

// A payment is what the records say of a call of pay.
type payment struct {
	started, again int  // how often it was, and how often a person said so
	lost           bool // its last start has an unknown outcome
	outcome        agent.CallOutcome
}
