package models

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Connector is a configured outside source of tools: an MCP server that is
// started as a program, or one that is reached over HTTP.
type Connector struct {
	ID   string
	Name string // unique, also as a slug
	// Off keeps the connection and the tools away.
	Off bool

	// Argv is the program with its arguments, started without a shell, and Dir
	// where it runs. It sees PATH, HOME and the variables of this server that
	// Env names. Empty for HTTP.
	Argv []string
	Dir  string
	Env  []string

	// URL is the address of a server over HTTP, and Headers are the names of
	// what is sent with each request. Their values are sealed.
	URL                 string
	AllowPrivateNetwork bool
	Headers             []string

	// Timeout bounds one call; zero means [DefaultConnectorTimeout].
	Timeout time.Duration

	UpdatedAt time.Time
}

// What a connector may have.
const (
	DefaultConnectorTimeout = 2 * time.Minute
	MaxConnectors           = 50
	maxConnectorName        = 24
	maxHeaders              = 16
	maxHeader               = 16 << 10 // bytes of a value
)

// Slug is the name as it stands in the names of tools: letters, digits, - and
// single _.
func (c Connector) Slug() string {
	slug := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, c.Name)
	return strings.Trim(manyUnderscores.ReplaceAllString(slug, "_"), "_")
}

// Prefix begins the name of each of its tools, as models call them.
func (c Connector) Prefix() string { return "mcp__" + c.Slug() + "__" }

var (
	manyUnderscores = regexp.MustCompile(`__+`)
	headerName      = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// ownHeaders are set by the protocol.
var ownHeaders = []string{"host", "content-length", "content-type", "accept", "connection", "transfer-encoding", "mcp-session-id", "mcp-protocol-version", "last-event-id"}

func (c Connector) check(v Invalid) {
	if n := utf8.RuneCountInString(c.Name); n == 0 || n > maxConnectorName || !isLine(c.Name) || c.Slug() == "" {
		v["name"] = fmt.Sprintf("Enter a name of up to %d characters, with a letter or a digit.", maxConnectorName)
	}
	switch {
	case len(c.Argv) > 0 && c.URL != "":
		v["url"] = "Enter a command or an address, not both."
	case c.URL != "":
		v.check("url", checkBaseURL(c.URL))
	default:
		v.check("command", TokenCommand{Argv: c.Argv, Env: c.Env}.problem())
	}
	if c.Dir != "" && (!filepath.IsAbs(c.Dir) || strings.Contains(c.Dir, "\x00")) {
		v["dir"] = "Enter the full path of a directory."
	}
	if c.Timeout != 0 && (c.Timeout < MinToolCall || c.Timeout > MaxToolCall) {
		v["timeout"] = "Enter a time from 1s to 1h."
	}
}

// checkHeaders looks at names and values. A value may name variables of the
// server as ${NAME}, which are filled in when it connects.
func checkHeaders(headers map[string]Secret, v Invalid) {
	if len(headers) > maxHeaders {
		v["headers"] = fmt.Sprintf("Up to %d headers are sent.", maxHeaders)
	}
	for name, value := range headers {
		switch text := value.Reveal(); {
		case !headerName.MatchString(name):
			v["headers"] = "A header is a name of letters, digits and hyphens, a colon and a value."
		case slices.Contains(ownHeaders, strings.ToLower(name)):
			v["headers"] = "The header " + name + " is set by the protocol."
		case text == "" || len(text) > maxHeader || strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e }):
			v["headers"] = "The value of a header is one line of plain characters."
		case strings.Contains(text, "${COUNTERSIGN_KEY"):
			v["headers"] = "The sealing key is for this server alone."
		}
	}
}

// A ToolVerb is what an admin says of a tool of a connector.
type ToolVerb string

const (
	ToolByHint  ToolVerb = ""       // its server says whether it only reads
	ToolAsk     ToolVerb = "ask"    // waits for a person, whatever its server says
	ToolNever   ToolVerb = "never"  // runs without a card
	ToolRepeat  ToolVerb = "repeat" // runs without a card, and again after it was cut off
	ToolBlocked ToolVerb = "blocked"
)

// ToolVerbs lists every verb.
var ToolVerbs = []ToolVerb{ToolByHint, ToolAsk, ToolNever, ToolRepeat, ToolBlocked}

// A ToolDeclaration is what a server says of one of its tools.
type ToolDeclaration struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema"` // JSON of an object
	ReadOnly    bool   `json:"read_only,omitempty"`
	Destructive *bool  `json:"destructive,omitempty"`
	Idempotent  bool   `json:"idempotent,omitempty"`
	OpenWorld   *bool  `json:"open_world,omitempty"`
}

// A ConnectorTool is a tool of a connector as it was last listed.
type ConnectorTool struct {
	Name     string // as its server calls it
	Verb     ToolVerb
	Declared ToolDeclaration
	// Accepted is the declaration that an admin accepted, or the first one.
	Accepted ToolDeclaration
	changed  bool
}

// Changed reports whether the tool is not what was accepted. It asks then,
// whatever else is said of it.
func (t ConnectorTool) Changed() bool { return t.changed }

// Asks reports whether a call waits for a person, as far as the connector has a
// say in it.
func (t ConnectorTool) Asks() bool {
	switch {
	case t.changed || t.Verb == ToolAsk:
		return true
	case t.Verb == ToolNever, t.Verb == ToolRepeat:
		return false
	}
	return !t.Declared.ReadOnly
}

// errOfConnector is what a store says when the database refuses a name.
var errConnectorName = Invalid{"name": "There is a connector of this name, or one that tools would take for it."}
