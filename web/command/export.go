package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"countersign/agent"
	"countersign/web/control"
	"countersign/web/export"
)

// export prints a conversation.
func (p *Program) export(ctx context.Context, l *line) error {
	markdown := l.flags.Bool("markdown", false, "what was said, for people to read; otherwise the record, as JSON lines")
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.withRuns(ctx, l, func(c *control.Client) error { return c.Export(ctx, p.Stdout, words[0], *markdown) })
}

// importFile opens a conversation with what was said in the one of a file.
func (p *Program) importFile(ctx context.Context, l *line) error {
	var user, agentName string
	p.userFlag(l, &user)
	l.flags.StringVar(&agentName, "agent", "", "name of the agent; the default one otherwise")
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	said, err := readSaid(words[0])
	if err != nil {
		return err
	}
	return p.withRuns(ctx, l, func(c *control.Client) error {
		id, err := c.Import(ctx, user, agentName, said)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s begins with the %d messages of the file, as text.\n", id, len(said.Messages))
		if said.Omitted > 0 {
			fmt.Fprintf(p.Stdout, "The oldest %d did not fit.\n", said.Omitted)
		}
		return nil
	})
}

func readSaid(path string) (agent.HistoryCopied, error) {
	f, err := os.Open(path)
	if err != nil {
		return agent.HistoryCopied{}, err
	}
	defer f.Close()
	said, err := agent.CopyOf(records(f))
	if err == nil && len(said.Messages) == 0 {
		err = errors.New("nothing was said in it")
	}
	if err != nil {
		return said, fmt.Errorf("%s: %w", path, err)
	}
	return said, nil
}

// records yields the records of a file.
func records(r io.Reader) iter.Seq2[agent.Record, error] {
	return func(yield func(agent.Record, error) bool) {
		for line, err := range export.Read(r) {
			if err != nil {
				yield(agent.Record{}, err)
				return
			}
			e, ok := line.(export.Event)
			if !ok {
				continue
			}
			rec, err := e.Record("")
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}
