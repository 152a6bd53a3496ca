package views

// servers are the page of what is set for the whole server.
func (m *maker) servers() []Sample {
	page := m.page("Server", SectionServer)
	page.Narrow = true
	fresh := ServerForm{Page: page}
	set := ServerForm{
		Page: page, KeepDays: m.say("90"), Unused: 2,
		PerPerson: m.say("2"), PerProvider: m.say("many"), Queue: m.say("5"), ToolCall: m.say("90s"),
		Errors: map[string]string{"runs_per_provider": m.say("Enter a whole number from 1 to 10000.")},
	}
	return []Sample{
		{Component: "page", State: "server", Frame: "page", HTML: Server(fresh)},
		{Component: "page", State: "server_wrong", Frame: "page", HTML: Server(set)},
	}
}
