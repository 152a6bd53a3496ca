package command_test

import (
	"strings"
	"testing"
)

// What is exported has no private state in it; imported again it is text, and
// allows nothing.
func TestExportImport(t *testing.T) {
	t.Parallel()
	p, model := runner(t, "call c1 notes_write {\"title\":\"A\",\"text\":\"b\"}\nfinish tool_calls\n---\ntext \"First.\"\nfinish stop\n---\nexpect user \"Again.\"\ntext \"Second.\"\nfinish stop")
	p.try("", "run", "--on-approval", "defer", "Write it.")
	run, conversation := p.newest()
	p.do("approve", run)
	p.do("runs", "resume", run)
	record := p.do("export", conversation)
	for _, want := range []string{`"kind":"approval_decision"`, `"kind":"tool_call_started"`, `"type":"attempt"`, `"text":"First."`} {
		if !strings.Contains(record, want) {
			t.Errorf("the record has no %s", want)
		}
	}
	if text := p.do("export", "--markdown", conversation); !strings.Contains(text, "# Write it.") || !strings.Contains(text, "\n\nFirst.\n") || strings.Contains(text, "notes_write") {
		t.Errorf("as Markdown: %s", text)
	}
	file := p.write("export.jsonl", record)
	said := p.do("import", file)
	if !strings.Contains(said, "begins with the 2 messages") {
		t.Fatal(said)
	}
	opened := strings.Fields(said)[0]
	again := p.do("export", opened)
	for _, foreign := range []string{"approval_decision", "tool_call", "grant", "run_"} {
		if strings.Contains(again, foreign) {
			t.Errorf("the import brought %q", foreign)
		}
	}
	if got := p.do("run", "Again."); got != "Second.\n" {
		t.Errorf("got %q", got)
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	for name, text := range map[string]string{
		"nothing": "", "another file": "{}\n", "a later version": `{"type":"countersign_export","version":9}`,
		"a cut one": record[:len(record)/2], "no header": record[strings.Index(record, "\n")+1:],
		"nothing said": `{"type":"countersign_export","version":1}`,
	} {
		file := p.write("wrong.jsonl", text)
		p.refused(1, "wrong.jsonl", "import", file)
		if name != "nothing said" {
			p.refused(1, "wrong.jsonl", "replay", file)
		}
	}
	p.refused(1, "conversation_not_found", "export", "c_none")
	p.refused(1, "agent_not_found", "import", "--agent", "nobody", p.write("export.jsonl", record))
}
