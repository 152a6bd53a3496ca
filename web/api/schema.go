package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"countersign/agent"
)

type object = map[string]any

// schemas makes JSON schemas of the types that are read and written, so that
// the document can't say anything else than they do.
type schemas struct {
	// named are the schemas that others refer to, by the names of their types.
	named object
	types map[string]reflect.Type
	// strict names the types that are read: fields that they lack are refused.
	strict bool
}

func newSchemas(strict bool) *schemas {
	return &schemas{named: object{}, types: make(map[string]reflect.Type), strict: strict}
}

// enums are the types of text that have a few values.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[agent.RunStatus](): {
		string(agent.StatusPending), string(agent.StatusRunning), string(agent.StatusWaitingApproval), string(agent.StatusWaitingInput),
		string(agent.StatusSucceeded), string(agent.StatusFailed), string(agent.StatusCancelled),
	},
	reflect.TypeFor[agent.InteractionKind](): {string(agent.KindApproval), string(agent.KindQuestion), string(agent.KindReconcile), string(agent.KindSafety)},
}

// of returns the schema of a type; a struct with a name is referred to.
func (s *schemas) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return object{} // any JSON
	case enums[t] != nil:
		return object{"type": "string", "enum": enums[t]}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Struct:
		if s.types[t.Name()] == nil {
			s.types[t.Name()] = t // it may hold itself
			s.named[t.Name()] = s.structOf(t)
		}
		if s.types[t.Name()] != t {
			panic("api: two types are called " + t.Name())
		}
		return object{"$ref": "#/components/schemas/" + t.Name()}
	}
	panic(fmt.Sprintf("api: no schema of %s", t))
}

func (s *schemas) structOf(t reflect.Type) object {
	properties, required := object{}, []string{}
	s.fields(t, properties, &required)
	schema := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	if s.strict {
		schema["additionalProperties"] = false
	}
	return schema
}

func (s *schemas) fields(t reflect.Type, properties object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			s.fields(f.Type, properties, required)
			continue
		case !f.IsExported() || name == "-":
			continue
		}
		optional := slices.Contains(strings.Split(options, ","), "omitempty")
		field := s.of(f.Type)
		if values := f.Tag.Get("enum"); values != "" {
			field = object{"type": "string", "enum": strings.Split(values, ",")}
		}
		if f.Type.Kind() == reflect.Pointer && !optional {
			field = object{"anyOf": []any{field, object{"type": "null"}}}
		}
		if about := f.Tag.Get("doc"); about != "" {
			field["description"] = about
		}
		properties[name] = field
		if !optional {
			*required = append(*required, name)
		}
	}
}
