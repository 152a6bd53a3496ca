package upstream_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/upstream"
)

type errorSample struct {
	Why  string
	Body string
	HTTP struct {
		Status  int
		Headers map[string]string
	}
	Expect struct {
		Error struct {
			Category     providers.Category
			Code         string
			Retryable    bool
			HTTPStatus   int    `json:"http_status"`
			RetryAfterMS *int64 `json:"retry_after_ms"`
		}
		RequestID string `json:"request_id"`
	}
}

// api is the adapter that the sample's request was made on.
func (s errorSample) api() providers.API {
	for _, api := range []providers.API{providers.APIResponses, providers.APIAnthropic, providers.APIChatCompletions} {
		if strings.Contains(s.Why, "made on the "+string(api)+" adapter") {
			return api
		}
	}
	return ""
}

func TestClassifySamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/errors/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d samples, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			var s errorSample
			readJSON(t, file, &s)
			body, err := os.ReadFile(filepath.Join("testdata/errors", s.Body))
			if err != nil {
				t.Fatal(err)
			}
			want := &providers.Error{
				Category: s.Expect.Error.Category, Code: s.Expect.Error.Code, Retryable: s.Expect.Error.Retryable,
				HTTPStatus: s.Expect.Error.HTTPStatus, RequestID: s.Expect.RequestID, API: s.api(),
			}
			if ms := s.Expect.Error.RetryAfterMS; ms != nil {
				want.RetryAfter = time.Duration(*ms) * time.Millisecond
			}
			got := upstream.Classify(upstream.Answer{
				API: s.api(), Status: s.HTTP.Status, Header: header(s.HTTP.Headers), Body: body,
				Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClassifyInsufficientQuotaCase(t *testing.T) {
	t.Parallel()
	var c struct {
		Expected struct {
			Error struct {
				CategoryIn []providers.Category `json:"category_in"`
				Retryable  bool
				HTTPStatus int      `json:"http_status"`
				CodeIn     []string `json:"code_in"`
			}
		}
	}
	readJSON(t, "testdata/cases/err-429-insufficient-quota/case.json", &c)
	var in struct {
		Status  int
		Headers map[string]string
		Body    json.RawMessage
	}
	readJSON(t, "testdata/cases/err-429-insufficient-quota/input.json", &in)
	got := upstream.Classify(upstream.Answer{
		API: providers.APIResponses, Status: in.Status, Header: header(in.Headers), Body: in.Body,
	})
	want := &providers.Error{
		Category: providers.CategoryQuota, Code: c.Expected.Error.CodeIn[0], Retryable: c.Expected.Error.Retryable,
		HTTPStatus: c.Expected.Error.HTTPStatus, API: providers.APIResponses,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	const html = "<html><body>secret</body></html>"
	tests := []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   providers.Error
	}{
		{"conflict is retried", 409, nil, `{"error":{"type":"conflict_error"}}`,
			providers.Error{Category: "invalid_request", Retryable: true, Code: "conflict_error"}},
		{"HTTP version is not", 505, nil, "", providers.Error{Category: "server"}},
		{"not implemented", 501, nil, `{"error":{"code":501,"message":"x","type":"not_supported_error"}}`,
			providers.Error{Category: "invalid_request", Code: "not_supported_error"}},
		{"timeout at the edge", 524, nil, html, providers.Error{Category: "timeout", Retryable: true}},
		{"other edge failure", 522, nil, html, providers.Error{Category: "server", Retryable: true}},
		{"redirect", 307, nil, "", providers.Error{Category: "not_found"}},
		{"HTML not found", 404, nil, html, providers.Error{Category: "not_found"}},
		{"conflicting advice on quota", 429, map[string]string{"x-should-retry": "true"}, `{"error":{"code":"insufficient_quota"}}`,
			providers.Error{Category: "quota", Code: "insufficient_quota"}},
		{"advice to retry", 400, map[string]string{"x-should-retry": "true"}, `{}`,
			providers.Error{Category: "invalid_request", Retryable: true}},
		{"unknown code is dropped", 400, nil, `{"error":{"code":"sk-live-secret","type":"my prompt"}}`,
			providers.Error{Category: "invalid_request"}},
		{"specific code in the type", 400, nil, `{"error":{"code":"invalid_request_error","type":"insufficient_quota"}}`,
			providers.Error{Category: "quota", Code: "invalid_request_error"}},
		{"rate limit on tokens", 429, nil, `{"error":{"message":"Too many tokens, please wait"}}`,
			providers.Error{Category: "rate_limit", Retryable: true}},
		{"code inside a message", 500, nil, `{"error":{"message":"{\"error\":{\"code\":\"context_length_exceeded\"}}","code":"x"}}`,
			providers.Error{Category: "context_length", Code: "context_length_exceeded"}},
		{"detail object", 400, nil, `{"detail":{"error":{"code":"model_not_found"}}}`,
			providers.Error{Category: "model_not_found", Code: "model_not_found"}},
		{"detail string", 400, nil, `{"detail":"Prompt is too long"}`, providers.Error{Category: "context_length"}},
		{"error_type", 400, nil, `{"error_type":"rate_limit_exceeded","error_message":"x"}`,
			providers.Error{Category: "rate_limit", Retryable: true, Code: "rate_limit_exceeded"}},
		{"message and type", 500, nil, `{"message":"x","type":"overloaded_error"}`,
			providers.Error{Category: "overloaded", Retryable: true, Code: "overloaded_error"}},
		{"plain text", 400, nil, "input is too long for this model", providers.Error{Category: "context_length"}},
		{"policy", 400, nil, `{"error":{"code":"invalid_prompt","message":"flagged by our usage policy"}}`,
			providers.Error{Category: "content_filter", Code: "invalid_prompt"}},
		{"invalid prompt otherwise", 400, nil, `{"error":{"code":"invalid_prompt","message":"x"}}`,
			providers.Error{Category: "invalid_request", Code: "invalid_prompt"}},
		{"JSON that is no object", 500, nil, `"x"`, providers.Error{Category: "server", Retryable: true}},
		{"page in place of a stream", 200, nil, html, providers.Error{Category: "parser", Code: "unexpected_content_type"}},
		{"null error", 200, nil, `{"error":null}`, providers.Error{Category: "parser", Code: "unexpected_content_type"}},
		{"number as status", 200, nil, `{"error":{"code":"503"}}`,
			providers.Error{Category: "overloaded", Retryable: true, Code: "503"}},
		{"bad request id", 500, map[string]string{"x-request-id": "a b", "request-id": "good"}, "",
			providers.Error{Category: "server", Retryable: true}},
		{"id in the body", 500, nil, `{"type":"error","error":{"type":"api_error"},"request_id":"req_1"}`,
			providers.Error{Category: "server", Retryable: true, Code: "api_error", RequestID: "req_1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.HTTPStatus = tt.status
			got := upstream.Classify(upstream.Answer{Status: tt.status, Header: header(tt.header), Body: []byte(tt.body)})
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 10, 0, 0, 300e6, time.UTC)
	tests := []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"retry-after": "18"}, "", 18 * time.Second},
		{"fraction", map[string]string{"retry-after": "1.5"}, "", 1500 * time.Millisecond},
		{"milliseconds win", map[string]string{"retry-after": "1", "retry-after-ms": "120.5"}, "", 120500 * time.Microsecond},
		{"unparsable milliseconds", map[string]string{"retry-after": "1", "retry-after-ms": "NaN"}, "", time.Second},
		{"date, rounded up", map[string]string{"retry-after": "Tue, 01 Dec 2026 10:00:04 GMT"}, "", 4 * time.Second},
		{"past date", map[string]string{"retry-after": "Tue, 01 Dec 2026 09:00:00 GMT"}, "", 0},
		{"absurd date", map[string]string{"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"}, "", 0},
		{"long but meant", map[string]string{"retry-after": "3600"}, "", time.Hour},
		{"negative", map[string]string{"retry-after": "-1"}, "", 0},
		{"infinite", map[string]string{"retry-after": "Inf"}, "", 0},
		{"details", nil, `[{"error":{"details":[{"retryDelay":"23.6s"}]}}]`, 23600 * time.Millisecond},
		{"message", nil, `{"error":{"message":"Please try again in 120ms."}}`, 120 * time.Millisecond},
		{"message with minutes", nil, `{"error":{"message":"Please try again in 1m30s."}}`, 90 * time.Second},
		{"none", nil, `{"error":{"message":"Please try again in a while."}}`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := upstream.Classify(upstream.Answer{Status: 429, Header: header(tt.header), Body: []byte(tt.body), Now: now})
			if got.RetryAfter != tt.want {
				t.Errorf("got %v, want %v", got.RetryAfter, tt.want)
			}
		})
	}
}

