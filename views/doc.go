// Package views turns props into HTML. It reads nothing: whoever calls it has
// loaded and authorised what is shown.
//
// A page and a live fragment are made by the same component, so what arrives
// over the socket is what a reload would show. Every element that a fragment
// may replace takes its id from ids.go; every address comes from urls.go.
//
// All text from people, models, tools and connectors is untrusted. templ
// escapes it; two functions decide what else is done to it. [Printable] is for
// running text: it replaces the control characters that HTML can't carry and
// changes nothing else. [Pieces], through the component Exact, is for what a
// person relies on when deciding, such as names, arguments and reasons: there
// every invisible character is shown by its code point. Markdown is shown from
// a fixed list of elements; see markdown.go.
package views
