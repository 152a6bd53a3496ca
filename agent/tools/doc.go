// Package tools holds the tools that are built in: the clock and the
// conversation's notebook. Each is one file with a description of the same
// name beside it, which the model reads.
package tools

import "countersign/agent"

// All returns every built-in tool that keeps its notes in the notebook.
func All(n Notebook) []agent.Tool {
	return []agent.Tool{askUser{}, currentTime{}, notesList{n}, notesRead{n}, notesWrite{n}, notesDelete{n}}
}
