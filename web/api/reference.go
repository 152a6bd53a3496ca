package api

import (
	"reflect"
	"slices"
	"strings"
)

// An Operation is what people read of an operation.
type Operation struct {
	Method, Path string
	Summary      string
	Scope        string
	Idempotent   bool
	Query        []Field
	Body         []Field // of the object to send
	Answers      []Answered
	Errors       []string // codes, beside those that every operation may answer with
}

// Answered is a good answer.
type Answered struct {
	Status int
	About  string
	Object string // the name of one of [Objects], "" for no body
}

// An Object is something that is sent or answered with.
type Object struct {
	Name   string
	Fields []Field
}

// A Field is a part of an object.
type Field struct {
	Name, Kind, About string
	Optional          bool
}

// Operations are what there is, for people to read.
func Operations() []Operation {
	var list []Operation
	for _, op := range operations() {
		o := Operation{Method: op.method, Path: op.path, Summary: op.summary, Scope: string(op.scope), Idempotent: op.idempotent}
		for _, p := range op.query {
			kind := "string"
			if p.integer {
				kind = "integer"
			}
			o.Query = append(o.Query, Field{p.name, kind, p.about, true})
		}
		if op.in != nil {
			o.Body = fieldsOf(reflect.TypeOf(op.in))
		}
		for _, r := range op.out {
			a := Answered{Status: r.status, About: r.about}
			if r.body != nil {
				a.Object = reflect.TypeOf(r.body).Name()
			}
			o.Answers = append(o.Answers, a)
		}
		for _, e := range op.errors {
			o.Errors = append(o.Errors, e.Code)
		}
		list = append(list, o)
	}
	return list
}

// Frames are the types of frames with their data.
func Frames() []Object {
	var list []Object
	for _, f := range frameTypes {
		list = append(list, Object{f.kind, fieldsOf(reflect.TypeOf(f.data))})
	}
	return list
}

// Objects are what answers are made of, by name.
func Objects() []Object {
	seen := make(map[string]bool)
	var list []Object
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || t == reflect.TypeFor[Time]() || seen[t.Name()] {
			return
		}
		seen[t.Name()] = true
		if fields := fieldsOf(t); len(fields) > 0 {
			list = append(list, Object{t.Name(), fields})
		}
		for i := range t.NumField() {
			add(t.Field(i).Type)
		}
	}
	for _, op := range operations() {
		for _, r := range op.out {
			if r.body != nil {
				add(reflect.TypeOf(r.body))
			}
		}
	}
	slices.SortFunc(list, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func fieldsOf(t reflect.Type) []Field {
	var list []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			list = append(list, fieldsOf(f.Type)...)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		optional := strings.Contains(options, "omitempty")
		kind := kindOf(f.Type)
		if values := f.Tag.Get("enum"); values != "" {
			kind = strings.ReplaceAll(values, ",", " | ")
		}
		if f.Type.Kind() == reflect.Pointer && !optional {
			kind += " or null"
		}
		list = append(list, Field{name, kind, f.Tag.Get("doc"), optional})
	}
	return list
}

func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Time]():
		return "time"
	case enums[t] != nil:
		return strings.Join(enums[t], " | ")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "any JSON"
		}
		return "list of " + kindOf(t.Elem())
	case reflect.Struct:
		return t.Name()
	case reflect.Interface:
		return "any JSON"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	}
	return "string"
}
