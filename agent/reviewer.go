package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/providers"
)

const (
	// DefaultReview is how long a reviewer may take.
	DefaultReview = 30 * time.Second
	// MaxReview is the longest that may be set.
	MaxReview = 5 * time.Minute
	// reviewTokens bounds what a reviewer may write.
	reviewTokens = 1024
	// maxReviewRow and maxReviews are how many denials and failures of the
	// reviewer, in a row and in all, a conversation takes before it is asked no
	// more. What fails counts like a denial: an outage would otherwise hold up
	// every call (contract 2.5).
	maxReviewRow = 3
	maxReviews   = 20
)

// A ReviewFault is why a reviewer gave no verdict.
type ReviewFault string

const (
	ReviewTimeout   ReviewFault = "timeout"
	ReviewFailed    ReviewFault = "provider_error" // it could not be asked, or gave no whole answer
	ReviewMalformed ReviewFault = "malformed"      // what it said is no verdict
)

// Reviews counts the denials and failures of the reviewer in a conversation.
type Reviews struct {
	InRow int `json:"in_row,omitempty"` // since it last said otherwise, or a person wrote
	Total int `json:"total,omitempty"`
}

// Stopped reports whether the reviewer is asked no more, so that a person is.
func (r Reviews) Stopped() bool { return r.InRow >= maxReviewRow || r.Total >= maxReviews }

// ForGood reports whether that stays so after the next message.
func (r Reviews) ForGood() bool { return r.Total >= maxReviews }

func (r *Reviews) apply(e Event) {
	d, ok := e.(ApprovalDecision)
	switch {
	case !ok:
		if _, wrote := e.(UserMessage); wrote {
			r.InRow = 0
		}
	case d.Origin != OriginReviewer:
	case d.Verdict == VerdictDeny || d.Fault != "":
		r.InRow++
		r.Total++
	default:
		r.InRow = 0
	}
}

// reviewable reports whether the reviewer judges a call that would go to a
// person. It sees each call once, and none whose text a person has to look at.
func (w *worker) reviewable(h Head, c *RunCall) bool {
	return w.agent.Reviewer != (ModelRef{}) && c.Review == nil && !h.Reviews.Stopped() && !c.HidesText()
}

// review has the reviewer judge a call, and records what it says. Whatever goes
// wrong leaves the call to a person.
func (w *worker) review(ctx context.Context, c *RunCall) error {
	r := reviewing{worker: w, id: AttemptID(w.newID("a_"))}
	started := ReviewStarted{Attempt: r.id, Call: c.ToolCallRequested.Call, Reviewer: w.agent.Reviewer}
	if err := w.append(ctx, func(Head) []Event { return []Event{started} }); err != nil {
		return err
	}
	asking, done := context.WithTimeout(ctx, w.agent.Limits.Review)
	defer done()
	verdict, fault, err := r.ask(asking, c)
	if ctx.Err() != nil {
		// Nobody knows what it would have said: it is asked again. If the run was
		// stopped, the end of the review is recorded already and this is refused.
		left := ModelUsage{Attempt: r.id, Model: w.agent.Reviewer, Usage: r.used}
		if err := w.append(ctx, func(Head) []Event { return []Event{left} }); err != nil {
			return err
		}
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	d := w.verdict(c, verdict.Verdict, OriginReviewer)
	d.Reason, d.Fault, d.Reviewer = w.passing(verdict.Reason), fault, &w.agent.Reviewer
	return w.append(ctx, func(Head) []Event { return append(r.usage(), d) })
}

// A reviewing is one request to a reviewer.
type reviewing struct {
	*worker
	id    AttemptID
	conn  Connection
	heard bool // it sent something, which may have to be paid for
	used  providers.Usage
}

// ask returns the verdict of the reviewer, or unsure and why it gave none. An
// error is a fault of ours.
func (r *reviewing) ask(ctx context.Context, c *RunCall) (reviewVerdict, ReviewFault, error) {
	unsure := reviewVerdict{Verdict: VerdictUnsure}
	req, err := r.reviewRequest(ctx, c)
	if err != nil {
		return unsure, "", err
	}
	var failure *providers.Error
	if r.conn, err = r.catalog.Connect(ctx, r.agent.Reviewer); err != nil {
		if errors.As(err, &failure) {
			return unsure, ReviewFailed, nil
		}
		return unsure, "", fmt.Errorf("connect to %s: %w", r.agent.Reviewer.ProviderName, err)
	}
	text, err := r.stream(ctx, req)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return unsure, ReviewTimeout, nil
	case err != nil:
		return unsure, ReviewFailed, nil
	}
	verdict, ok := parseVerdict(text)
	if !ok {
		return unsure, ReviewMalformed, nil
	}
	return verdict, "", nil
}

// stream returns the answer of an attempt that came to its proved end.
func (r *reviewing) stream(ctx context.Context, req providers.Request) (string, error) {
	for event, err := range r.conn.Provider.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		r.heard = true
		switch e := event.(type) {
		case providers.UsageUpdate:
			r.used = e.Usage
		case providers.Finish:
			r.used = e.Usage
			if e.Reason != providers.FinishStop {
				return "", errors.New("the reviewer did not finish")
			}
			return e.Text, nil
		}
	}
	return "", errors.New("the provider's stream ended without a finish")
}

// usage is what the review has cost so far, nothing if it cost nothing.
func (r *reviewing) usage() []Event {
	if !r.heard {
		return nil
	}
	u := ModelUsage{Attempt: r.id, Model: r.agent.Reviewer, Usage: r.used}
	if r.conn.Price != nil {
		u.CostNanoUSD = r.conn.Price.Cost(r.used)
	}
	return []Event{u}
}
