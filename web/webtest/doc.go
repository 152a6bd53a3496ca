// Package webtest runs the pages of Countersign for tests: a server on a
// temporary database, and browsers without scripts that are signed in over
// HTTP.
package webtest
