package command_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"countersign/providers/scripted/scriptedtest"
)

const forRuns = `providers:
  - name: Local
    api: chat-completions
    base_url: ADDRESS
    allow_private_network: true
    retry: {max_retries: 1, base: 1ms}
    models: [{name: m}, {name: other}]
agents:
  - name: assistant
    model: {provider: Local, name: m}
    tools: [ask_user, notes_list, notes_write]
users:
  - {email: admin@example.com, name: Admin, role: admin, password_file: password.txt}
`

// runner is a place whose model plays a script.
func runner(t *testing.T, script string) (*place, *scriptedtest.Server) {
	t.Helper()
	p := newPlace(t)
	model := scriptedtest.NewServer(t, script)
	p.write("password.txt", password+"\n")
	p.do("apply", p.write("setup.yaml", strings.Replace(forRuns, "ADDRESS", model.URL, 1)))
	return p, model
}

const (
	head = "countersign: reasoning:\n"
	long = "one line of reasoning that is a hundred bytes long, so that seven hundred of them are more than the bound\n"
)

// requestID is what the upstream names a request.
var requestID = regexp.MustCompile(`request scripted-\d+`)

// What a run prints, byte for byte: alone, beside a server, and again from its
// record (contract C1-C13, C15, C18, C20).
func TestRun_Prints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		args   []string
		code   int
		out    string
		errors string
	}{
		"an answer": {script: "text \"An \"\ntext \"answer.\"\nfinish stop", out: "An answer.\n"},
		"an answer that ends its line": {script: `text "A line.\n"
finish stop`, out: "A line.\n\n"},
		"a refusal": {script: "refusal \"I will not.\"\nfinish stop", out: "I will not.\n"},
		"reasoning": {
			script: "reasoning \"One, \"\nreasoning \"two.\"\ntext \"Three.\"\nusage in=3 out=4\nfinish stop",
			out:    "Three.\n", errors: head + "One, two.\n",
		},
		"reasoning that ends its line": {script: "reasoning \"One.\\n\"\ntext \"Two.\"\nfinish stop", out: "Two.\n", errors: head + "One.\n"},
		"reasoning of white space":     {script: "reasoning \" \"\ntext \"Two.\"\nfinish stop", out: "Two.\n", errors: head + " \n"},
		"phases": {
			script: "reasoning \"One.\"\ntext \"Two. \"\nreasoning \"Three.\\n\"\ntext \"Four.\"\nfinish stop",
			out:    "Two. Four.\n", errors: head + "One.\n" + head + "Three.\n",
		},
		"a round of tools": {
			script: "reasoning \"Look.\"\ncall c1 notes_list {}\nfinish tool_calls\n---\nreasoning \"Seen.\"\ntext \"None.\"\nfinish stop",
			out:    "None.\n", errors: head + "Look.\n" + head + "Seen.\n",
		},
		"an attempt that failed": {
			script: "reasoning \"Lost.\"\nerror overloaded code=overloaded\n---\nreasoning \"Again.\"\ntext \"Done.\"\nfinish stop",
			out:    "Done.\n", errors: head + "Lost.\n" + head + "Again.\n",
		},
		"a failure": {
			script: "reasoning \"Hm\"\nfinish content_filter", code: 1,
			errors: head + "Hm\ncountersign: provider_error: The model did not answer: category content_filter, HTTP 200, code content_filter, request ID, not worth trying again.\n",
		},
		"control characters": {
			script: `reasoning "\x1b[2J\x07"` + "\n" + `text "\x1b]0;x\x07 \u009b1m \u202eback\r\n\ttab"` + "\nfinish stop",
			out:    "\u241b]0;x\u2407 [U+009B]1m [U+202E]back\u240d\n\ttab\n", errors: head + "\u241b[2J\u2407\n",
		},
		"control characters, raw": {
			script: `text "\x1b[1mbold"` + "\nfinish stop", args: []string{"--raw"}, out: "\x1b[1mbold\n",
		},
		"more reasoning than is shown": {
			script: "repeat 700 reasoning \"" + strings.ReplaceAll(long, "\n", `\n`) + "\"\ntext \"Done.\"\nfinish stop",
			out:    "Done.\n", errors: head + strings.Repeat(long, 700)[:64<<10] + "\n",
		},
		"a call that nobody allows": {
			script: "call c1 notes_write {\"title\":\"A\",\"text\":\"b\"}\nfinish tool_calls\n---\nexpect result \"decided against\"\nexpect result \"unattended\"\ntext \"Not done.\"\nfinish stop",
			out:    "Not done.\n",
		},
		"a question that nobody answers": {
			script: "call c1 ask_user {\"questions\":[{\"header\":\"H\",\"question\":\"Which?\",\"options\":[{\"label\":\"A\",\"description\":\"a\"},{\"label\":\"B\",\"description\":\"b\"}]}]}\nfinish tool_calls\n---\nexpect result \"unattended\"\ntext \"Then not.\"\nfinish stop",
			out:    "Then not.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := runner(t, c.script+"\n---\n"+c.script)
			args := append([]string{"run", "Do it."}, c.args...)
			want := result{c.code, c.out, c.errors}
			compare := func(how string, got result) {
				t.Helper()
				got.errors = requestID.ReplaceAllString(got.errors, "request ID")
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
			}
			compare("alone", p.try("", args...))
			p.serve()
			compare("beside a server", p.try("Do it.", append([]string{"run"}, c.args...)...))
			_, conversation := p.newest()
			file := p.write("export.jsonl", p.do("export", conversation))
			compare("replayed", p.try("", append([]string{"replay", file}, c.args...)...))
		})
	}
}

