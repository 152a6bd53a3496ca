package api

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DocumentPath is where the document is.
const DocumentPath = Prefix + "openapi.json"

// frameTypes are the types of frames with their data, in the order of a run.
var frameTypes = []struct {
	kind string
	data any
}{
	{"state", StateData{}}, {"token", TokenData{}}, {"tool", ToolData{}}, {"attempt", AttemptData{}},
	{"approval", Approval{}}, {"question", Questions{}}, {"reconcile", Reconcile{}}, {"safety", Safety{}},
	{"done", DoneData{}}, {"error", Failure{}},
}

// Document is the OpenAPI document of what the API serves.
func Document() map[string]any {
	bodies := newSchemas(true)
	answers := newSchemas(false)
	answers.of(reflect.TypeFor[ErrorBody]())
	paths := object{}
	for _, op := range operations() {
		path, _ := paths[op.path].(object)
		if path == nil {
			path = object{}
			paths[op.path] = path
		}
		path[strings.ToLower(op.method)] = op.document(bodies, answers)
	}
	answers.named["Frame"] = frameSchema(answers)
	for name, schema := range bodies.named {
		answers.named[name] = schema
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Countersign", "version": "2",
			"description": "Times are ISO 8601. Readers pass over fields, frames and events that they do not know.",
		},
		"security": []any{object{"key": []string{}}, object{"bearer": []string{}}},
		"paths":    paths,
		"components": object{
			"schemas": answers.named,
			"securitySchemes": object{
				"key":    object{"type": "apiKey", "in": "header", "name": "X-API-Key"},
				"bearer": object{"type": "http", "scheme": "bearer"},
			},
		},
	}
}

// frameSchema is one of the types of frames. A reader meets others later.
func frameSchema(s *schemas) object {
	var one []any
	for _, f := range frameTypes {
		one = append(one, object{
			"type": "object", "required": []string{"type", "data"},
			"properties": object{"type": object{"const": f.kind}, "data": s.of(reflect.TypeOf(f.data))},
		})
	}
	return object{"oneOf": one}
}

var inPath = regexp.MustCompile(`\{([a-z]+)\}`)

func (o operation) document(bodies, answers *schemas) object {
	doc := object{"operationId": o.name, "summary": o.summary, "description": "Needs the scope " + string(o.scope) + ".", "x-scope": o.scope}
	var parameters []any
	for _, m := range inPath.FindAllStringSubmatch(o.path, -1) {
		parameters = append(parameters, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range o.query {
		kind := "string"
		if p.integer {
			kind = "integer"
		}
		parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.about, "schema": object{"type": kind}})
	}
	if o.follow != nil {
		parameters = append(parameters, object{"name": "Last-Event-ID", "in": "header", "description": "As after.", "schema": object{"type": "integer"}})
	}
	if o.idempotent {
		parameters = append(parameters, object{
			"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "minLength": 1, "maxLength": 255},
			"description": "Names the request. Sent again within 24 hours with the same body, it gets the same answer and does nothing more.",
		})
	}
	if parameters != nil {
		doc["parameters"] = parameters
	}
	if o.in != nil {
		doc["requestBody"] = object{
			"required": !o.optional,
			"content":  object{"application/json": object{"schema": bodies.of(reflect.TypeOf(o.in))}},
		}
	}
	if o.file {
		doc["requestBody"] = object{"required": true, "content": object{"application/octet-stream": object{}}}
	}
	doc["responses"] = o.responses(answers)
	return doc
}

func (o operation) responses(answers *schemas) object {
	list := object{}
	for _, r := range o.out {
		answer := object{"description": r.about}
		switch {
		case r.file:
			answer["content"] = object{"*/*": object{}}
		case r.body == nil:
		case o.follow != nil:
			answers.of(reflect.TypeOf(r.body))
			answer["content"] = object{"text/event-stream": object{
				"schema": object{"type": "string"}, "x-event": object{"$ref": "#/components/schemas/" + reflect.TypeOf(r.body).Name()},
			}}
		default:
			answer["content"] = object{"application/json": object{"schema": answers.of(reflect.TypeOf(r.body))}}
		}
		list[strconv.Itoa(r.status)] = answer
	}
	byStatus := make(map[int][]string)
	for _, e := range o.refusals() {
		if !slices.Contains(byStatus[e.status], e.Code) {
			byStatus[e.status] = append(byStatus[e.status], e.Code)
		}
	}
	for status, codes := range byStatus {
		list[strconv.Itoa(status)] = object{
			"description": http.StatusText(status) + ": " + strings.Join(codes, ", ") + ".",
			"content": object{"application/json": object{"schema": object{"allOf": []any{
				object{"$ref": "#/components/schemas/ErrorBody"},
				object{"properties": object{"error": object{"properties": object{"code": object{"enum": codes}}}}},
			}}}},
		}
	}
	return list
}

// refusals are the errors that the operation may answer with.
func (o operation) refusals() []*Error {
	list := append([]*Error{errNoKey, errScope(""), errInternal}, o.errors...)
	if o.in != nil {
		list = append(list, errJSON(""), errTooLarge(0), errMediaType)
	}
	if o.in != nil || o.query != nil {
		list = append(list, invalid(""))
	}
	if o.idempotent {
		list = append(list, errBadIdempotency, errInProgress, errKeyReused)
	}
	if o.method != http.MethodGet {
		list = append(list, errBarred, errConflict, errStopping, errFull)
	}
	return list
}
