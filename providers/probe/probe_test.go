package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/probe"
	"countersign/providers/providertest"
)

var quiet = log.New(io.Discard, "", 0)

// outline writes a result in a line: + passed, - failed, ~ warned, ? skipped.
func outline(r probe.Result) string {
	signs := map[probe.State]string{probe.Passed: "+", probe.Failed: "-", probe.Warned: "~", probe.Skipped: "?"}
	var list []string
	for _, c := range r.Checks {
		list = append(list, signs[c.State]+string(c.Step))
	}
	if f := r.Failure; f != nil {
		list = append(list, "= "+strings.TrimSpace(string(f.Category)+" "+f.Code))
	}
	return strings.Join(list, " ")
}

// Whatever can be wrong with a connection ends at its own step; what was not
// seen is not said to be right.
func TestTheStepThatFails(t *testing.T) {
	t.Parallel()
	const nobody = providertest.Nobody + "/v1"
	short := 400 * time.Millisecond
	const unseen = " ?key ?path ?model ?stream ?tools ?usage"
	for name, tt := range map[string]struct {
		try  try
		want string
	}{
		"an address that is never allowed": {try{base: "http://169.254.169.254/v1"}, "?name -address ?connect ?tls ?answer" + unseen + " = configuration unusable_base_url"},
		"an API of another version":        {try{api: "telepathy", base: nobody}, "?key -path ?model ?stream ?tools ?usage = configuration unsupported_api"},
		"a private address":                {try{base: nobody, public: true}, "-address ?connect ?tls ?answer" + unseen + " = blocked address_blocked"},
		"no such name":                     {try{base: "http://nowhere.invalid/v1"}, "-name ?address ?connect ?tls ?answer" + unseen + " = network name_not_resolved"},
		"nobody listens":                   {try{base: nobody}, "+address -connect ?tls ?answer" + unseen + " = network connect_failed"},
		"an unknown certificate":           {try{base: service{answer: works}.startTLS(t)}, "+address +connect -tls ?answer" + unseen + " = network tls_failed"},
		"no TLS spoken":                    {try{base: strings.Replace(service{answer: works}.start(t), "http:", "https:", 1)}, "+address +connect -tls ?answer" + unseen + " = network tls_failed"},
		"silence in place of TLS":          {try{base: "https://" + silent(t), within: short}, "+address +connect -tls ?answer" + unseen + " = timeout deadline"},
		"silence":                          {try{base: "http://" + silent(t), within: short}, "+address +connect -answer" + unseen + " = timeout deadline"},
		"out of order":                     {try{base: service{answer: refuses(500, "")}.start(t)}, "+address +connect -answer" + unseen + " = server"},
		"too many requests":                {try{base: service{answer: refuses(429, "rate_limit_exceeded")}.start(t)}, "+address +connect -answer" + unseen + " = rate_limit rate_limit_exceeded"},
		"no key here":                      {try{base: service{}.start(t), noKey: true}, "-key ?path ?model ?stream ?tools ?usage = configuration key_needed"},
		"another key":                      {try{base: service{answer: refuses(401, "invalid_api_key")}.start(t)}, "+address +connect +answer -key ?path ?model ?stream ?tools ?usage = authentication invalid_api_key"},
		"a key without the right":          {try{base: service{answer: refuses(403, "permission_denied")}.start(t)}, "+address +connect +answer -key ?path ?model ?stream ?tools ?usage = permission permission_denied"},
		"nothing at this path":             {try{base: service{}.start(t)}, "+address +connect +answer ?key -path ?model ?stream ?tools ?usage = not_found"},
		"a web page":                       {try{base: service{answer: says(200, "text/html", "<h1>canary</h1>")}.start(t)}, "+address +connect +answer ?key -path ?model ?stream ?tools ?usage = parser unexpected_content_type"},
		"no such model":                    {try{base: service{answer: refuses(404, "model_not_found")}.start(t)}, "+address +connect +answer +key +path -model ?stream ?tools ?usage = model_not_found model_not_found"},
		"a model that is not listed":       {try{base: service{models: lists("other")}.start(t)}, "+address +connect +answer +key +path -model ?stream ?tools ?usage = model_not_found"},
		"a stream refused":                 {try{base: service{answer: refuses(400, "unsupported_value")}.start(t)}, "+address +connect +answer ?key ?path ?model -stream ?tools ?usage = invalid_request unsupported_value"},
		"no stream where one was asked":    {try{base: service{answer: says(200, "application/json", `{"choices":[]}`), models: lists("m")}.start(t)}, "+address +connect +answer +key +path +model -stream ?tools ?usage = parser unexpected_content_type"},
		"a stream that is cut":             {try{base: service{answer: says(200, "text/event-stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"O\"}}]}\n\n")}.start(t)}, "+address +connect +answer +key +path +model -stream ?tools ?usage = network stream_ended_early"},
		"a stream that stalls":             {try{base: service{answer: stalls(200, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"O\"}}]}\n\n")}.start(t), within: short}, "+address +connect +answer +key +path +model -stream ?tools ?usage = timeout deadline"},
		"tools refused":                    {try{base: service{answer: works, tools: refuses(400, "unsupported_parameter")}.start(t)}, "+address +connect +answer +key +path +model +stream -tools +usage = invalid_request tools_refused"},
		"tools not wanted":                 {try{base: service{answer: works, tools: refuses(400, "")}.start(t), noTools: true}, "+address +connect +answer +key +path +model +stream ?tools +usage"},
		"too busy for tools":               {try{base: service{answer: works, tools: refuses(429, "")}.start(t)}, "+address +connect +answer +key +path +model +stream ?tools +usage"},
		"no usage":                         {try{base: service{answer: says(200, "text/event-stream", strings.Replace(streams[providers.APIChatCompletions], "usage", "other", 1)), tools: works}.start(t)}, "+address +connect +answer +key +path +model +stream +tools ~usage"},
		"nothing":                          {try{base: service{answer: works, tools: works}.start(t)}, "+address +connect +answer +key +path +model +stream +tools +usage"},
		"no model yet":                     {try{base: service{models: lists("a", "b")}.start(t), noModel: true}, "+address +connect +answer +key +path -model ?stream ?tools ?usage = configuration no_model"},
		"no model yet, and no list":        {try{base: service{}.start(t), noModel: true}, "+address +connect +answer ?key ?path -model ?stream ?tools ?usage = configuration no_model"},
		"no model yet, and no key":         {try{base: service{models: refuses(401, "")}.start(t), noModel: true}, "+address +connect +answer -key ?path ?model ?stream ?tools ?usage = authentication"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.try.run(t)
			if diff := cmp.Diff(tt.want, outline(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(fmt.Sprintf("%+v %+v", r, r.Failure), "canary") {
				t.Errorf("the result holds the words of the service: %+v", r)
			}
		})
	}
}

// The other APIs are tried in the same way, each with its own words.
func TestEveryAPI(t *testing.T) {
	t.Parallel()
	for api, stream := range streams {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			answer := says(200, "text/event-stream", stream)
			r := try{api: api, base: service{answer: answer, tools: answer, models: lists("m", "n")}.start(t)}.run(t)
			if got, want := outline(r), "+address +connect +answer +key +path +model +stream +tools +usage"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if r.RequestID != "req_1" || !cmp.Equal(r.Models, []string{"m", "n"}) {
				t.Errorf("got request %q, models %v", r.RequestID, r.Models)
			}
		})
	}
}

