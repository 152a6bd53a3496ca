package agent

// ReviewStarted is on disk before a reviewer is asked about a call. Its verdict
// is an [ApprovalDecision]; what it cost is a [ModelUsage] of the attempt.
type ReviewStarted struct {
	Attempt  AttemptID `json:"attempt_id"`
	Call     CallID    `json:"call_id"`
	Reviewer ModelRef  `json:"reviewer"`
}

func (ReviewStarted) Kind() Kind { return "review_started" }
