// Package web serves Countersign to browsers.
//
// A handler is a method of [Server] that returns an error. It parses a form,
// authorises, calls agent or models, fills the props of a view and renders it;
// rules live in agent, rows in models, words in views. An error is answered in
// one place (errors.go), and no page shows the text of one.
//
// routes.go is the whole table of routes with the access that each one needs.
// A page is rendered to memory before its first byte is sent, so there is no
// half page and no late status. Whatever changes something is a POST that ends
// in a redirect, or in the same form again with what was typed and a sentence
// at the field. Every page works without JavaScript.
//
// Middleware is one file each and says what it must be inside of. Server.Handler
// puts the chain together.
package web
