package agent

// What the model is told about a call that has no result of its own. A refusal
// says not to try again (contract V23), and never why a person or a hard
// policy refused beyond what the person wrote (contract V24).
const (
	resultDenied     = "A person decided against this call, so it did not run. Do not repeat it and do not look for another way to the same end. Say that it was not done."
	resultReviewed   = "A reviewer decided against this call, so it did not run. Do not repeat it and do not look for another way to the same end. Find a safer way, or ask the person."
	resultPolicy     = "A rule of this server does not permit this call, so it did not run. Do not repeat it and do not look for another way to the same end."
	resultGuarded    = "A guardrail of this agent does not let this call pass, so it did not run. Do not repeat it and do not look for another way to the same end."
	resultExpired    = "Nobody decided on this call in time, so it did not run. Do not repeat it. Say that it was not done."
	resultEdited     = "A person changed the arguments of this call before allowing it. It ran with these: "
	resultNoAnswer   = "Nobody answered in time. Go on with what you know, or say what you would need."
	resultNotStarted = "The run was stopped before this call began. It did not run."
	resultUnknown    = "The run was stopped while this call was under way. It may or may not have happened. Check before repeating it."
	resultNoTool     = "There is no tool of this name."
	resultTooLong    = "The arguments are too long, so the call did not run. They may have up to 256 KiB."
	resultChanged    = "This tool has changed since the call was made, so it did not run."
	resultFailed     = "The tool failed. It may have done part of its work."
	resultTimeout    = "The tool did not finish in time. It may have done part of its work."
	resultLost       = "The connection to the tool was lost while this call was under way. The call may be made again."
	resultHappened   = "The server stopped while this call was under way. A person has confirmed that it happened."
	resultNotAgain   = "The server stopped while this call was under way. It may or may not have happened, and it can't be run again. Check before repeating it."
	resultNotDone    = "The server stopped while this call was under way. A person has confirmed that it did not happen."
)

func withReason(text, lead, reason string) string {
	if reason == "" {
		return text
	}
	return text + " " + lead + ": " + reason
}
