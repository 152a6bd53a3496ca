// Package e2e holds the browser tests: the built program, real processes, real
// sockets, headless Chromium. It sees the program only from outside.
//
// Each test starts its own server with its own data directory and its own
// browser context, and may run beside any other. A page that logs an error,
// breaks its content security policy or asks another host for something fails
// its test (see page_test.go). When a test fails, pictures of its pages are in
// e2e/artifacts and its server's log is in the output.
//
// Most tests start from a chat (conversation_test.go): a server whose model
// plays a script and stops at its gates, so that a test looks at a moment that
// it chose and waits for nothing else. What two tabs show is compared as one
// description of the page (normal_test.go).
//
// The tests need a browser and its driver: run them with "make e2e".
package e2e
