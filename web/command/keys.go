package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/web/control"
)

func (p *Program) listKeys(ctx context.Context, l *line) error {
	if _, err := l.parse(0); err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		list, err := c.Keys(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tPERSON\tNAME\tSTARTS WITH\tMAY\tLAST USED\tENDS")
		for _, k := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", plain(string(k.ID)), plain(k.Email), plain(k.Name), plain(k.Prefix),
				plain(scopeList(k.Scopes)), dayOr(k.UsedAt, "never"), dayOr(k.ExpiresAt, "never"))
		}
		return w.Flush()
	})
}

func scopeList(scopes []models.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

func dayOr(t time.Time, otherwise string) string {
	if t.IsZero() {
		return otherwise
	}
	return t.UTC().Format(time.DateOnly)
}

func (p *Program) createKey(ctx context.Context, l *line) error {
	var n control.NewKey
	var scopes string
	l.flags.StringVar(&n.Email, "user", "", "email address of the person in whose name it acts")
	l.flags.StringVar(&n.Name, "name", "", "name of the program that has it")
	l.flags.StringVar(&scopes, "scopes", string(models.ScopeRead), "what it may do: "+strings.ReplaceAll(scopeList(models.Scopes), ",", ", ")+", with commas between them")
	l.flags.DurationVar(&n.Lasts, "lasts", 0, "how long it works, such as 720h; until it is revoked if it is left out")
	if _, err := l.parse(0); err != nil {
		return err
	}
	if n.Email == "" || n.Name == "" {
		return Usage(errors.New("--user and --name are needed"))
	}
	for _, word := range strings.Split(scopes, ",") {
		n.Scopes = append(n.Scopes, models.Scope(strings.TrimSpace(word)))
	}
	return p.with(ctx, l, func(c *control.Client) error {
		k, err := c.CreateKey(ctx, n)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.Stdout, k.Token) // alone, for scripts
		return err
	})
}

func (p *Program) revokeKey(ctx context.Context, l *line) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		k, err := c.RevokeKey(ctx, agent.KeyID(words[0]))
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "The key %s (%s) works no more.\n", k.ID, plain(k.Name))
		return nil
	})
}
