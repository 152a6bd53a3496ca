package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A parameter is a string that a tool takes.
type parameter struct {
	name     string
	into     *string
	optional bool
}

// read takes the arguments apart. It is stricter than encoding/json, because a
// person has decided on the bytes as they stand: a name in other letters, a
// name that comes twice and a name that the tool does not know are refused, so
// that the value that counts is the one that a reader sees.
//
// The error says to the model what is wrong.
func read(arguments json.RawMessage, list ...parameter) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the arguments are not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return errors.New("the arguments are not valid JSON")
		}
		name := key.(string) // the decoder accepts nothing else here
		i := slices.IndexFunc(list, func(p parameter) bool { return p.name == name })
		switch {
		case i < 0:
			return fmt.Errorf("there is no argument %q; %s", name, known(list))
		case seen[name]:
			return fmt.Errorf("the argument %q comes twice", name)
		}
		seen[name] = true
		value, err := d.Token()
		if err != nil {
			return errors.New("the arguments are not valid JSON")
		}
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("the argument %q has to be a string", name)
		}
		*list[i].into = text
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return errors.New("the arguments are not valid JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the arguments")
	}
	for _, p := range list {
		if !p.optional && !seen[p.name] {
			return fmt.Errorf("the argument %q is missing", p.name)
		}
	}
	return nil
}

func known(list []parameter) string {
	if len(list) == 0 {
		return "this tool takes none"
	}
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name
	}
	return "this tool takes " + strings.Join(names, " and ")
}

// wrong makes a result of an error of read, "" of none.
func wrong(err error) string {
	if err == nil {
		return ""
	}
	return "This call is not usable: " + err.Error() + "."
}
