package upstream

import (
	"strconv"
	"strings"

	"countersign/providers"
)

// specific are the upstream codes that decide the category whatever the
// status is.
var specific = categories(map[providers.Category]string{
	providers.CategoryAuthentication: `invalid_api_key invalid_organization invalid_project account_deactivated
		API_KEY_INVALID`,
	providers.CategoryPermission: `ip_not_authorized unsupported_country_region_territory permission_denied
		API_KEY_SERVICE_BLOCKED SERVICE_DISABLED`,
	providers.CategoryRateLimit: `rate_limit_exceeded rate_limit_error RATE_LIMIT_EXCEEDED`,
	providers.CategoryOverloaded: `slow_down server_is_overloaded service_unavailable_error overloaded_error
		unavailable_error insufficient_system_resource UNAVAILABLE`,
	providers.CategoryQuota: `insufficient_quota credit_balance_exhausted billing_hard_limit_reached
		billing_not_active organization_spend_limit_exceeded project_spend_limit_exceeded
		organization_usage_limit_exceeded usage_not_included billing_error enforced_spend_limit_reached
		BILLING_DISABLED`,
	providers.CategoryContextLength: `context_length_exceeded exceed_context_size_error`,
	providers.CategoryModelNotFound: `model_not_found`,
	providers.CategoryContentFilter: `content_filter content_policy_violation bio_policy`,
	providers.CategoryTimeout:       `timeout_error DEADLINE_EXCEEDED`,
	providers.CategoryInvalidRequest: `invalid_encrypted_content string_above_max_length unsupported_value
		unsupported_parameter unknown_parameter missing_required_parameter invalid_value invalid_type
		invalid_json invalid_function_parameters invalid_image invalid_image_format invalid_image_url
		image_too_large image_parse_error data_residency_mismatch previous_response_not_found`,
})

// general are the upstream codes that decide only where the status does not,
// because many servers send them for anything.
var general = categories(map[providers.Category]string{
	providers.CategoryAuthentication: `authentication_error AuthenticationError UNAUTHENTICATED`,
	providers.CategoryPermission:     `permission_error PERMISSION_DENIED`,
	providers.CategoryRateLimit:      `RESOURCE_EXHAUSTED tokens requests`,
	providers.CategoryNotFound:       `not_found_error NotFoundError NOT_FOUND`,
	providers.CategoryInvalidRequest: `invalid_request_error invalid_prompt request_too_large conflict_error
		not_supported_error BadRequestError INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE UNIMPLEMENTED`,
	providers.CategoryServer: `server_error api_error InternalServerError INTERNAL ABORTED CANCELLED`,
})

func categories(lists map[providers.Category]string) map[string]providers.Category {
	m := make(map[string]providers.Category)
	for category, list := range lists {
		for _, code := range strings.Fields(list) {
			m[code] = category
		}
	}
	return m
}

// allowed reports whether an upstream code may appear in a diagnostic.
// Numeric codes are statuses in decimal text.
func allowed(code string) bool {
	if _, ok := specific[code]; ok {
		return true
	}
	if _, ok := general[code]; ok {
		return true
	}
	return statusOf(code) != 0
}

// statusOf reads a code as an HTTP error status, 0 if it is none.
func statusOf(code string) int {
	if n, err := strconv.Atoi(code); err == nil && len(code) == 3 && n >= 300 && n <= 599 {
		return n
	}
	return 0
}
