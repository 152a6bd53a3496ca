package views

import "time"

// connectors are the pages of connectors.
func (m *maker) connectors() []Sample {
	page := m.page("Connectors", SectionConnectors)
	form := page
	form.Narrow = true
	up := ConnectorState{Tone: ToneOK, Text: "Connected", Since: sampleTime, Server: m.say("shop 1.2")}
	down := ConnectorState{
		Tone: ToneBad, Text: "Not connected", Since: sampleTime, Next: sampleTime.Add(time.Minute),
		Error: "The connection ended.", Stderr: m.say("no such shop"),
	}
	review := ConnectorState{Tone: ToneAttn, Text: "Review its tools", Since: sampleTime, Notes: []string{m.say("A tool is left out.")}}
	rows := []ConnectorRow{
		{ID: "o_1", Name: m.say("Shop"), Address: m.say("https://shop.example/mcp"), Tools: 6, ReadOnly: 3, State: up},
		{ID: "o_2", Name: m.say("Mailer"), Address: m.say("stdio: mailer"), Tools: 2, State: up},
		{ID: "o_3", Name: m.say("Supply desk"), Address: m.say("https://supply.example/mcp"), Tools: 5, ReadOnly: 1, Changed: 2, State: review},
		{ID: "o_4", Name: m.say("Board"), Address: m.say("https://board.example/mcp"), State: down},
		{ID: "o_5", Name: m.say("Old"), Address: m.say("stdio: old"), State: ConnectorState{Tone: ToneNote, Text: "Off"}},
	}
	saved := ConnectorForm{
		Page: form, ID: "o_1", Heading: m.say("Shop"), Name: m.say("Shop"), Kind: "http", URL: m.say("https://shop.example/mcp"), Timeout: m.say("30s"),
		Headers: []string{m.say("Authorization")}, On: true, State: review,
		Tools: []ConnectorTool{
			{
				Name: m.say("look"), Model: m.say("mcp__Shop__look"), Title: m.say("Look up"), About: m.say("Looks up an article."),
				Hints: []string{"Says that it only reads"}, Changed: true, Seen: "abc",
				Differences: []ToolDifference{{Part: "Description", Before: m.say("Looks."), After: m.say("Looks up an article.")}},
			},
			{Name: m.say("wipe"), Model: m.say("mcp__Shop__wipe"), Hints: []string{"May write", "says that it destroys"}, Verb: "blocked"},
		},
	}
	fresh := ConnectorForm{Page: form, Heading: "New connector", Kind: "stdio", On: true}
	mistaken := ConnectorForm{
		Page: form, ID: "o_4", Heading: m.say("Board"), Name: m.say("Board"), Kind: "stdio", Command: m.say("board"), Dir: m.say("there"), Env: m.say("A B"),
		On: true, State: down, Errors: map[string]string{},
	}
	for _, field := range []string{"name", "command", "dir", "env", "url", "headers", "timeout"} {
		mistaken.Errors[field] = m.say("Not like this.")
	}
	return []Sample{
		{Component: "page", State: "connectors", Frame: "page", HTML: Connectors(ConnectorsProps{Page: page, Rows: rows})},
		{Component: "page", State: "connectors_none", Frame: "page", HTML: Connectors(ConnectorsProps{Page: page})},
		{Component: "page", State: "connector_new", Frame: "page", HTML: Connector(fresh)},
		{Component: "page", State: "connector", Frame: "page", HTML: Connector(saved)},
		{Component: "page", State: "connector_wrong", Frame: "page", HTML: Connector(mistaken)},
		{Component: "page", State: "connector_remove", Frame: "page", HTML: ConnectorRemoval(ConnectorRemovalProps{Page: form, ID: "o_1", Name: m.say("Shop")})},
	}
}
