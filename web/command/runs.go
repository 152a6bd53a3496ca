package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"countersign/agent"
	"countersign/web/control"
)

// maxRuns is how many runs are listed at most.
const maxRuns = 100

func (p *Program) listRuns(ctx context.Context, l *line) error {
	var user string
	p.userFlag(l, &user)
	limit := l.flags.Int("limit", 20, "how many at most, up to 100")
	if _, err := l.parse(0); err != nil {
		return err
	}
	if *limit < 1 || *limit > maxRuns {
		return Usage(fmt.Errorf("--limit is a number from 1 to %d", maxRuns))
	}
	return p.withRuns(ctx, l, func(c *control.Client) error {
		list, err := c.Runs(ctx, user, *limit)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "RUN\tSTATE\tCHANGED\tCONVERSATION\tTITLE")
		for _, r := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.State, r.UpdatedAt.Local().Format(time.DateTime), r.Conversation, plain(r.Title))
		}
		return w.Flush()
	})
}

// run is a command about one run.
func (p *Program) aboutRun(ctx context.Context, l *line, user *string, do func(control.Person, string) error) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.withRuns(ctx, l, func(c *control.Client) error { return do(c.As(*user), words[0]) })
}

func runPath(id, rest string) string { return "/v2/runs/" + id + rest }

func (p *Program) showRun(ctx context.Context, l *line) error {
	var user string
	p.userFlag(l, &user)
	raw := l.flags.Bool("raw", false, "pass control characters of the model's text on to the terminal")
	return p.aboutRun(ctx, l, &user, func(who control.Person, id string) error {
		var run ending
		if err := who.Do(ctx, http.MethodGet, runPath(id, ""), nil, &run); err != nil {
			return err
		}
		d := &display{err: p.Stderr, raw: *raw}
		fmt.Fprintf(p.Stdout, "%s in %s: %s\n", id, run.Conversation, run.State)
		for _, i := range run.Interruptions {
			if i.Approval != nil {
				for _, c := range i.Approval.Calls {
					fmt.Fprintf(p.Stdout, "\nwaits for a decision on %s:\n%s\n", c.ID, d.visible(c.describe()))
				}
			}
			if i.Question != nil {
				for _, q := range i.Question.Questions {
					fmt.Fprintf(p.Stdout, "\nasks: %s\n", d.visible(q.Question))
				}
			}
			switch i.Kind {
			case agent.KindReconcile:
				fmt.Fprintln(p.Stdout, "\nwaits for somebody to say in the browser what became of a call")
			case agent.KindSafety:
				fmt.Fprintln(p.Stdout, "\nwas stopped for safety, and waits for somebody to say in the browser whether it goes on")
			}
		}
		if run.State.Terminal() {
			fmt.Fprintln(p.Stdout)
			return run.print(p.Stdout, d)
		}
		return nil
	})
}

// resumeRun goes on with a run and prints it as a new one is.
func (p *Program) resumeRun(ctx context.Context, l *line) error {
	o := p.runFlags(l, "defer")
	words, err := l.parse(1)
	if err == nil {
		err = o.check(p)
	}
	if err != nil {
		return err
	}
	return p.withRuns(ctx, l, func(c *control.Client) error {
		var run ending
		if err := c.As(o.user).Do(ctx, http.MethodGet, runPath(words[0], ""), nil, &run); err != nil {
			return err
		}
		if err := c.ResumeRun(ctx, words[0]); err != nil {
			return err
		}
		return p.follow(ctx, c.As(o.user), o, sent{words[0], run.Conversation})
	})
}

func (p *Program) cancelRun(ctx context.Context, l *line) error {
	var user string
	p.userFlag(l, &user)
	return p.aboutRun(ctx, l, &user, func(who control.Person, id string) error {
		var run ending
		if err := who.Do(ctx, http.MethodPost, runPath(id, "/cancel"), nil, &run); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", id, run.State)
		return nil
	})
}

func (p *Program) approve(ctx context.Context, l *line) error { return p.sign(ctx, l, "once") }
func (p *Program) deny(ctx context.Context, l *line) error    { return p.sign(ctx, l, "deny") }

// sign decides on the calls of a run that wait, all of them or some.
func (p *Program) sign(ctx context.Context, l *line, verdict string) error {
	var user, reason string
	var only []string
	p.userFlag(l, &user)
	l.flags.Func("call", "id of a call; all that wait otherwise; may be repeated", func(id string) error {
		only = append(only, id)
		return nil
	})
	if verdict == "deny" {
		l.flags.StringVar(&reason, "reason", "", "what the model is told, in at most 512 characters")
	}
	return p.aboutRun(ctx, l, &user, func(who control.Person, id string) error {
		if len(only) == 0 {
			var run ending
			if err := who.Do(ctx, http.MethodGet, runPath(id, ""), nil, &run); err != nil {
				return err
			}
			for _, i := range run.Interruptions {
				if i.Approval != nil {
					for _, c := range i.Approval.Calls {
						only = append(only, c.ID)
					}
				}
			}
			if len(only) == 0 {
				return &codedError{"run_not_waiting", "The run does not wait for a decision."}
			}
		}
		var list []decision
		for _, call := range only {
			list = append(list, decision{call, verdict, reason})
		}
		var run ending
		if err := who.Do(ctx, http.MethodPost, runPath(id, "/approval"), map[string]any{"decisions": list}, &run); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", id, run.State)
		return nil
	})
}

// withRuns is with for what has to do with runs: an error has its code in its
// line, and nothing else is said on standard error.
func (p *Program) withRuns(ctx context.Context, l *line, do func(*control.Client) error) error {
	err := p.with(ctx, l, do)
	var said *control.Error
	if errors.As(err, &said) {
		return &codedError{said.Code, said.Message}
	}
	return err
}
