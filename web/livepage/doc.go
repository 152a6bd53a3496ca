// Package livepage is a conversation's page for tests: what static/js/live.js
// does to a page in the browser, done to a tree of HTML nodes. A test compares
// the operations of both.
//
// Left out is what only a reader notices: focus, folds, half-typed text, the
// line that tells of the connection.
package livepage
