package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// Servers that others wrote: a tool that only reads runs by itself, one that
// writes waits for a signature and then does what it says.
func TestConnectorsOfOthers(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	note := filepath.Join(files, "note.txt")
	c := newChat(t, `
call c1 mcp__Everything__echo {"message":"hello"}
call c2 mcp__Files__write_file {"path":"`+note+`","content":"signed"}
call c3 mcp__Memory__read_graph {}
finish tool_calls
---
expect result "Echo: hello"
expect result "Successfully wrote"
expect results 3
text "All three."
finish stop
`)
	for name, server := range map[string]struct {
		program string
		more    string // arguments
		tool    string // one of its tools
	}{
		"Everything": {"server-everything/dist/index.js", "", "get-env"},
		"Files":      {"server-filesystem/dist/index.js", "\n" + files, "write_file"},
		"Memory":     {"server-memory/dist/index.js", "", "read_graph"},
	} {
		program := filepath.Join(os.Getenv("MCP_SERVERS"), "node_modules", "@modelcontextprotocol", server.program)
		c.visit("/settings/connectors/new", http.StatusOK)
		c.fill("Name", name)
		c.fill("Command", os.Getenv("PLAYWRIGHT_NODEJS_PATH")+"\n"+program+server.more)
		c.press("Save")
		c.reloadUntil("main", "Connected", server.tool)
		c.wantAccessible()
		c.visit("/settings/agents", http.StatusOK)
		c.follow("Assistant")
		c.tick("All tools of "+name, true)
		c.press("Save")
		c.wantText("main", "Saved.")
	}
	c.visit("/", http.StatusOK)
	c.start("Use them")
	c.awaitStatus(isWaiting)
	if text := written(note); text != "" {
		t.Errorf("the file has %q before anybody has signed", text)
	}
	c.wantText("[data-card]", "write_file", "Files", note)
	c.decide("Write File", "Approve once")
	c.awaitStatus(isReady)
	c.wantText("#runs", "All three.")
	if got := written(note); got != "signed" {
		t.Errorf("the file has %q", got)
	}
	c.wantReload()
}
