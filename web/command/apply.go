package command

import (
	"context"
	"errors"
	"fmt"

	"countersign/models"
	"countersign/web/control"
	"countersign/web/provision"
)

func (p *Program) apply(ctx context.Context, l *line) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	text, secret, err := provision.Load(words[0])
	if err != nil {
		return err
	}
	// The files it names are read here, with the rights of whoever typed this.
	files := make(map[string]string)
	_, err = provision.Parse(text, provision.Context{Tools: p.Tools, Secret: func(path string) (models.Secret, error) {
		s, err := secret(path)
		files[path] = s.Reveal()
		return s, err
	}})
	if err != nil {
		return NotApplied(words[0], err)
	}
	return p.withNew(ctx, l, func(c *control.Client) error {
		applied, err := c.Apply(ctx, string(text), files)
		if err != nil {
			return NotApplied(words[0], err)
		}
		for _, a := range applied {
			fmt.Fprintf(p.Stdout, "%-10s %-10s %s\n", a.Outcome, a.Section, plain(a.Name))
		}
		return nil
	})
}

// NotApplied is the error of a provisioning file that can't be applied.
func NotApplied(file string, err error) error {
	if errors.As(err, new(provision.Problems)) || errors.As(err, new(*control.Error)) {
		return fmt.Errorf("%s was not applied, and nothing was changed:\n%w", file, err)
	}
	return err
}
