// Package command is the command line: it parses what was typed, has it done,
// and says how it went in plain words.
//
// Everything but serve and version reaches the data directory through
// [control], so it works beside a running server as well as without one.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"unicode"

	"countersign/models"
	"countersign/web/control"
)

// A Program is what the commands run with.
type Program struct {
	Version string
	// Tools are the names of the tools that agents may have.
	Tools          []string
	Getenv         func(string) string
	Stdin          *os.File
	Stdout, Stderr io.Writer
	// Serve serves until the context ends.
	Serve func(ctx context.Context, o ServeOptions, log *slog.Logger) error
	// Open opens the data directory for a command; work says that it may have
	// runs go on: those that it starts or resumes, and no others. The error is
	// [models.ErrLocked] while a process has it.
	Open func(ctx context.Context, dir string, work bool, log *slog.Logger) (*control.Local, error)
}

// A command is one of the things that can be typed.
type command struct {
	name    string // one word or two
	args    string // as the help shows them
	summary string
	run     func(p *Program, ctx context.Context, l *line) error
}

// commands are in the order of the help.
func commands() []command {
	return []command{
		{"serve", "", "serve the pages, the default", (*Program).serve},
		{"apply", "FILE", "set the server up as a file says", (*Program).apply},
		{"run", "[TASK]", "submit one task and print the answer; the task may come on standard input", (*Program).runTask},
		{"runs list", "", "list the newest runs", (*Program).listRuns},
		{"runs show", "RUN", "show where a run stands and what it waits for", (*Program).showRun},
		{"runs resume", "RUN", "go on with a run and print it as run does", (*Program).resumeRun},
		{"runs cancel", "RUN", "cancel a run", (*Program).cancelRun},
		{"approve", "RUN", "allow the calls that a run waits with", (*Program).approve},
		{"deny", "RUN", "turn down the calls that a run waits with", (*Program).deny},
		{"export", "CONVERSATION", "print the record of a conversation, as JSON lines", (*Program).export},
		{"import", "FILE", "open a conversation with what was said in an exported one", (*Program).importFile},
		{"replay", "FILE", "print a run of an exported conversation as run did", (*Program).replay},
		{"users list", "", "list everybody", (*Program).listUsers},
		{"users create", "--email EMAIL --name NAME --role ROLE", "add a person", (*Program).createUser},
		{"users reset-password", "EMAIL", "give a person a new password, and sign them out", (*Program).resetPassword},
		{"users disable", "EMAIL", "bar a person from signing in, and sign them out", (*Program).disableUser},
		{"users enable", "EMAIL", "let a person sign in again", (*Program).enableUser},
		{"providers list", "", "list the connections to models", (*Program).listProviders},
		{"providers test", "NAME", "try a connection; exit with 1 if it fails", (*Program).testProvider},
		{"keys list", "", "list the API keys", (*Program).listKeys},
		{"keys create", "--user EMAIL --name NAME --scopes SCOPES", "make an API key and print its token, this once", (*Program).createKey},
		{"keys revoke", "ID", "end an API key", (*Program).revokeKey},
		{"backup", "FILE", "copy the database to a new file, also while serving", (*Program).backup},
		{"rotate-key", "", "seal stored keys under a new sealing key", (*Program).rotateKey},
		{"version", "", "print the version", (*Program).version},
	}
}

// usageError is a command line that can't be followed.
type usageError struct{ error }

// Usage makes an error one of the command line.
func Usage(err error) error { return usageError{err} }

// errFailed ends a command that has said everything itself.
var errFailed = errors.New("failed")

// Main runs a command line and returns the exit code: 0 if it was done, 1 if
// it failed, 2 if it can't be followed, 3 if it left a run waiting for a
// person, 130 if it was interrupted and its run was cancelled.
func (p *Program) Main(ctx context.Context, args []string) int {
	err := p.run(ctx, args)
	var usage usageError
	var ended exit
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	fmt.Fprintln(p.Stderr, "countersign:", err)
	switch {
	case errors.As(err, &usage):
		return 2
	case errors.As(err, &ended):
		return ended.code
	}
	return 1
}

func (p *Program) run(ctx context.Context, args []string) error {
	if len(args) > 0 && (args[0] == "help" || asksForHelp(args[0])) {
		p.help("")
		return nil
	}
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-version") {
		args[0] = "version"
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		args = append([]string{"serve"}, args...)
	}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return c.run(p, ctx, p.newLine(c, args[len(words):]))
		}
	}
	if list := below(args[0]); list != "" {
		if len(args) > 1 && asksForHelp(args[1]) {
			p.help(args[0] + " ")
			return nil
		}
		return Usage(fmt.Errorf("%s what? There are: %s", args[0], list))
	}
	return Usage(fmt.Errorf("there is no command %q; countersign help lists them", args[0]))
}

// below lists the second words that may follow a first one.
func below(first string) string {
	var list []string
	for _, c := range commands() {
		if rest, ok := strings.CutPrefix(c.name, first+" "); ok {
			list = append(list, rest)
		}
	}
	return strings.Join(list, ", ")
}

func asksForHelp(arg string) bool {
	return arg == "-h" || arg == "-help" || arg == "--help"
}

// help lists the commands that begin with something, all with "".
func (p *Program) help(group string) {
	what := group + "COMMAND"
	if group == "" {
		what = "[command]"
	}
	fmt.Fprintf(p.Stdout, "usage: countersign %s [options]\n\n", what)
	for _, c := range commands() {
		if !strings.HasPrefix(c.name, group) {
			continue
		}
		fmt.Fprintf(p.Stdout, "  %-32s %s\n", strings.TrimSpace(c.name+" "+shortArgs(c.args)), c.summary)
	}
	fmt.Fprintf(p.Stdout, "\ncountersign %sCOMMAND --help shows the options of a command.\n", group)
}

// shortArgs leaves options out: a command's own help shows them.
func shortArgs(args string) string {
	if strings.HasPrefix(args, "--") {
		return "…"
	}
	return args
}

func (p *Program) version(_ context.Context, l *line) error {
	if _, err := l.parse(0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.Stdout, "countersign", p.Version)
	return err
}

// with does something to the data directory that exists.
func (p *Program) with(ctx context.Context, l *line, do func(*control.Client) error) error {
	if !models.Exists(l.data) {
		return fmt.Errorf("there is no database in %s; --data names the data directory", l.data)
	}
	return p.withNew(ctx, l, do)
}

// works are the commands that have a run go on. They say nothing of the data
// directory's state on standard error, which is the run's (contract C12).
func works(c command) bool { return c.name == "run" || c.name == "runs resume" }

// withNew is with for what may be the first thing to be done.
func (p *Program) withNew(ctx context.Context, l *line, do func(*control.Client) error) error {
	level := slog.LevelWarn
	if works(l.command) {
		level = slog.LevelError
	}
	log := slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: level}))
	c, err := control.Dial(ctx, l.data, func(ctx context.Context) (*control.Local, error) {
		return p.Open(ctx, l.data, works(l.command), log)
	})
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}

// plain is text for a terminal: characters that it might obey are replaced.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
