package views

// Words that several codes share.
const (
	oddCall   = "%s sent a tool call that could not be read"
	endedSoon = "%s ended the answer early"
	oddAnswer = "%s sent an answer that could not be read"
	goOnFresh = "Start a fresh conversation from here; what was said is copied."
)

// codeWords say more than the words of a category, for every code of ours.
var codeWords = map[string]faultWords{
	// Of a provider that is not ready; nothing was sent.
	"key_needed": {
		"%s needs its key", "The key was kept in the server’s memory alone, or is gone from the keychain. Nothing was sent.",
		"An administrator can enter the key again.", "Enter the key again.", true},
	"key_missing_env": {
		"%s has no key", "The environment variable that holds it is not set. Nothing was sent.",
		"An administrator can set the variable and start the server again.", "Set the variable where the server starts, and start it again.", true},
	"key_unreadable": {
		"The key of %s can’t be read", "The saved key could not be opened on this server. Nothing was sent.",
		"An administrator can restore the sealing key, or enter the key again.", "Restore the sealing key of this server, or enter the provider’s key again.", true},
	"token_command_failed": {
		"%s got no token", "The command that prints its tokens failed. Nothing was sent.",
		"An administrator can find the reason in the server’s log.", "The server’s log says how the command ended.", false},
	"credential_missing": {title: "%s has no key", what: "The service asks for a key, and none is set up. Nothing was sent."},
	"credential_invalid": {title: "The key of %s can’t be sent", what: "It holds characters that a request can’t carry, such as a line break. Nothing was sent.", mend: "Enter the key again, on one line.", settings: true},
	"provider_removed":   {title: "%s was removed", what: "The provider of this conversation is not set up here any more.", next: "Start a fresh conversation from here, with another one.", mend: "Start a fresh conversation from here, with another one, or add the provider again."},
	"no_model":           {title: "%s has no model yet", what: "No model is set up that could be asked.", next: "An administrator can add one.", mend: "Add one of those that it lists, or type a model id.", settings: true},
	"unsupported_api":    {title: "%s can’t be used with this version", what: "Countersign does not speak its API.", mend: "Install a version that does, or add the provider anew."},
	"unusable_base_url":  {title: "The address of %s can’t be used", what: "Countersign does not connect to it, whatever answers there. Nothing was sent.", next: "An administrator can correct the base URL.", mend: "Correct the base URL.", settings: true},
	"request_invalid":    {title: "The address of %s can’t be used", what: "No request can be made of it. Nothing was sent.", next: "An administrator can correct the base URL.", mend: "Correct the base URL.", settings: true},
	"replay_foreign":     {title: "The connection to %s has changed", what: "This conversation holds private state of the model that may go back only to the address and model it came from.", next: goOnFresh, mend: goOnFresh},
	"address_blocked":    {what: "It is a private or reserved address, and nobody allowed it for this provider. Nothing was sent."},

	// Of the way there.
	"name_not_resolved": {title: "The host of %s was not found", what: "No address is known for the name in its base URL.", mend: "Check the name in the base URL, and that this server can look names up.", settings: true},
	"connect_failed":    {title: "Nobody listens at the address of %s", what: "The host was found, but no connection could be made.", mend: "Check that the service runs, and the port in the base URL.", settings: true},
	"connect_timeout":   {title: "%s could not be reached in time", what: "No connection was made before the limit.", mend: "Check the base URL, and that no firewall is in the way.", settings: true},
	"connection_lost":   {title: "%s closed the connection", what: "The connection was made, but broke before an answer came."},
	"tls_failed":        {title: "The connection to %s is not secure", what: "Its certificate is not trusted or belongs to another name, or it does not speak TLS. Nothing was sent.", next: "An administrator can check the address and the certificate.", mend: "Check the base URL, and that this server trusts whoever issued the certificate.", settings: true},

	// Of an answer that did not come whole.
	"first_event_timeout":   {title: "%s did not begin to answer in time", what: "The connection was made, but nothing arrived before the limit."},
	"idle_timeout":          {title: "%s stopped in the middle of the answer", what: "Nothing more arrived before the limit, so none of it is used."},
	"deadline":              {title: "%s took too long", what: "The answer was not complete before the limit, so none of it is used."},
	"stream_ended_early":    {title: endedSoon, what: "The connection closed before the answer was complete."},
	"missing_finish_reason": {title: endedSoon, what: "The end of the answer was not confirmed, so none of it is used."},
	"empty_stream":          {title: "%s answered with nothing", what: "The connection closed before any text arrived."},

	// Of an answer that is not what it should be.
	"unexpected_content_type":    {title: "%s answered with a page instead of an answer", what: "The address may belong to a sign-in page or a proxy."},
	"unexpected_stream_format":   {title: "%s answers in another format", what: "The address may belong to another API."},
	"invalid_sse_json":           {title: oddAnswer, what: "A part of the stream is not JSON, so nothing in it was used and no tool ran."},
	"invalid_content_block":      {title: oddAnswer, what: "The parts of the answer contradict each other, so nothing in it was used and no tool ran."},
	"duplicate_message_start":    {title: oddAnswer, what: "It began twice, so nothing in it was used and no tool ran."},
	"duplicate_response_created": {title: oddAnswer, what: "It began twice, so nothing in it was used and no tool ran."},
	"stream_too_large":           {title: "%s sent too much", what: "The answer is larger than the limit, so nothing in it was used and no tool ran."},
	"event_too_large":            {title: "%s sent too much", what: "A part of the answer is larger than the limit, so nothing in it was used and no tool ran."},

	// Of the model’s tool calls.
	"invalid_tool_call_index":     {title: oddCall, what: "The stream was malformed, so no tool ran."},
	"invalid_tool_call_arguments": {title: oddCall, what: "Its arguments are not one JSON object, so no tool ran."},
	"missing_tool_call_name":      {title: oddCall, what: "It names no tool, so no tool ran."},
	"missing_tool_call":           {title: oddCall, what: "A call was announced and did not come, so no tool ran."},
	"duplicate_tool_call_id":      {title: oddCall, what: "Two calls have the same id, so no tool ran."},
	"too_many_tool_calls":         {title: "%s asked for too many tools at once", what: "There are more calls than the limit, so no tool ran."},
	"unsupported_function_call":   {title: oddCall, what: "It is in an old form that Countersign does not take, so no tool ran."},
	"malformed_function_call":     {title: "%s made a tool call that it could not finish", what: "The provider reported the call as malformed, so no tool ran."},
	"tools_refused":               {title: "%s takes no tools with this model", what: "The model answers, but refused a request with a tool.", next: "An administrator can choose another model.", mend: "Untick Tools for this model, or choose another one.", settings: true},

	// Of private state that goes back to the model.
	"thinking_signature_invalid": {title: "%s does not accept its own thinking", what: "The signed thinking of an earlier answer was refused.", next: goOnFresh, mend: goOnFresh},
	"thought_signature_missing":  {title: "%s misses a signature", what: "It wants back what it signed earlier, and a proxy on the way may have dropped it.", next: goOnFresh, mend: "Check that a proxy on the way keeps signatures, or start a fresh conversation."},
}
