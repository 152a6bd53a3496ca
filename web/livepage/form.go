package livepage

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Form is a form as it would be sent without any button.
type Form struct {
	Action string
	Values url.Values
}

// Forms returns the forms whose address holds a text, in the order of the page.
func (p *Page) Forms(address string) []Form {
	var list []Form
	for _, n := range all(p.document, is(atom.Form)) {
		if strings.Contains(attribute(n, "action"), address) {
			list = append(list, Form{attribute(n, "action"), fields(n)})
		}
	}
	return list
}

// fields are the values of a form's own fields, without its buttons.
func fields(form *html.Node) url.Values {
	values := url.Values{}
	for _, n := range all(form, has("name")) {
		name := attribute(n, "name")
		switch kind := attribute(n, "type"); {
		case n.DataAtom == atom.Textarea:
			values.Add(name, text(n))
		case n.DataAtom == atom.Select:
			values.Add(name, chosen(n))
		case n.DataAtom != atom.Input:
		case kind != "checkbox" && kind != "radio":
			values.Add(name, attribute(n, "value"))
		case has("checked")(n):
			value := attribute(n, "value")
			if value == "" {
				value = "on"
			}
			values.Add(name, value)
		}
	}
	return values
}

// chosen is the value of the option that is selected, by the page or because
// it is the first one.
func chosen(list *html.Node) string {
	options := all(list, is(atom.Option))
	for _, o := range options {
		if has("selected")(o) {
			return attribute(o, "value")
		}
	}
	if len(options) == 0 {
		return ""
	}
	return attribute(options[0], "value")
}
