package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
)

// A server's clock may be set while a card is open. What is late is judged by
// that clock as it stands, and the card's deadline is never moved.
func TestExpiry_ClockIsSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jump    time.Duration
		wait    time.Duration // after the jump, before somebody decides
		late    bool
		expires time.Duration // after the jump, by a clock that is not set; zero for not looked at
	}{
		"not":                     {0, 0, false, 0},
		"forward, within bounds":  {4 * time.Minute, 0, false, time.Minute},
		"forward, too far":        {time.Hour, 0, true, 0},
		"forward, and it is seen": {time.Hour, 30 * time.Second, true, 30 * time.Second},
		"back":                    {-time.Hour, 0, false, time.Hour + 5*time.Minute},
		"back, and long waited":   {-time.Hour, time.Hour + 4*time.Minute, false, 0},
		"back, and too long":      {-time.Hour, time.Hour + 5*time.Minute, true, time.Hour + 5*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, decides := range []bool{true, false} {
				if !decides && c.expires == 0 {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					var set atomic.Int64
					s := beginAt(t, func() time.Time { return time.Now().Add(time.Duration(set.Load())) })
					card := s.card(t)
					set.Store(int64(c.jump))
					if !decides {
						<-time.After(c.expires - time.Second)
						synctest.Wait()
						early := s.status(t)
						<-time.After(time.Second)
						synctest.Wait()
						if c.expires > time.Minute && early != agent.StatusWaitingApproval || s.status(t) != agent.StatusSucceeded || len(s.Ran()) != 0 {
							t.Errorf("nobody decides: %s, then %s, ran %v", early, s.status(t), s.Ran())
						}
						return
					}
					<-time.After(c.wait)
					err := s.decides(t, card, ann, agent.VerdictAllow)()
					if errors.Is(err, agent.ErrNotWaiting) != c.late || err != nil != c.late {
						t.Errorf("got %v, late %v", err, c.late)
					}
					if now := s.card(t); !now.ExpiresAt.Equal(card.ExpiresAt) {
						t.Errorf("the deadline went from %v to %v", card.ExpiresAt, now.ExpiresAt)
					}
					<-time.After(2 * time.Hour)
					synctest.Wait()
					agenttest.Check(t, s.Memory, s.run.Conversation)
					if ran := len(s.Ran()); ran == 1 == c.late || s.status(t) != agent.StatusSucceeded {
						t.Errorf("%s, ran %d times", s.status(t), ran)
					}
				})
			}
		})
	}
}

// beginAt starts a run that asks for approval, on a server with a clock.
func beginAt(t *testing.T, clock func() time.Time) *setting {
	t.Helper()
	save := &agenttest.Tool{Name: "save", Does: func(context.Context, *agenttest.Gate) (agent.Result, error) {
		return agent.Result{Text: "Saved."}, nil
	}}
	s := &setting{Server: agenttest.NewServer(t, agenttest.Config{Provider: play(t, oneCall), Tools: []*agenttest.Tool{save}, Now: clock})}
	sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	s.run = agent.RunRef{Conversation: sent.Conversation, Run: sent.Run}
	return s
}
