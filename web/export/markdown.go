package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"countersign/agent"
)

// WriteMarkdown writes what was said, for people to read. Text that a person or
// a model wrote stays as it is.
func WriteMarkdown(w io.Writer, c agent.HistoryCopied) error {
	out := bufio.NewWriter(w)
	title := c.Title
	if title == "" {
		title = "Untitled conversation"
	}
	fmt.Fprintf(out, "# %s\n", oneLine(title))
	if c.Omitted > 0 {
		fmt.Fprintf(out, "\nThe oldest %d messages are left out.\n", c.Omitted)
	}
	for _, m := range c.Messages {
		fmt.Fprintf(out, "\n## %s, %s\n\n%s\n", oneLine(m.Person+m.Agent), m.At.UTC().Format(time.RFC3339), strings.TrimRight(m.Text, "\n"))
	}
	return out.Flush()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
