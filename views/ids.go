package views

import "countersign/agent"

// The ids of elements that exist once on a page. Modules in static/js and the
// browser tests find them by these names.
const (
	IDMain       = "main"
	IDSidebar    = "sidebar"
	IDRows       = "conversations" // the rows of the sidebar
	IDAccount    = "account"
	IDAnnounce   = "announce" // the one live region; written by fragments
	IDToasts     = "toasts"   // where the answers to forms go
	IDConnection = "connection"

	IDScroller        = "scroller"
	IDRuns            = "runs" // the parent of every run's elements
	IDEarlier         = "earlier"
	IDLatest          = "latest" // the end of the transcript
	IDSkipToCard      = "skip-to-card"
	IDBarTitle        = "bar-title"
	IDBarMeta         = "bar-meta"
	IDDetails         = "details"
	IDInboxLink       = "inbox-link"
	IDInbox           = "inbox"
	IDFavicon         = "favicon"
	IDCopied          = "copied"
	IDBypass          = "bypass"
	IDDetailsBody     = "details-body"
	IDGrants          = "grants"
	IDRename          = "rename"
	IDArchive         = "archive"
	IDQueue           = "queue"
	IDSuggestions     = "suggestions"
	IDComposer        = "composer"
	IDMessage         = "message" // the text box
	IDMessageID       = "message-id"
	IDComposerActions = "composer-actions"
	IDSend            = "send"
	IDStop            = "stop"
	IDStopForm        = "stop-form"

	IDProviderTest = "provider-test"
	IDPolicyTry    = "policy-try"
)

// MessageElementID names the message that starts a run.
func MessageElementID(id agent.RunID) string { return "message-" + string(id) }

// RerunID names the place of the form that sends a run's message again.
func RerunID(id agent.RunID) string { return "again-" + string(id) }

// RunElementID names a run's article; RunStepsID the list in it that entries
// are appended to; RunStateID the line after them.
func RunElementID(id agent.RunID) string { return "run-" + string(id) }
func RunStepsID(id agent.RunID) string   { return "steps-" + string(id) }
func RunStateID(id agent.RunID) string   { return "state-" + string(id) }

// EntryID names the list entry of an item.
func EntryID(item agent.Item) string { return EntryIDOf(item.Key()) }

// EntryIDOf is EntryID for an item that is gone.
func EntryIDOf(key string) string { return "entry-" + key }

// CallsListID names the list that calls which follow one another are appended
// to, CallsSummaryID the line before it, and CallElementID one of the calls.
func CallsListID(i *agent.CallsItem) string    { return EntryID(i) + "-list" }
func CallsSummaryID(i *agent.CallsItem) string { return EntryID(i) + "-summary" }
func CallElementID(id agent.CallID) string     { return EntryIDOf(string(id)) }

// CardCallID names the part of a card that is about one call.
func CardCallID(id agent.InteractionID, call agent.CallID) string {
	return "card-" + string(id) + "-" + string(call)
}

// ActivityID names the line that says how long an attempt's request has been
// open.
func ActivityID(id agent.AttemptID) string { return "activity-" + string(id) }

// NavRowID names a conversation's row in the sidebar.
func NavRowID(id agent.ConversationID) string { return "nav-" + string(id) }

// QueuedID names a message that waits for the run to end.
func QueuedID(id agent.MessageID) string { return "queued-" + string(id) }
