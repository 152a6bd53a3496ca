package control

import (
	"encoding/json"
	"net/http"

	"countersign/models"
)

// A User is a person in answers.
type User struct {
	Email    string      `json:"email"`
	Name     string      `json:"name"`
	Role     models.Role `json:"role"`
	Disabled bool        `json:"disabled"`
}

// A NewUser is a person to be. The password goes to the handler and nowhere
// else.
type NewUser struct {
	Email    string      `json:"email"`
	Name     string      `json:"name"`
	Role     models.Role `json:"role"`
	Password string      `json:"password"`
}

type passwordRequest struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type disabledRequest struct {
	Email    string `json:"email"`
	Disabled bool   `json:"disabled"`
}

// A Provider is a connection in answers.
type Provider struct {
	Name    string `json:"name"`
	API     string `json:"api"`
	BaseURL string `json:"base_url"`
	Key     string `json:"key"` // where it is kept, and whether it is there
	Models  int    `json:"models"`
}

type providerRequest struct {
	Name string `json:"name"`
}

// A ProviderTest says how the test of a connection went.
type ProviderTest struct {
	OK        bool           `json:"ok"`
	Title     string         `json:"title"`
	Text      string         `json:"text"`
	Steps     []Step         `json:"steps"`
	RequestID string         `json:"request_id,omitempty"` // of the answer
	Error     *ProviderError `json:"provider_error,omitempty"`
	Offers    []string       `json:"offers,omitempty"` // models beside those that are set up
}

// A Step is one thing that a test has tried.
type Step struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	State string `json:"state"` // passed, failed, warned or skipped
	Note  string `json:"note,omitempty"`
}

// A ProviderError is all that a diagnostic of a provider holds (contract D2,
// D3). What is not known is left out.
type ProviderError struct {
	Category   string `json:"category"`
	Retryable  bool   `json:"retryable"`
	HTTPStatus int    `json:"http_status,omitempty"`
	API        string `json:"api,omitempty"`
	RequestID  string `json:"request_id,omitempty"`
	Code       string `json:"code,omitempty"`
}

// applyRequest carries the provisioning file and, because they may be readable
// to the command alone, the files that it names.
type applyRequest struct {
	Text  string            `json:"text"`
	Files map[string]string `json:"files"`
}

// Applied says what became of an item of a provisioning file.
type Applied struct {
	Section string         `json:"section"`
	Name    string         `json:"name"`
	Outcome models.Outcome `json:"outcome"`
}

// Rotated says what the rotation of the sealing key did.
type Rotated struct {
	Resealed int    `json:"resealed"` // credentials
	KeyFile  string `json:"key_file"`
}

// headerKeyFile says with a backup where the key is that is not in it. It is
// missing if the key is kept outside of the data directory.
const headerKeyFile = "Key-File"

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the command has gone: nobody to tell
}

// read decodes a request.
func read[T any](r *http.Request) (T, error) {
	var v T
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		return v, errBadRequest
	}
	return v, nil
}
