package agent

// BypassStarted lets calls in this conversation run without a card from now on,
// until BypassEnded. An admin starts it; each call is recorded all the same.
type BypassStarted struct {
	By Actor `json:"by"`
}

// BypassEnded ends a bypass.
type BypassEnded struct {
	By Actor `json:"by"`
}

func (BypassStarted) Kind() Kind { return "bypass_started" }
func (BypassEnded) Kind() Kind   { return "bypass_ended" }
