package command

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"countersign/models"
	"countersign/web/control"
)

const passwordHelp = "file with the password in its first line, - for standard input; without it, the terminal asks"

func (p *Program) listUsers(ctx context.Context, l *line) error {
	if _, err := l.parse(0); err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		list, err := c.Users(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "EMAIL\tNAME\tROLE\tSTATE")
		for _, u := range list {
			state := "enabled"
			if u.Disabled {
				state = "disabled"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", plain(u.Email), plain(u.Name), u.Role, state)
		}
		return w.Flush()
	})
}

func (p *Program) createUser(ctx context.Context, l *line) error {
	var n control.NewUser
	var file string
	l.flags.StringVar(&n.Email, "email", "", "email address")
	l.flags.StringVar(&n.Name, "name", "", "name that others see")
	l.flags.StringVar((*string)(&n.Role), "role", string(models.RoleMember), "admin or member")
	l.flags.StringVar(&file, "password-file", "", passwordHelp)
	if _, err := l.parse(0); err != nil {
		return err
	}
	if n.Email == "" || n.Name == "" {
		return Usage(errors.New("--email and --name are needed"))
	}
	password, err := p.password(ctx, file, n.Email)
	if err != nil {
		return err
	}
	n.Password = password.Reveal()
	return p.withNew(ctx, l, func(c *control.Client) error {
		u, err := c.CreateUser(ctx, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s can sign in as %s.\n", plain(u.Email), u.Role)
		return nil
	})
}

func (p *Program) resetPassword(ctx context.Context, l *line) error {
	var file string
	l.flags.StringVar(&file, "password-file", "", passwordHelp)
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	password, err := p.password(ctx, file, words[0])
	if err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		u, err := c.SetPassword(ctx, words[0], password.Reveal())
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s has a new password and is signed out everywhere.\n", plain(u.Email))
		return nil
	})
}

func (p *Program) disableUser(ctx context.Context, l *line) error {
	return p.setDisabled(ctx, l, true, "%s can't sign in any more, is signed out everywhere, and their runs were stopped.\n")
}

func (p *Program) enableUser(ctx context.Context, l *line) error {
	return p.setDisabled(ctx, l, false, "%s can sign in.\n")
}

func (p *Program) setDisabled(ctx context.Context, l *line, disabled bool, done string) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		u, err := c.SetDisabled(ctx, words[0], disabled)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, done, plain(u.Email))
		return nil
	})
}