// What a service lists is cut before it costs anything, and an odd id is none.
func TestModelsAreBounded(t *testing.T) {
	t.Parallel()
	written := make(chan int, 1)
	endless := func(w http.ResponseWriter, _ *http.Request) {
		n, _ := fmt.Fprint(w, `{"data":[`)
		entry := `{"id":"` + strings.Repeat("x", 100) + `"},`
		for n < 100<<20 {
			more, err := fmt.Fprint(w, entry)
			if n += more; err != nil {
				break
			}
		}
		written <- n
	}
	began := time.Now()
	r := try{base: service{answer: works, tools: works, models: endless}.start(t)}.run(t)
	if r.Failure != nil || r.Models != nil || time.Since(began) > probe.Limit {
		t.Errorf("an endless list: %s, %d models, after %v", outline(r), len(r.Models), time.Since(began))
	}
	if n := <-written; n > 32<<20 {
		t.Errorf("%d bytes of the list were taken", n)
	}
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("m%d", i)
	}
	many[0], many[1], many[2] = `\u202eevil`, strings.Repeat("y", 300), ""
	r = try{base: service{answer: works, tools: works, models: lists(many...)}.start(t)}.run(t)
	if len(r.Models) != 1000 || r.Models[0] != "m3" {
		t.Errorf("got %d models, from %q", len(r.Models), r.Models[0])
	}
	slow := stalls(200, `{"data":[`)
	r = try{base: service{answer: works, tools: works, models: slow}.start(t)}.run(t)
	if got, want := outline(r), "+address +connect +answer +key +path +model +stream +tools +usage"; got != want {
		t.Errorf("a list that stalls: got %s, want %s", got, want)
	}
}

// A probe that is called off says nothing of the connection.
func TestCalledOff(t *testing.T) {
	t.Parallel()
	gone := errors.New("the browser has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	answer := func(_ http.ResponseWriter, r *http.Request) { cancel(gone); <-r.Context().Done() }
	connections := connect.New()
	defer connections.Close()
	p, err := connections.Open(connect.Config{
		ID: "p_1", API: providers.APIChatCompletions, BaseURL: service{answer: answer}.start(t), AllowPrivateNetwork: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := probe.Run(ctx, probe.Target{Provider: p, Model: "m"}); !errors.Is(err, gone) {
		t.Errorf("got %v, want why it was called off", err)
	}
}

// A probe is short, and never sends the thinking setting of the connection
// (contract R13).
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 3)
	record := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			bodies <- string(body)
			next(w, r)
		}
	}
	server := httptest.NewServer(record(says(200, "text/event-stream", streams[providers.APIAnthropic])))
	t.Cleanup(server.Close)
	connections := connect.New()
	defer connections.Close()
	p, err := connections.Open(connect.Config{
		ID: "p_1", API: providers.APIAnthropic, BaseURL: server.URL, AllowPrivateNetwork: true, MaxOutputTokens: 32000,
		Thinking: &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 2048},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := probe.Run(t.Context(), probe.Target{Provider: p, Model: "m", NoTools: true}); err != nil {
		t.Fatal(err)
	}
	body := <-bodies
	if strings.Contains(body, "thinking") || !strings.Contains(body, `"max_tokens":64`) {
		t.Errorf("sent %s", body)
	}
}
