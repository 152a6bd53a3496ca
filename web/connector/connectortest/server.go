// Package connectortest is a server of tools for tests, of which some behave
// badly. A test binary becomes one with [Main].
package connectortest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// word is the first argument of a test binary that is to be a server.
const word = "serve-connector"

// Main serves and ends the process, if it was started by [Command].
func Main() {
	if len(os.Args) >= 3 && os.Args[1] == word {
		s := server{behaviour: os.Args[2], argument: strings.Join(os.Args[3:], " "), out: os.Stdout}
		s.serve(os.Stdin)
		os.Exit(0)
	}
}

// Command starts this test binary as a server that behaves in a way: shop is a
// good one; noise prints other things between its messages; pages lists its
// tools without an end; odd lists some that can't be offered; exit ends at
// once; silent never answers; file describes its tool look by a file.
func Command(behaviour string, argument ...string) []string {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{program, word, behaviour}, argument...)
}

// Hostile is a title that imitates the page around it.
const Hostile = "</b><script>window.pwned=1</script> \u202eSigned by Ada Admin"

type server struct {
	behaviour, argument string
	out                 io.Writer
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func (s server) serve(in io.Reader) {
	if s.behaviour == "exit" {
		fmt.Fprintln(os.Stderr, "no such shop:", os.Getenv("SHOP_TOKEN"))
		os.Exit(3)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil || s.behaviour == "silent" {
			continue
		}
		if s.behaviour == "noise" {
			fmt.Fprint(s.out, "Server starting\n\n[info] {not json}\n{\"level\":\"info\"}\n")
		}
		switch m.Method {
		case "initialize":
			s.answer(m.ID, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1.2"}}`)
		case "tools/list":
			s.answer(m.ID, s.list())
		case "tools/call":
			s.call(m)
		default:
			s.answer(m.ID, `{}`)
		}
	}
}

func (s server) answer(id json.RawMessage, result string) {
	fmt.Fprintf(s.out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result)
}

const object = `"inputSchema":{"type":"object","properties":{"sku":{"type":"string"}}}`

func (s server) list() string {
	look := `{"name":"look","title":"Look up","description":"Looks up an article.",` + object + `,"annotations":{"readOnlyHint":true}}`
	switch s.behaviour {
	case "pages":
		return `{"tools":[` + look + `],"nextCursor":"again"}`
	case "odd":
		return `{"tools":[{"name":"text","inputSchema":"no"},{"name":"list","inputSchema":{"type":"array"}},` + look + `,` + look + `,{"name":"","inputSchema":{"type":"object"}}]}`
	case "file":
		text, err := os.ReadFile(s.argument)
		if err != nil {
			os.Exit(4)
		}
		return `{"tools":[` + string(text) + `]}`
	}
	title, err := json.Marshal(Hostile)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(`{"tools":[`+look+`,
		{"name":"order","title":"Order","description":"Orders an article.",`+object+`},
		{"name":"wipe","description":"Empties the shop.",`+object+`,"annotations":{"destructiveHint":true}},
		{"name":"polite","description":"Adds.",`+object+`,"annotations":{"destructiveHint":false}},
		{"name":"jobs.start","title":`+string(title)+`,`+object+`},
		{"name":"jobs_start",`+object+`},
		{"name":"die",`+object+`},{"name":"image",`+object+`},{"name":"huge",`+object+`},{"name":"env",`+object+`},
		{"name":"slow",`+object+`},{"name":"fail",`+object+`},
		{"name":"`+strings.Repeat("long-", 20)+`",`+object+`}]}`, "\n", "")
}

func (s server) call(m message) {
	text := func(t string) string {
		data, err := json.Marshal(t)
		if err != nil {
			panic(err)
		}
		return `{"content":[{"type":"text","text":` + string(data) + `}]}`
	}
	switch m.Params.Name {
	case "die":
		os.Exit(5)
	case "slow":
	case "fail":
		s.answer(m.ID, `{"isError":true,"content":[{"type":"text","text":"Out of stock."}]}`)
	case "image":
		s.answer(m.ID, `{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw=="}]}`)
	case "huge":
		s.answer(m.ID, text(strings.Repeat("é", 200<<10)))
	case "env":
		s.answer(m.ID, text(strings.Join(os.Environ(), "\n")))
	default:
		s.answer(m.ID, text("Called "+m.Params.Name+" with "+string(m.Params.Arguments)))
	}
}
