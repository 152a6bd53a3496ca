package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// A line is the command line of one command.
type line struct {
	command command
	flags   *flag.FlagSet
	args    []string
	out     io.Writer // for help that was asked for
	data    string
}

func (p *Program) newLine(c command, args []string) *line {
	l := &line{command: c, flags: flag.NewFlagSet(c.name, flag.ContinueOnError), args: args, out: p.Stdout}
	l.flags.SetOutput(io.Discard)
	if c.name != "version" && c.name != "replay" {
		p.text(l, &l.data, "data", "COUNTERSIGN_DATA", "./data", "data directory")
	}
	return l
}

// text defines an option with its environment variable.
func (p *Program) text(l *line, to *string, name, env, otherwise, help string) {
	if v := p.Getenv(env); v != "" {
		otherwise = v
	}
	l.flags.StringVar(to, name, otherwise, help+" ("+env+")")
}

// parse reads options, wherever they stand, and as many words as the command
// takes.
func (l *line) parse(words int) ([]string, error) { return l.parseSome(words, words) }

// parseSome is parse for a command that takes some words.
func (l *line) parseSome(least, most int) ([]string, error) {
	var found []string
	for args := l.args; ; args = l.flags.Args()[1:] {
		switch err := l.flags.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			l.help()
			return nil, err
		case err != nil:
			return nil, Usage(err)
		}
		if l.flags.NArg() == 0 {
			break
		}
		found = append(found, l.flags.Arg(0))
	}
	if len(found) < least || len(found) > most {
		return nil, Usage(fmt.Errorf("usage: countersign %s", l.synopsis()))
	}
	return found, nil
}

func (l *line) synopsis() string {
	return strings.TrimSpace(l.command.name + " " + l.command.args)
}

func (l *line) help() {
	fmt.Fprintf(l.out, "usage: countersign %s\n\n%s\n\n", l.synopsis(), l.command.summary)
	l.flags.SetOutput(l.out)
	l.flags.PrintDefaults()
}
