package views

import (
	"net/url"
	"strconv"

	"countersign/agent"
)

// The addresses that have no parameter.
const (
	HomeURL          = "/" // a new conversation
	LoginURL         = "/login"
	LogoutURL        = "/logout"
	SetupURL         = "/setup"
	WelcomeURL       = "/welcome" // from the first account to the first conversation
	InboxURL         = "/inbox"   // what waits for the person
	ConversationsURL = "/c"       // lists them; POST starts one
	ArchivedURL      = "/c?archived=true"
	ProvidersURL     = "/settings/providers"
	NewProviderURL   = "/settings/providers/new"
	PracticeURL      = "/settings/providers/practice" // POST registers the practice provider
	AgentsURL        = "/settings/agents"             // POST adds one
	NewAgentURL      = "/settings/agents/new"
	ConnectorsURL    = "/settings/connectors" // POST adds one
	NewConnectorURL  = "/settings/connectors/new"
	PolicyURL        = "/settings/policy" // POST adds a rule
	NewRuleURL       = "/settings/policy/new"
	PolicyTryURL     = "/settings/policy/try" // POST asks what would become of a call
	PeopleURL        = "/settings/people"
	usageURL         = "/settings/usage"
	ServerURL        = "/settings/server"
	KeysURL          = "/settings/keys" // POST makes one
	NewKeyURL        = "/settings/keys/new"
	ReferenceURL     = "/help/api" // what programs can do
	InviteURL        = "/settings/people/invite"
	InvitationsURL   = "/invite"      // where links of invitations lead
	AttachmentsURL   = "/attachments" // POST takes a file: name in the query, the bytes as the body
	AccountURL       = "/account"
	PasswordURL      = "/account/password"
	SessionsURL      = "/account/sessions" // POST ends all but this one
)

// ConversationURL is the page of a conversation. Below it are the address of
// its socket and those that its forms post to.
func ConversationURL(id agent.ConversationID) string { return "/c/" + url.PathEscape(string(id)) }

// NewWithURL is the page of a new conversation with a model chosen: the value
// of one of the composer's models.
func NewWithURL(model string) string {
	return HomeURL + "?" + url.Values{"model": {model}}.Encode()
}

// EarlierURL is the page of a conversation with the runs before a place.
func EarlierURL(id agent.ConversationID, before agent.Seq) string {
	return ConversationURL(id) + "?before=" + strconv.FormatInt(int64(before), 10)
}

// OlderURL is the part of a list of conversations after a cursor.
func OlderURL(archived bool, cursor string) string {
	query := url.Values{"after": {cursor}}
	if archived {
		query.Set("archived", "true")
	}
	return ConversationsURL + "?" + query.Encode()
}

// TitleURL renames a conversation: title.
func TitleURL(id agent.ConversationID) string { return ConversationURL(id) + "/title" }

// ArchiveURL archives a conversation or brings it back: archived=true or
// false.
func ArchiveURL(id agent.ConversationID) string { return ConversationURL(id) + "/archive" }

// DeleteURL asks whether to delete a conversation, and its form does so.
func DeleteURL(id agent.ConversationID) string { return ConversationURL(id) + "/delete" }

// BypassURL asks whether to switch approvals off, and its form does so;
// BypassEndURL switches them on.
func BypassURL(id agent.ConversationID) string    { return ConversationURL(id) + "/bypass" }
func BypassEndURL(id agent.ConversationID) string { return BypassURL(id) + "/end" }

// AttachmentURL downloads a file; PreviewURL shows a picture drawn anew;
// RemoveAttachmentURL takes back one that was not sent.
func AttachmentURL(id agent.AttachmentID) string       { return attachmentPath(id) }
func PreviewURL(id agent.AttachmentID) string          { return attachmentPath(id) + "/preview" }
func RemoveAttachmentURL(id agent.AttachmentID) string { return attachmentPath(id) + "/remove" }

