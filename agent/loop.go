package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// looping returns the first call of the step that is one too many like it in
// the run, and how many there are with it, or nil. What a person let go on
// counts no more.
func (s *RunState) looping(limit int) (*RunCall, int) {
	if limit == 0 {
		return nil, 0
	}
	all := slices.Concat(s.Earlier, s.Calls)
	seen := make(map[string]int)
	for i, c := range all[min(s.Excused.Calls, len(all)):] {
		what := c.Tool + " " + compact(c.Arguments)
		seen[what]++
		if seen[what] > limit && s.Excused.Calls+i >= len(s.Earlier) && c.fresh() {
			return c, seen[what]
		}
	}
	return nil, 0
}

// fresh reports whether nothing has come of a call yet.
func (c *RunCall) fresh() bool {
	return c.Finished == nil && !c.Started && c.Decision == nil && c.Asked == nil
}

// compact writes arguments without what makes no difference to any reader.
func compact(arguments string) string {
	var b bytes.Buffer
	if arguments == "" {
		return "{}"
	}
	if json.Compact(&b, []byte(arguments)) != nil {
		return arguments
	}
	return b.String()
}

// stopLoop stops the run when a call comes once too often. It reports whether
// it did.
func (w *worker) stopLoop(ctx context.Context) (bool, error) {
	c, times := w.state.looping(w.agent.Safety.sameCalls())
	if c == nil {
		return false, nil
	}
	return true, w.stopped(ctx, SafetyRequested{Cause: SafetyLoop, Times: times, Call: c.ToolCallRequested.Call})
}
