package agent

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// DefaultApproval is how long a card waits (contract H18).
	DefaultApproval = 5 * time.Minute
	// MaxReason is the longest reason of a decision, in characters
	// (contract V20).
	MaxReason = 512
)

// A CallDecision is a person's verdict on one call of a card.
type CallDecision struct {
	Call CallID
	// Binding is what the person was shown. A verdict on anything else than
	// what would run is refused.
	Binding string
	Verdict Verdict // VerdictAllow or VerdictDeny
	Reason  string
	// Grant allows the tool for the rest of the conversation, beside an
	// allowed call.
	Grant bool
	// Arguments run in place of those that were shown, beside an allowed call; ""
	// changes nothing. See [ToolCallRequested.Editable].
	Arguments string
}

// Decide records a person's verdicts on calls of a card. Calls that are not
// named stay open, unless a grant that comes with a verdict covers them; when
// none is open any more, the run goes on.
//
// The first verdict on a call stands. The same verdict by the same person
// again is no error; any other one, and one that comes after the card has
// expired or was withdrawn, is [ErrNotWaiting] and changes nothing. The
// server's clock decides what is late, whether or not the expiry was recorded
// yet.
//
// What a key decides has the application's policy for its origin. A key gives
// no grants, and may not decide on a run that it started ([ErrOwnRun]).
func (e *Engine) Decide(ctx context.Context, r RunRef, card InteractionID, by Actor, verdicts []CallDecision) error {
	verdicts = slices.Clone(verdicts)
	for i, v := range verdicts {
		if v.Verdict != VerdictAllow && v.Verdict != VerdictDeny {
			return &InputError{Message: "Choose to approve or to deny."}
		}
		verdicts[i].Reason = strings.TrimSpace(v.Reason)
		if !utf8.ValidString(v.Reason) || utf8.RuneCountInString(verdicts[i].Reason) > MaxReason {
			return &InputError{Message: "The reason may have up to 512 characters. Shorten it."}
		}
		if LooksLikeKey(v.Reason) {
			return &InputError{Message: "The reason holds what looks like a key, and the model may read it. Leave the key out."}
		}
	}
	if err := e.permit(ctx, by.User); err != nil {
		return err
	}
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if s.startedBy(by) {
			return nil, ErrOwnRun
		}
		var fresh []CallDecision
		for _, v := range verdicts {
			c := s.Call(v.Call)
			if c == nil || v.Binding != bind(s.ID, c.shown()) {
				return nil, ErrNotWaiting
			}
			if v.Arguments == c.shown().Arguments {
				v.Arguments = ""
			}
			if err := e.checkEdit(c, v); err != nil {
				return nil, err
			}
			switch d := c.Decision; {
			case d == nil:
				fresh = append(fresh, v)
			case d.Interaction != card || d.Verdict != v.Verdict || !d.By.is(by) || d.Origin != by.origin() || (d.Grant != "") != v.Grant || d.Arguments != v.Arguments:
				return nil, ErrNotWaiting
			}
		}
		if len(fresh) == 0 {
			return nil, nil
		}
		if s.Status != StatusWaitingApproval || s.Approval == nil || s.Approval.Interaction != card || !e.now().Before(s.Approval.ExpiresAt) {
			return nil, ErrNotWaiting
		}
		return e.decideCard(s, slices.Clip(fresh), by)
	})
	return err
}

// origin is that of a verdict of a person or, by a key, of a program.
func (a Actor) origin() Origin {
	if a.Key != "" {
		return OriginApplicationPolicy
	}
	return OriginHuman
}

// startedBy reports whether the key that an actor uses started the run.
func (s *RunState) startedBy(a Actor) bool { return a.Key != "" && s.Message.Author.Key == a.Key }

// decideCard records verdicts on the open card, and the grants that come with
// them. A new grant releases the other calls that it covers.
func (e *Engine) decideCard(s *RunState, fresh []CallDecision, by Actor) ([]Event, error) {
	grants, err := e.grantsOf(s, fresh, by)
	if err != nil {
		return nil, err
	}
	all := fresh
	for _, b := range s.undecided() {
		named := slices.ContainsFunc(fresh, func(v CallDecision) bool { return v.Call == b.Call })
		if !named && b.Rule == "" && grants.covering(s.Call(b.Call).ToolCallRequested) != nil {
			all = append(all, CallDecision{Call: b.Call, Binding: b.Binding, Verdict: VerdictAllow})
		}
	}
	decided, err := s.decide(all, func(i int, d *ApprovalDecision) {
		d.Origin, d.By = by.origin(), by
		if i >= len(fresh) {
			d.Origin = OriginGrant
		}
		if i >= len(fresh) || fresh[i].Grant {
			d.Grant = grants.covering(s.Call(d.Call).ToolCallRequested).Grant
		}
	}, ClosedDecided)
	var events []Event
	for _, g := range grants {
		events = append(events, g.GrantCreated)
	}
	return append(events, decided...), err
}

// grantsOf returns the grants that come with verdicts, one a tool.
func (e *Engine) grantsOf(s *RunState, verdicts []CallDecision, by Actor) (grants grantList, err error) {
	for _, v := range verdicts {
		if !v.Grant {
			continue
		}
		if by.Key != "" {
			return nil, &InputError{Message: "A key allows call by call only."}
		}
		c := s.Call(v.Call)
		if v.Verdict != VerdictAllow || !c.Grantable() {
			return nil, &InputError{Message: "This tool can be allowed call by call only."}
		}
		if grants.covering(c.ToolCallRequested) == nil {
			grants = append(grants, Grant{GrantCreated: GrantCreated{
				Grant: GrantID(e.newID("n_")), Tool: c.Tool, Title: c.Title, Definition: c.Definition, By: by,
			}})
		}
	}
	return grants, nil
}

// decide returns the events that record verdicts on the open card, and that
// close it when none is missing. A verdict on anything but an undecided call
// of the card, or a second one on the same, is [ErrNotWaiting].
func (s *RunState) decide(verdicts []CallDecision, fill func(int, *ApprovalDecision), how Closing) ([]Event, error) {
	var events []Event
	open := s.undecided()
	for n, v := range verdicts {
		i := slices.IndexFunc(open, func(b BoundCall) bool { return b.Call == v.Call && b.Binding == v.Binding })
		if i < 0 {
			return nil, ErrNotWaiting
		}
		open = slices.Delete(open, i, i+1)
		d := ApprovalDecision{
			Interaction: s.Approval.Interaction, Call: v.Call, Tool: s.Call(v.Call).Tool, Binding: v.Binding,
			Verdict: v.Verdict, Reason: v.Reason,
		}
		if v.Arguments != "" {
			edited := s.Call(v.Call).ToolCallRequested
			edited.Arguments = v.Arguments
			d.Arguments, d.Binding = v.Arguments, bind(s.ID, edited)
		}
		fill(n, &d)
		events = append(events, d)
	}
	if len(open) == 0 {
		events = append(events, InteractionClosed{Interaction: s.Approval.Interaction, How: how}, RunResumed{Reason: string(how)})
	}
	return events, nil
}