func attachmentPath(id agent.AttachmentID) string {
	return AttachmentsURL + "/" + url.PathEscape(string(id))
}

// LiveURL is the socket of a conversation.
func LiveURL(id agent.ConversationID) string { return ConversationURL(id) + "/live" }

// MessagesURL takes a message: message_id, text and, optionally, reasoning=on,
// buffer_attempts=on and any number of attachment.
func MessagesURL(id agent.ConversationID) string { return ConversationURL(id) + "/messages" }

// ExportURL is a conversation as a file: its record as JSON lines, or with
// format=markdown what was said.
func ExportURL(id agent.ConversationID) string { return ConversationURL(id) + "/export" }

// AnswerURL is the whole text of an attempt that completed, or of its refusal,
// as plain text.
func AnswerURL(id agent.ConversationID, attempt agent.AttemptID) string {
	return ConversationURL(id) + "/answers/" + url.PathEscape(string(attempt))
}

// ResultURL is the whole result of a call, as plain text.
func ResultURL(id agent.ConversationID, call agent.CallID) string {
	return ConversationURL(id) + "/results/" + url.PathEscape(string(call))
}

// RerunURL sends the message of a run again: text.
func RerunURL(id agent.ConversationID, run agent.RunID) string {
	return ConversationURL(id) + "/runs/" + url.PathEscape(string(run)) + "/again"
}

// StopURL stops a run: run.
func StopURL(id agent.ConversationID) string { return ConversationURL(id) + "/stop" }

// QueueURL sends the messages that wait while no run is under way: do=send.
func QueueURL(id agent.ConversationID) string { return ConversationURL(id) + "/queue" }

// QueuedURL takes an edit of a waiting message: text, or do=remove.
func QueuedURL(id agent.ConversationID, message agent.MessageID) string {
	return ConversationURL(id) + "/queue/" + url.PathEscape(string(message))
}

// ApprovalURL takes a decision: run, one call or several, each with its
// binding, decision=allow, conversation,
// edit (with arguments) or deny, and reason.
func ApprovalURL(id agent.ConversationID, interaction agent.InteractionID) string {
	return ConversationURL(id) + "/approvals/" + url.PathEscape(string(interaction))
}

// QuestionURL takes answers: run, and for each question the places of the
// chosen options and the words in their place; do=skip skips them all. See
// [AnswerField].
func QuestionURL(id agent.ConversationID, interaction agent.InteractionID) string {
	return ConversationURL(id) + "/questions/" + url.PathEscape(string(interaction))
}

// RevokeURL ends a grant.
func RevokeURL(id agent.ConversationID, grant agent.GrantID) string {
	return ConversationURL(id) + "/grants/" + url.PathEscape(string(grant)) + "/revoke"
}

// SafetyURL takes whether a run goes on that was stopped for safety: run,
// answer=continue or stop.
func SafetyURL(id agent.ConversationID, interaction agent.InteractionID) string {
	return ConversationURL(id) + "/safety/" + url.PathEscape(string(interaction))
}

// ReconcileURL takes what became of a call: run, answer=happened, not_happened or
// run_again, and note.
func ReconcileURL(id agent.ConversationID, interaction agent.InteractionID) string {
	return ConversationURL(id) + "/reconcile/" + url.PathEscape(string(interaction))
}

// ProviderURL is the page of a provider. Its form posts to the same address.
func ProviderURL(id string) string { return ProvidersURL + "/" + url.PathEscape(id) }

// ProviderTestURL tries a provider's connection.
func ProviderTestURL(id string) string { return ProviderURL(id) + "/test" }

// ProviderDeleteURL asks whether to remove a provider, and its form does so.
func ProviderDeleteURL(id string) string { return ProviderURL(id) + "/delete" }

// PersonURL is the page of a person. Its form posts the role to the same
// address.
func PersonURL(id agent.UserID) string { return PeopleURL + "/" + url.PathEscape(string(id)) }

