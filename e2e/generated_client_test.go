package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A client that a generator makes from the document compiles, and completes a
// run with a call that waits for a signature.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call c1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "Written."
finish stop
`)
	starts, signs := c.newKey("Starts", "run"), c.newKey("Signs", "decide")
	dir := t.TempDir()
	for _, name := range []string{"package.json", "openapi-ts.config.mjs", "tsconfig.json", "main.ts"} {
		text, err := os.ReadFile(filepath.Join("testdata", "client", name))
		c.must(err)
		c.must(os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	modules := filepath.Join(os.Getenv("API_CLIENT"), "node_modules")
	c.must(os.Symlink(modules, filepath.Join(dir, "node_modules")))
	document, _ := apiClient{t, c.server.url, starts}.ask(http.StatusOK, http.MethodGet, "/v2/openapi.json", "")
	c.must(os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(document), 0o600))

	node := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), os.Getenv("PLAYWRIGHT_NODEJS_PATH"), args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("node %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	node(filepath.Join(modules, "@hey-api", "openapi-ts", "bin", "index.cjs"))
	node(filepath.Join(modules, "typescript", "bin", "tsc"), "--project", ".")
	if got, want := node("out/main.js", c.server.url, starts, signs), "Written.\nrun_not_found\ndone\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