func TestClassifyFrame(t *testing.T) {
	t.Parallel()
	stream := upstream.Answer{API: providers.APIChatCompletions, Status: 200}
	for _, data := range []string{`{"id":"x","choices":[]}`, `{"type":"ping"}`, `{"error":null}`, `{"error":""}`, `[]`, `1`, `x`} {
		if got, ok := stream.ClassifyFrame([]byte(data)); ok {
			t.Errorf("%s: got %v, want no error", data, got)
		}
	}
	for data, want := range map[string]providers.Category{
		`{"error":{"code":429}}`:                               "rate_limit",
		`{"error":{}}`:                                         "server",
		`{"error":"text"}`:                                     "server",
		`[{"error":{"status":"UNAVAILABLE"}}]`:                 "overloaded",
		`{"object":"error","type":"server_error"}`:             "server",
		`{"type":"error","error":{"type":"rate_limit_error"}}`: "rate_limit",
		`{"error":{"message":"prompt is too long"}}`:           "context_length",
	} {
		got, ok := stream.ClassifyFrame([]byte(data))
		if !ok || got.Category != want || got.HTTPStatus != 200 {
			t.Errorf("%s: got %v, want %s with status 200", data, got, want)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"error":{"code":"x","details":[{"reason":1}],"metadata":{"reasons":[1]}}}`))
	f.Add(200, []byte(`[{"error":["a",{"error":"b"}]}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		got := upstream.Classify(upstream.Answer{Status: status, Body: body})
		if got.Category == "" {
			t.Error("no category")
		}
		if len(got.Code) > 40 || len(got.RequestID) > 128 {
			t.Errorf("unbounded: %v", got)
		}
	})
}

func header(m map[string]string) http.Header {
	h := make(http.Header)
	for name, value := range m {
		h.Set(name, value)
	}
	return h
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
}
