package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// An admin connects a server, and gives its tools to the agent. A call that was
// approved runs once: the program is killed in the middle of it, and a person
// says what became of it, in each of the three ways.
func TestConnector(t *testing.T) {
	t.Parallel()
	for answer, c := range map[string]struct {
		told  string // to the model
		lines string // of the ledger at the end
	}{
		"It was done":     {"confirmed that it happened", "one\n"},
		"It was not done": {"confirmed that it did not happen", "one\n"},
		"Run it again":    {"", "one\none\n"},
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			script := `
call c1 mcp__Ledger__append {"line":"one"}
finish tool_calls
`
			if c.told != "" {
				script += "---\nexpect result \"" + c.told + "\"\ntext \"Noted.\"\nfinish stop\n"
			}
			chat := newChat(t, script)
			ledger := filepath.Join(t.TempDir(), "ledger")
			chat.connectLedger(ledger)
			chat.visit("/", http.StatusOK)
			chat.start("Append it")
			chat.awaitStatus(isWaiting)
			chat.wantText("[data-card]", "Append a line", "Ledger")
			chat.decide("Append a line", "Approve once")
			chat.until("the tool has begun", func() bool { return written(ledger) == "one\n" })
			chat.crash()
			chat.wantText("[data-card]", "Outcome unknown", "The server stopped while this tool ran.")
			chat.wantAccessible()
			chat.must(chat.GetByText(answer, playwright.PageGetByTextOptions{Exact: playwright.Bool(true)}).Click())
			chat.press("Record and continue")
			if c.told != "" {
				chat.awaitStatus(isReady)
				chat.wantText("#runs", "Noted.")
			} else {
				chat.until("the tool runs again", func() bool { return written(ledger) == c.lines })
				chat.press("Stop")
				chat.wantText("#bar-meta", "the last run was stopped")
			}
			if got := written(ledger); got != c.lines {
				t.Errorf("the ledger has %q, want %q", got, c.lines)
			}
			chat.wantReload()
		})
	}
}

func written(file string) string {
	text, _ := os.ReadFile(file) // there is none before the first line
	return string(text)
}

// connectLedger adds a server whose tool writes to a file and never answers,
// and gives the agent its tools.
func (c *chat) connectLedger(file string) {
	c.t.Helper()
	program, err := filepath.Abs(filepath.Join("testdata", "mcp", "ledger.mjs"))
	c.must(err)
	c.visit("/settings/connectors/new", http.StatusOK)
	c.wantAccessible()
	c.fill("Name", "Ledger")
	c.fill("Command", os.Getenv("PLAYWRIGHT_NODEJS_PATH")+"\n"+program+"\n"+file)
	c.press("Save")
	c.reloadUntil("main", "Connected", "Append a line")
	c.wantAccessible()
	c.visit("/settings/agents", http.StatusOK)
	c.follow("Assistant")
	c.tick("All tools of Ledger", true)
	c.press("Save")
	c.wantText("main", "Saved.")
}
