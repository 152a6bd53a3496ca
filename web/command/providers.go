package command

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"countersign/web/control"
)

func (p *Program) listProviders(ctx context.Context, l *line) error {
	if _, err := l.parse(0); err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		list, err := c.Providers(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tAPI\tADDRESS\tKEY\tMODELS")
		for _, v := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", plain(v.Name), plain(v.API), plain(v.BaseURL), plain(v.Key), v.Models)
		}
		return w.Flush()
	})
}

func (p *Program) testProvider(ctx context.Context, l *line) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		test, err := c.TestProvider(ctx, words[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s. %s\n", plain(test.Title), plain(test.Text))
		for _, s := range test.Steps {
			fmt.Fprintf(p.Stdout, "  %-7s  %s\n", plain(s.State), plain(strings.TrimSpace(s.Label+". "+s.Note)))
		}
		for _, f := range test.Facts {
			fmt.Fprintf(p.Stdout, "  %s: %s\n", plain(f.Label), plain(f.Value))
		}
		if !test.OK {
			return errFailed
		}
		return nil
	})
}
