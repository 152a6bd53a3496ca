package command_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const withGuardrails = `agents:
  - name: assistant
    tools: TOOLS
    output: {reasoning: true}
    safety:
      ask: ASK
      guardrails:
        - {name: Clean, tool: notes_write, path: $.text, do: rewrite, match: "wit[h]held-rewritten", value: clean}
        - {name: Nothing planted, pattern: "wit[h]held-[a-z]+"}
`

// What a guardrail withholds is in nothing that a command prints, in no record
// that it exports, and in no file of the data directory, for agents with tools
// and without (contract R19, R20, trap 17).
func TestRun_PrintsNothingWithheld(t *testing.T) {
	t.Parallel()
	const planted = "withheld-"
	for tools, script := range map[string]string{
		"[]":            "reasoning \"Hm, withheld-reasoning\"\ntext \"It is \"\ntext \"with\"\ntext \"held-answer.\"\nfinish stop",
		"[notes_write]": "reasoning \"Hm.\"\ntext \"I will.\"\ncall c1 notes_write {\"title\":\"A\",\"text\":\"withheld\\u002darguments\"}\nfinish tool_calls",
	} {
		for _, ask := range []string{"false", "true"} {
			t.Run(tools+", ask "+ask, func(t *testing.T) {
				t.Parallel()
				good := "expect user \"Respond again\"\nreasoning \"Well.\"\ntext \"Fine.\"\nfinish stop"
				cut := "text \"withheld-cut\"\ncut"
				rewritten := "call c1 notes_write {\"title\":\"A\",\"text\":\"withheld-rewritten\"}\nfinish tool_calls\n---\nreasoning \"Well.\"\ntext \"Fine.\"\nfinish stop"
				if tools == "[]" {
					rewritten = "reasoning \"Well.\"\ntext \"Fine.\"\nfinish stop"
				}
				p, model := runner(t, strings.Join([]string{script, good, cut, rewritten, script, "refusal \"withheld-refusal\"\nfinish refusal"}, "\n---\n"))
				p.do("apply", p.write("guard.yaml", strings.NewReplacer("TOOLS", tools, "ASK", ask).Replace(withGuardrails)))
				p.serve()
				printed := func(what string, want, got result) {
					t.Helper()
					if got != want {
						t.Errorf("%s: %+v, want %+v", what, got, want)
					}
				}
				fine := result{0, "Fine.\n", head + "Well.\n"}
				printed("withheld once", fine, p.try("", "run", "Do it."))
				_, conversation := p.newest()
				printed("a stream that was cut", fine, p.try("", "run", "Do it."))
				printed("withheld twice", result{1, "", "countersign: output_blocked: Guardrails withheld every response of the model.\n"}, p.try("", "run", "Do it."))
				run, blocked := p.newest()
				p.try("", "runs", "show", run)
				p.do("runs", "list")
				for _, id := range []string{conversation, blocked} {
					p.do("export", "--markdown", id)
					p.try("", "replay", "--raw", p.write("export.jsonl", p.do("export", id)))
				}
				if text := p.said.String(); strings.Contains(text, planted) || !strings.Contains(text, "output_withheld") {
					t.Errorf("what was printed: %s", text)
				}
				if n := len(model.Requests()); n < 6 {
					t.Errorf("the model was asked %d times", n)
				}
				for _, r := range model.Requests()[1:] {
					if text := fmt.Sprintf("%+v", r.Messages); strings.Contains(text, planted) {
						t.Errorf("a request has it: %s", text)
					}
				}
				noFileHas(t, p.dir, planted)
			})
		}
	}
}

// noFileHas reports files below a directory that hold a text.
func noFileHas(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("%s has %q", path, text)
		}
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("%d files, %v", files, err)
	}
}
