// Package connector keeps the connections to MCP servers and makes their tools
// tools of the engine.
//
// Each connector that is on has a goroutine that connects, lists the tools,
// records them and starts again, after a while, when the connection ends. What
// the engine and pages see comes from memory; nothing waits for a server but a
// call of one of its tools.
package connector
