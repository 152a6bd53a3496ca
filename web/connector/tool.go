package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/agent"
	"countersign/models"
)

// maxResult is the longest text of a result that is passed on, in bytes: less
// than the engine takes, so that the model is told of what is missing.
const maxResult = 200 << 10

// definition is what the engine knows of a tool of a connector.
func definition(c models.Connector, t models.ConnectorTool, name string) agent.ToolDefinition {
	d := t.Declared
	return agent.ToolDefinition{
		Name: name, Title: d.Title, Description: d.Description, Parameters: json.RawMessage(d.Schema), ReadOnly: !t.Asks(),
		Connector: c.Name, Original: t.Name, Repeat: t.Verb == models.ToolRepeat && !t.Changed(),
		Dangerous: !d.ReadOnly && d.Destructive != nil && *d.Destructive,
	}
}

// A tool is one of a connector, whether or not that is connected.
type tool struct {
	all  *Connectors
	id   string // of the connector
	what agent.ToolDefinition
}

func (t tool) Definition() agent.ToolDefinition { return t.what }

// What the model is told when a call did not reach the server.
const (
	notConnected = "The connector is not connected now, so the call did not run. It can be tried again later."
	notObject    = "The arguments are not a JSON object, so the call did not run."
)

// Check finds what is no JSON object before anybody is asked.
func (t tool) Check(arguments json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil || object == nil {
		return notObject
	}
	return ""
}

// Call runs the tool on its server. When the connection is lost or the time is
// over before the answer is there, nobody knows whether it happened.
func (t tool) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	l, s := t.all.session(ctx, t.id)
	if s == nil {
		return agent.Result{Text: notConnected, IsError: true}, nil
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	answer, err := s.mcp.CallTool(limited, &mcp.CallToolParams{Name: t.what.Original, Arguments: in.Arguments})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return agent.Result{Text: text(answer), IsError: answer.IsError}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return agent.Result{}, context.Cause(ctx)
	case limited.Err() != nil:
		return agent.Result{}, fmt.Errorf("%w: no answer in time", agent.ErrOutcomeUnknown)
	case errors.As(err, &refused):
		return agent.Result{Text: "The server refused the call: " + clip(refused.Message, 1000), IsError: true}, nil
	case isRefused(err):
		l.lose(s)
		return agent.Result{Text: notConnected, IsError: true}, nil
	}
	l.lose(s)
	return agent.Result{}, fmt.Errorf("%w: %T", agent.ErrOutcomeUnknown, err)
}

// isRefused reports whether nothing was sent, because nobody is there.
func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func isNotFound(err error) bool {
	var missing *exec.Error
	return errors.As(err, &missing) || errors.Is(err, syscall.ENOENT)
}

// text is what a model is told of a result. What is not text is named, with its
// kind and size.
func text(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, omitted("An image", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, omitted("Audio", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, "A link to "+clip(or(c.Title, c.Name), maxTitle)+": "+clip(c.URI, 2000))
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Blob != nil:
				parts = append(parts, omitted("The file "+clip(c.Resource.URI, 2000), c.Resource.MIMEType, len(c.Resource.Blob)))
			default:
				parts = append(parts, c.Resource.Text)
			}
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(data))
		}
	}
	whole := strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
	switch {
	case whole == "":
		return "The tool gave no text."
	case len(whole) <= maxResult:
		return whole
	}
	kept := strings.ToValidUTF8(whole[:maxResult], "")
	return kept + fmt.Sprintf("\n\n[The result has %d bytes. What comes after the first %d is left out.]", len(whole), len(kept))
}

func omitted(what, kind string, bytes int) string {
	return fmt.Sprintf("[%s (%s, %d bytes) is left out: only text is passed on.]", what, clip(or(kind, "no type"), 100), bytes)
}
