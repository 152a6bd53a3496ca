package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/web/api"
)

// document is the document as a program reads it.
var document = sync.OnceValue(func() map[string]any {
	data, err := json.Marshal(api.Document())
	if err != nil {
		panic(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		panic(err)
	}
	return doc
})

func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// operationOf finds what the document says of a request, nil if it does not.
func operationOf(r *http.Request) any {
	for path, item := range document()["paths"].(map[string]any) {
		pattern := "^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(r.URL.Path) {
			return at(item, strings.ToLower(r.Method))
		}
	}
	return nil
}

// checkReply holds an answer to the document: its status, and everything in
// its body.
func checkReply(t *testing.T, r *http.Request, got reply) {
	t.Helper()
	op := operationOf(r)
	if op == nil {
		return // see TestDocument_SaysWhatIsServed
	}
	said := at(op, "responses", strconv.Itoa(got.status))
	if said == nil {
		t.Errorf("%s %s: the document has no answer %d: %s", r.Method, r.URL.Path, got.status, got.text)
		return
	}
	if at(said, "content", "*/*") != nil {
		return // a file
	}
	schema := at(said, "content", "application/json", "schema")
	if schema == nil {
		if got.text != "" {
			t.Errorf("%s %s: the document knows no body: %s", r.Method, r.URL.Path, got.text)
		}
		return
	}
	if kind := got.header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s %s: Content-Type %q", r.Method, r.URL.Path, kind)
	}
	checkJSON(t, fmt.Sprintf("%s %s: %d", r.Method, r.URL.Path, got.status), schema, []byte(got.text))
}

// checkJSON holds JSON to a schema. Fields that it does not have are refused:
// the document is to say everything.
func checkJSON(t *testing.T, what string, schema any, text []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("%s: %v: %s", what, err, text)
		return
	}
	if problem := match(schema, v, "body"); problem != "" {
		t.Errorf("%s: %s\n%s", what, problem, text)
	}
}

// match says where a value is not as a schema says. It knows what the document
// uses of JSON Schema and no more.
func match(schema, v any, place string) string {
	s := schema.(map[string]any)
	for word, arg := range s {
		var problem string
		switch word {
		case "$ref":
			problem = match(at(document(), strings.Split(strings.TrimPrefix(arg.(string), "#/"), "/")...), v, place)
		case "allOf":
			for _, one := range arg.([]any) {
				if problem == "" {
					problem = match(one, v, place)
				}
			}
		case "anyOf", "oneOf":
			var problems []string
			for _, one := range arg.([]any) {
				if p := match(one, v, place); p != "" {
					problems = append(problems, p)
				}
			}
			if len(problems) == len(arg.([]any)) {
				problem = strings.Join(problems, "; or ")
			}
		case "type":
			if typeOf(v) != arg && !(arg == "number" && typeOf(v) == "integer") {
				problem = fmt.Sprintf("%s is %s, not %v", place, typeOf(v), arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				problem = fmt.Sprintf("%s is %v, not one of %v", place, v, arg)
			}
		case "const":
			if v != arg {
				problem = fmt.Sprintf("%s is %v, not %v", place, v, arg)
			}
		case "items":
			for i, item := range v.([]any) {
				if problem == "" {
					problem = match(arg, item, fmt.Sprintf("%s[%d]", place, i))
				}
			}
		case "required":
			for _, name := range arg.([]any) {
				if fields, ok := v.(map[string]any); ok {
					if _, ok := fields[name.(string)]; !ok {
						problem = fmt.Sprintf("%s has no %v", place, name)
					}
				}
			}
		case "properties":
			problem = matchFields(s, arg.(map[string]any), v, place)
		case "format":
			if arg == "date-time" && !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$`).MatchString(fmt.Sprint(v)) {
				problem = fmt.Sprintf("%s is %v, not a time with its offset", place, v)
			}
		case "description", "additionalProperties":
		default:
			problem = "a word that the test does not know: " + word
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

func matchFields(s, properties map[string]any, v any, place string) string {
	fields, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for name, value := range fields {
		field, ok := properties[name]
		if !ok && s["type"] == "object" {
			return fmt.Sprintf("%s.%s is not in the document", place, name)
		}
		if ok {
			if problem := match(field, value, place+"."+name); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func typeOf(v any) string {
	switch n := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if n == float64(int64(n)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// Every operation of the document is served, and nothing else is.
func TestDocument_SaysWhatIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.program("admin@example.com", "read", "run", "decide", "admin")
	served := p.do(http.MethodGet, "/v2/openapi.json", nil)
	var doc map[string]any
	if err := json.Unmarshal([]byte(served.text), &doc); err != nil || served.status != http.StatusOK || doc["openapi"] != "3.1.0" {
		t.Fatalf("%v: %d", err, served.status)
	}
	names := make(map[string]bool)
	for path, item := range doc["paths"].(map[string]any) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			address := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "x_unknown")
			op := at(item, strings.ToLower(method))
			got := p.do(method, address, nil)
			if op == nil {
				got.refused(t, method+" "+path, http.StatusMethodNotAllowed, "method_not_allowed")
				if got.header.Get("Allow") == "" {
					t.Errorf("%s %s: no Allow", method, path)
				}
				continue
			}
			if got.status == http.StatusMethodNotAllowed || strings.Contains(got.text, `"not_found"`) && !strings.Contains(path, "key") {
				t.Errorf("%s %s: got %d %s", method, path, got.status, got.text)
			}
			name, _ := at(op, "operationId").(string)
			if names[name] || name == "" {
				t.Errorf("%s %s: the operation %q is there twice", method, path, name)
			}
			names[name] = true
			bare := *p
			bare.token = ""
			bare.do(method, address, nil).refused(t, "without a key: "+method+" "+path, http.StatusUnauthorized, "unauthorized")
		}
	}
	if len(names) < 16 {
		t.Errorf("there are %d operations", len(names))
	}
	p.do(http.MethodGet, "/v2/nowhere", nil).refused(t, "an unknown address", http.StatusNotFound, "not_found")
	p.do(http.MethodGet, "/v2/", nil).refused(t, "the root", http.StatusNotFound, "not_found")
}

// Every reference of the document leads somewhere.
func TestDocument_IsWhole(t *testing.T) {
	t.Parallel()
	refs := 0
	var walk func(v any, place string)
	walk = func(v any, place string) {
		switch n := v.(type) {
		case map[string]any:
			for name, child := range n {
				if ref, ok := child.(string); ok && name == "$ref" {
					refs++
					if at(document(), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
						t.Errorf("%s: %s leads nowhere", place, ref)
					}
				}
				walk(child, place+"/"+name)
			}
		case []any:
			for i, child := range n {
				walk(child, fmt.Sprintf("%s/%d", place, i))
			}
		case nil:
			t.Errorf("%s is null", place)
		}
	}
	walk(document(), "")
	if refs == 0 {
		t.Error("there are no references")
	}
}