// newest is the newest run and its conversation.
func (p *place) newest() (run, conversation string) {
	p.t.Helper()
	lines := strings.Split(p.do("runs", "list"), "\n")
	if len(lines) < 2 {
		p.t.Fatalf("runs list: %q", lines)
	}
	fields := strings.Fields(lines[1])
	return fields[0], fields[4]
}

// start begins a command and returns its streams.
func (p *place) start(args ...string) (c *exec.Cmd, out *transcript, errs *bufio.Reader) {
	p.t.Helper()
	out = &transcript{}
	c = exec.CommandContext(p.t.Context(), program, args...)
	c.Env, c.Stdout = append(os.Environ(), "COUNTERSIGN_DATA="+p.dir), out
	pipe, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return c, out, bufio.NewReader(pipe)
}

// Reasoning is there while the run is under way (contract C3, C19).
func TestRun_ReasoningIsLive(t *testing.T) {
	t.Parallel()
	p, model := runner(t, "reasoning \"Hm.\"\ngate held\ntext \"Done.\"\nfinish stop")
	c, out, errs := p.start("run", "Do it.")
	model.Reached("held")
	if err := readUntil(errs, head+"Hm."); err != nil {
		t.Fatal(err)
	}
	if out.String() != "" {
		t.Errorf("standard output has %q while the run is under way", out)
	}
	model.Release("held")
	rest, err := io.ReadAll(errs)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if string(rest) != "\n" || err != nil || out.String() != "Done.\n" {
		t.Errorf("then standard error had %q, %v, standard output %q", rest, err, out)
	}
}

// An interrupt cancels the run, and an open phase ends before the line that
// says so (trap 51).
func TestRun_Interrupted(t *testing.T) {
	t.Parallel()
	p, model := runner(t, "reasoning \"Hm.\"\ngate held\nhang")
	c, out, errs := p.start("run", "Do it.")
	model.Reached("held")
	if err := readUntil(errs, "Hm."); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(errs)
	_ = c.Wait()
	if c.ProcessState.ExitCode() != 130 || out.String() != "" || string(rest) != "\ncountersign: interrupted: The command was interrupted, and its run was cancelled.\n" {
		t.Errorf("exit code %d, output %q, errors %q", c.ProcessState.ExitCode(), out, rest)
	}
	if run, _ := p.newest(); !strings.Contains(p.do("runs", "list"), run+"  cancelled") {
		t.Errorf("the run is not cancelled:\n%s", p.do("runs", "list"))
	}
}

