package api

import _ "embed" // for the example

//go:embed example/follow.mjs
var example string

// Example is a program that follows a run by its events, in JavaScript.
func Example() string { return example }