// PersonAccessURL asks whether to disable a person, and disables or enables
// them: disabled=true or false.
func PersonAccessURL(id agent.UserID) string { return PersonURL(id) + "/access" }

// InvitationURL withdraws an invitation.
func InvitationURL(id string) string { return "/settings/invitations/" + url.PathEscape(id) }

// AcceptURL is where the link of an invitation leads. It holds the secret.
func AcceptURL(token string) string { return InvitationsURL + "?token=" + url.QueryEscape(token) }

// SessionURL ends one of a person's sessions.
func SessionURL(id string) string { return SessionsURL + "/" + url.PathEscape(id) }

// AgentURL is the page of an agent. Its form posts to the same address.
func AgentURL(id agent.AgentID) string { return AgentsURL + "/" + url.PathEscape(string(id)) }

// GuardrailURL is the page of a guardrail of an agent, or, without a name, of a
// new one of a kind. Its form posts to the same address without the query.
func GuardrailURL(id agent.AgentID, name string, how agent.GuardrailKind) string {
	query := url.Values{}
	if name != "" {
		query.Set("name", name)
	}
	if how != "" {
		query.Set("kind", string(how))
	}
	if len(query) == 0 {
		return AgentURL(id) + "/guardrail"
	}
	return AgentURL(id) + "/guardrail?" + query.Encode()
}

// GuardrailDeleteURL asks whether to remove a guardrail, and its form does so.
func GuardrailDeleteURL(id agent.AgentID, name string) string {
	return AgentURL(id) + "/guardrail/delete?" + url.Values{"name": {name}}.Encode()
}

// ConnectorURL is the page of a connector. Its form posts to the same address.
func ConnectorURL(id string) string { return ConnectorsURL + "/" + url.PathEscape(id) }

// ConnectorTestURL connects anew.
func ConnectorTestURL(id string) string { return ConnectorURL(id) + "/test" }

// ConnectorToolsURL says what becomes of the calls of each tool.
func ConnectorToolsURL(id string) string { return ConnectorURL(id) + "/tools" }

// ConnectorAcceptURL accepts a tool that has changed.
func ConnectorAcceptURL(id string) string { return ConnectorURL(id) + "/accept" }

// ConnectorDeleteURL asks whether to remove a connector, and its form does so.
func ConnectorDeleteURL(id string) string { return ConnectorURL(id) + "/delete" }

// RuleURL is the page of a rule of policy. Its form posts to the same address.
func RuleURL(id agent.RuleID) string { return PolicyURL + "/rules/" + url.PathEscape(string(id)) }

// RuleDeleteURL asks whether to remove a rule, and its form does so.
func RuleDeleteURL(id agent.RuleID) string { return RuleURL(id) + "/delete" }

// UsageURL shows what was used in a number of days.
func UsageURL(days int) string { return usageURL + "?days=" + strconv.Itoa(days) }

// FromURL starts a conversation that goes on from another one.
func FromURL(id agent.ConversationID) string { return HomeURL + "?from=" + url.QueryEscape(string(id)) }

// AgentDeleteURL asks whether to remove an agent, and its form does so.
func AgentDeleteURL(id agent.AgentID) string { return AgentURL(id) + "/delete" }

// PresetURL is the form of a new provider that begins with what is known of it.
func PresetURL(preset string) string { return NewProviderURL + "?preset=" + url.QueryEscape(preset) }

// PersonLiveURL is the socket of a page that shows no conversation.
func PersonLiveURL(section Section) string {
	return "/live?section=" + url.QueryEscape(string(section))
}

// ProviderModelsURL adds a model to a provider.
func ProviderModelsURL(id string) string { return ProviderURL(id) + "/models" }

// KeyRevokeURL asks whether to revoke a key, and its form does so.
func KeyRevokeURL(id agent.KeyID) string {
	return KeysURL + "/" + url.PathEscape(string(id)) + "/revoke"
}