func TestRun_Timeout(t *testing.T) {
	t.Parallel()
	p, _ := runner(t, "text \"Never\"\nhang")
	got := p.try("", "run", "--timeout", "300ms", "Do it.")
	want := result{1, "", "countersign: timeout: The run took longer than --timeout allows, and was cancelled.\n"}
	if got != want {
		t.Errorf("got %+v", got)
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Parallel()
	p, _ := runner(t, "")
	for _, c := range []struct {
		stdin string
		args  []string
		words string
	}{
		{" \n", []string{"run"}, "the task is empty"},
		{"", []string{"run", " "}, "the task is empty"},
		{"", []string{"run", "a", "b"}, "usage: countersign run [TASK]"},
		{"", []string{"run", "a", "--agent", "nobody"}, `there is no agent "nobody"; there are: assistant`},
		{"", []string{"run", "a", "--model", "Local/x"}, `there is no model "Local/x"; there are: Local/m, Local/other`},
		{"", []string{"run", "a", "--on-approval", "allow"}, "--on-approval is deny, defer or ask"},
		{"", []string{"run", "a", "--on-approval", "ask"}, "needs a terminal"},
		{"", []string{"run", "a", "--timeout", "-1s"}, "--timeout is a positive time"},
	} {
		got := p.try(c.stdin, c.args...)
		if got.code != 2 || got.out != "" || !strings.Contains(got.errors, c.words) {
			t.Errorf("%q: %+v, want %q", c.args, got, c.words)
		}
	}
	for _, args := range [][]string{{"runs", "show", "r_none"}, {"runs", "resume", "r_none"}, {"approve", "r_none"}} {
		p.refused(1, "countersign: run_not_found: ", args...)
	}
	p.refused(1, "countersign: user_not_found: ", "run", "a", "--user", "b@example.com")
}

// A run that is left waiting is found, signed and gone on with, alone and
// beside a server (contract part 2.22).
func TestRun_Deferred(t *testing.T) {
	t.Parallel()
	for _, beside := range []bool{false, true} {
		script := "call c1 notes_write {\"title\":\"A\",\"text\":\"b\"}\nfinish tool_calls\n---\ntext \"Written.\"\nfinish stop\n"
		p, _ := runner(t, script+"---\n"+script)
		if beside {
			p.serve()
		}
		for verdict, words := range map[string]string{"approve": "notes_write", "deny": "notes_write"} {
			got := p.try("", "run", "--on-approval", "defer", "Do it.")
			run, _ := p.newest()
			if got != (result{3, "", "countersign: waiting: The run waits for a person: " + run + "\n"}) {
				t.Errorf("got %+v", got)
			}
			if shown := p.do("runs", "show", run); !strings.Contains(shown, words) || !strings.Contains(shown, `{"title":"A","text":"b"}`) {
				t.Errorf("runs show: %s", shown)
			}
			p.do(verdict, run)
			if got := p.do("runs", "resume", run); got != "Written.\n" {
				t.Errorf("then %q", got)
			}
			p.refused(1, "run_not_waiting", "approve", run)
		}
	}
}

// On a terminal the person is asked, and a model's control characters are only
// shown. Both streams have the same bytes as in pipes (contract C11).
func TestRun_AsksOnATerminal(t *testing.T) {
	t.Parallel()
	p, _ := runner(t, "reasoning \"Hm.\"\ncall c1 notes_write {\"title\":\"A\",\"text\":\"\\u001b[2J\"}\nfinish tool_calls\n---\ntext \"Written.\"\nfinish stop")
	near, far := terminal(t)
	plainOutput(t, far)
	c := exec.CommandContext(t.Context(), program, "run", "--on-approval", "ask", "--data", p.dir, "Do it.")
	c.Stdin, c.Stdout, c.Stderr = far, far, far
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	screen := bufio.NewReader(near)
	if err := readUntil(screen, head+"Hm.\nWrite a note (notes_write)\n{\"title\":\"A\",\"text\":\"\\u001b[2J\"}\nApprove? [y/N] "); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(near, "y\n"); err != nil {
		t.Fatal(err)
	}
	if err := readUntil(screen, "y\nWritten.\n"); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// The end of input at the question allows nothing.
func TestRun_EndOfInputIsNo(t *testing.T) {
	t.Parallel()
	p, _ := runner(t, "call c1 notes_write {\"title\":\"A\",\"text\":\"b\"}\nfinish tool_calls\n---\nexpect result \"decided against\"\ntext \"Not written.\"\nfinish stop")
	near, far := terminal(t)
	plainOutput(t, far)
	c := exec.CommandContext(t.Context(), program, "run", "--on-approval", "ask", "--data", p.dir, "Do it.")
	c.Stdin, c.Stdout, c.Stderr = far, far, far
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	screen := bufio.NewReader(near)
	if err := readUntil(screen, "Approve? [y/N] "); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(near, "\x04"); err != nil {
		t.Fatal(err)
	}
	if err := readUntil(screen, "Not written.\n"); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// plainOutput has a terminal pass line feeds on as they are.
func plainOutput(t *testing.T, f *os.File) {
	t.Helper()
	now, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	now.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, now); err != nil {
		t.Fatal(err)
	}
}

// What a guardrail withholds is printed nowhere, and nobody is there to let the
// run go on (contract R19, trap 17).
func TestRun_Withheld(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const script = "reasoning \"A secret thought.\"\ntext \"A secret word.\"\nfinish stop\n"
	model := scriptedtest.NewServer(t, script+"---\n"+script)
	p.write("password.txt", password+"\n")
	guarded := strings.Replace(forRuns, "users:\n", `    safety:
      retries: 1
      ask: true
      guardrails: [{name: Discretion, pattern: secret, over: [answer, reasoning]}]
users:
`, 1)
	p.do("apply", p.write("setup.yaml", strings.Replace(guarded, "ADDRESS", model.URL, 1)))
	got := p.try("", "run", "Do it.")
	if got.code != 1 || got.out != "" || !strings.HasPrefix(got.errors, "countersign: output_blocked: ") || strings.Contains(got.errors, "secret") {
		t.Errorf("got %+v", got)
	}
	_, conversation := p.newest()
	if record := p.do("export", conversation); strings.Contains(record, "secret") {
		t.Errorf("the record has what was withheld:\n%s", record)
	}
}
