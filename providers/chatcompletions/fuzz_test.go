package chatcompletions_test

import (
	"os"
	"path/filepath"
	"testing"

	"countersign/providers"
)

// Whatever a service sends, an attempt ends with a finish or an error, and a
// call may run only after a proof.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob("testdata/samples/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatalf("got %d samples, %v", len(files), err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, len(body)/2)
	}
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		got := stream(t.Context(), t, cannedClient(t, body), request(true, "get_weather", "list_files"))
		if (got.Finish == nil) == (got.Failure == nil) {
			t.Fatalf("got %+v", got)
		}
		checkExecutable(t, got)
		if at >= 0 && at < len(body) {
			checkExecutable(t, stream(t.Context(), t, cannedClient(t, body[:at]), request(false, "get_weather", "list_files")))
		}
	})
}

func checkExecutable(t *testing.T, got outcome) {
	t.Helper()
	if got.Finish == nil {
		return
	}
	for _, c := range got.Finish.Calls {
		if !c.Executable {
			continue
		}
		if got.Finish.Reason != providers.FinishToolCalls || c.ID == "" {
			t.Errorf("an executable call %+v after %s", c, got.Finish.Reason)
		}
		if c.Arguments != "" {
			if _, ok := jsonValue(t, []byte(c.Arguments)).(map[string]any); !ok {
				t.Errorf("arguments %q", c.Arguments)
			}
		}
	}
}
