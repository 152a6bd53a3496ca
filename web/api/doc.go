// Package api is the HTTP API for programs, under [Prefix].
//
// A program acts for a person with a key and can do what its scopes say, in
// that person's conversations. Sessions and cookies play no part here. What is
// somebody else's is answered as what does not exist.
//
// operations.go lists what there is; each operation is a function from a call
// to an answer. The document that the server publishes is made from the same
// list, so it says what is served.
package api
