// Package racetest has people do things at the same moment, on the memory
// journal and on a real one. Only tests import it.
package racetest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/journaltest"
)

// Config says what a suite is run on.
type Config struct {
	// Open returns an empty store. If it is a [Deleter], conversations are
	// deleted too.
	Open func(t *testing.T) journaltest.Store
	// Rounds is how often each race is run.
	Rounds int
}

// A Deleter deletes conversations. It refuses with [agent.ErrConflict] while a
// run is under way.
type Deleter interface {
	Delete(ctx context.Context, id agent.ConversationID, owner agent.UserID) error
}

// A race is what every round of it begins with, and the round.
type race struct {
	script string
	limits agent.Limits
	// round says who came first.
	round func(r *round) (winner string)
}

// soon is when a card expires that is decided at that moment.
const soon = 100 * time.Millisecond

var races = map[string]race{
	"approve/approve":          {oneSave, agent.Limits{}, approveTwice},
	"approve/approve, another": {oneSave, agent.Limits{}, twoPeople(agent.VerdictAllow)},
	"approve/deny":             {oneSave, agent.Limits{}, approveDeny},
	"approve/deny, another":    {oneSave, agent.Limits{}, twoPeople(agent.VerdictDeny)},
	"approve/edit":             {oneSave, agent.Limits{}, approveEdit},
	"approve all/deny one":     {threeSaves, agent.Limits{}, allOne},
	"approve/cancel":           {oneSave, agent.Limits{}, approveCancel},
	"approve/expire":           {oneSave, agent.Limits{Approval: soon}, approveExpire},
	"approve/forbid":           {oneSave, agent.Limits{}, approveForbid},
	"create/rule":              {oneSave, agent.Limits{}, createRule},
	"review/cancel":            {oneReview, agent.Limits{}, reviewCancel},
	"review/decide":            {oneReview, agent.Limits{}, reviewDecide},
	"bypass/end":               {twoSaves, agent.Limits{}, bypassEnd},
	"approve/grant":            {twoSaves, agent.Limits{}, approveGrant},
	"grant/revoke":             {twoSaves, agent.Limits{}, grantRevoke},
	"revoke/revoke":            {twoSaves, agent.Limits{}, revokeTwice},
	"answer/answer":            {asks, agent.Limits{}, answerTwice("District 1")},
	"answer/answer, another":   {asks, agent.Limits{}, answerTwice("District 3")},
	"answer/message":           {asks, agent.Limits{}, answerMessage},
	"answer/expire":            {asks, agent.Limits{Question: soon}, answerExpire},
	"answer/cancel":            {asks, agent.Limits{}, answerCancel},
	"continue/continue":        {withholds, agent.Limits{}, answerSafety(agent.SafetyContinue)},
	"continue/stop":            {withholds, agent.Limits{}, answerSafety(agent.SafetyStop)},
	"continue/cancel":          {withholds, agent.Limits{}, continueCancel},
	"send/send":                {justAnswers, agent.Limits{}, sendTwice},
	"rerun/rerun":              {justAnswers, agent.Limits{}, rerunTwice},
	"rerun/send":               {justAnswers, agent.Limits{}, rerunSend},
	"disable/create":           {oneSave, agent.Limits{}, disableCreate},
	"disable/send":             {oneSave, agent.Limits{}, disableSend},
	"disable/approve":          {oneSave, agent.Limits{}, disableApprove},
}

var deletions = map[string]race{
	"delete/approve": {oneSave, agent.Limits{}, deleteApprove},
	"delete/answer":  {asks, agent.Limits{}, deleteAnswer},
	"delete/cancel":  {oneSave, agent.Limits{}, deleteCancel},
	"delete/send":    {justAnswers, agent.Limits{}, deleteSend},
	"delete/rename":  {justAnswers, agent.Limits{}, deleteRename},
	"delete/delete":  {justAnswers, agent.Limits{}, deleteTwice},
}

// lanes is how many rounds of a race are under way.
const lanes = 8

// Run runs every race. Whoever comes first wins, alone; there is one record of
// it, and what was allowed happens once.
func Run(t *testing.T, c Config) {
	all := maps.Clone(races)
	if _, ok := c.Open(t).(Deleter); ok {
		maps.Copy(all, deletions)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, all[name], c.Open(t), c.Rounds)
		})
	}
}

func run(t *testing.T, race race, store journaltest.Store, rounds int) {
	c := newCourse(t, race, store)
	var next atomic.Int64
	var mu sync.Mutex
	first := map[string]int{}
	var racing sync.WaitGroup
	for range lanes {
		racing.Go(func() {
			for n := int(next.Add(1)); n <= rounds && !t.Failed(); n = int(next.Add(1)) {
				winner := race.round(newRound(c, n))
				mu.Lock()
				first[winner]++
				mu.Unlock()
			}
		})
	}
	racing.Wait()
	c.stop()
	t.Logf("%d rounds, first: %v", rounds, first)
}
