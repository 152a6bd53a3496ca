package upstream

import "countersign/providers"

// Fixed codes of ours. The values are stored and shown; they never change.
const (
	CodeInvalidToolCallIndex     = "invalid_tool_call_index"
	CodeInvalidToolCallArguments = "invalid_tool_call_arguments"
	CodeMissingToolCallName      = "missing_tool_call_name"
	CodeMissingToolCall          = "missing_tool_call"
	CodeDuplicateToolCallID      = "duplicate_tool_call_id"
	CodeTooManyToolCalls         = "too_many_tool_calls"
	CodeUnsupportedFunctionCall  = "unsupported_function_call"
	CodeInvalidSSEJSON           = "invalid_sse_json"
	CodeInvalidContentBlock      = "invalid_content_block"
	CodeDuplicateMessageStart    = "duplicate_message_start"
	CodeDuplicateResponseCreated = "duplicate_response_created"
	CodeUnexpectedStreamFormat   = "unexpected_stream_format"
	CodeUnexpectedContentType    = "unexpected_content_type"
	CodeStreamTooLarge           = "stream_too_large"
	CodeEventTooLarge            = "event_too_large"

	CodeStreamEndedEarly    = "stream_ended_early"
	CodeMissingFinishReason = "missing_finish_reason"
	CodeEmptyStream         = "empty_stream"
	CodeNameNotResolved     = "name_not_resolved"
	CodeConnectFailed       = "connect_failed"
	CodeConnectionLost      = "connection_lost"
	CodeTLSFailed           = "tls_failed"

	CodeConnectTimeout    = "connect_timeout"
	CodeFirstEventTimeout = "first_event_timeout"
	CodeIdleTimeout       = "idle_timeout"
	CodeDeadline          = "deadline"

	CodeThinkingSignatureInvalid = "thinking_signature_invalid"
	CodeThoughtSignatureMissing  = "thought_signature_missing"
	CodeMalformedFunctionCall    = "malformed_function_call"

	CodeAddressBlocked    = "address_blocked"
	CodeCredentialMissing = "credential_missing"
	CodeCredentialInvalid = "credential_invalid"
	CodeReplayForeign     = "replay_foreign"
	CodeRequestInvalid    = "request_invalid"
)

// NewError describes a failure that no answer of the upstream describes. The
// category, and for some codes the code, say whether a new attempt makes sense.
func NewError(api providers.API, category providers.Category, code string) *providers.Error {
	return &providers.Error{Category: category, Retryable: retryable(category, code), API: api, Code: code}
}

func retryable(category providers.Category, code string) bool {
	switch category {
	case providers.CategoryRateLimit, providers.CategoryOverloaded, providers.CategoryTimeout, providers.CategoryServer:
		return true
	case providers.CategoryNetwork:
		return code != CodeTLSFailed
	case providers.CategoryParser:
		return retryableParserCode[code]
	}
	return false
}

// retryableParserCode lists what a model or a proxy got wrong once; anything
// else would come back the same.
var retryableParserCode = map[string]bool{
	CodeInvalidToolCallArguments: true,
	CodeMissingToolCallName:      true,
	CodeMissingToolCall:          true,
	CodeDuplicateToolCallID:      true,
	CodeDuplicateMessageStart:    true,
	CodeDuplicateResponseCreated: true,
}
