package api

const documentPath = Prefix + "openapi.json"

// Document is the OpenAPI document.
func Document() map[string]any { return map[string]any{} }
