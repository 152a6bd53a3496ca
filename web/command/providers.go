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
		p.writeTest(test)
		if !test.OK {
			return errFailed
		}
		return nil
	})
}

// maxOffers is how many models of a service are printed.
const maxOffers = 40

func (p *Program) writeTest(test control.ProviderTest) {
	fmt.Fprintf(p.Stdout, "%s. %s\n", plain(test.Title), plain(test.Text))
	for _, s := range test.Steps {
		fmt.Fprintf(p.Stdout, "  %-7s  %s\n", plain(s.State), plain(strings.TrimSuffix(s.Label+": "+s.Note, ": ")))
	}
	if e := test.Error; e != nil {
		fmt.Fprintf(p.Stdout, "  %s\n", plain(diagnostic(*e)))
	} else if test.RequestID != "" {
		fmt.Fprintf(p.Stdout, "  request %s\n", plain(test.RequestID))
	}
	if n := len(test.Offers); n > 0 {
		fmt.Fprintf(p.Stdout, "  lists also: %s", plain(strings.Join(test.Offers[:min(n, maxOffers)], ", ")))
		if n > maxOffers {
			fmt.Fprintf(p.Stdout, " and %d more", n-maxOffers)
		}
		fmt.Fprintln(p.Stdout)
	}
}

// diagnostic writes what is known of a failure in a line.
func diagnostic(e control.ProviderError) string {
	parts := []string{"category " + e.Category}
	if e.HTTPStatus != 0 {
		parts = append(parts, fmt.Sprintf("HTTP %d", e.HTTPStatus))
	}
	for _, f := range []struct{ label, value string }{{"api", e.API}, {"code", e.Code}, {"request", e.RequestID}} {
		if f.value != "" {
			parts = append(parts, f.label+" "+f.value)
		}
	}
	if e.Retryable {
		return strings.Join(append(parts, "worth trying again"), ", ")
	}
	return strings.Join(append(parts, "not worth trying again"), ", ")
}
