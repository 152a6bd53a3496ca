package views

// keys are the pages of API keys.
func (m *maker) keys() []Sample {
	page := m.page("API keys", SectionKeys)
	narrow := page
	narrow.Narrow = true
	member := page
	member.User.Admin = false
	intake := KeyRow{ID: "k_1", Name: m.say("Intake form"), Prefix: "cba_7Qm2b8", Scopes: []string{"read", "run"}, CreatedAt: m.now, ExpiresAt: m.now.AddDate(0, 1, 0)}
	night := KeyRow{
		ID: "k_2", Name: m.say("Night shift"), Prefix: "cba_b81Kxx", Scopes: []string{"read", "decide", "admin"}, Person: m.say("Ines Okafor"),
		CreatedAt: sampleTime.AddDate(0, -2, 0), UsedAt: sampleTime.AddDate(0, 0, -1), ExpiresAt: sampleTime,
	}
	wrong := map[string]string{"name": m.say("Enter a name."), "scopes": m.say("Choose what the key may do."), "expires": "Choose a day to come."}
	sample := func(state string, html Sample) Sample {
		html.Component, html.State, html.Frame = "page", state, "page"
		return html
	}
	return []Sample{
		sample("keys", Sample{HTML: Keys(KeysProps{Page: page, Keys: []KeyRow{intake, night}})}),
		sample("keys_none", Sample{HTML: Keys(KeysProps{Page: member})}),
		sample("key_new", Sample{HTML: NewKey(KeyForm{Page: narrow, Scopes: []string{"read"}, Days: "90"})}),
		sample("key_new_wrong", Sample{HTML: NewKey(KeyForm{Page: narrow, Name: m.say("x"), Errors: wrong})}),
		sample("key_created", Sample{HTML: CreatedKey(CreatedKeyProps{Page: narrow, Name: m.say("Intake form"), Token: m.say("cba_7Qm2b8")})}),
		sample("reference", Sample{HTML: Reference(ReferenceProps{
			Page: page, Document: "/v2/openapi.json", Example: m.say("for await (const event of events(url, key, run)) {}"),
			Operations: []ReferenceOperation{{
				Method: "POST", Path: "/v2/runs/{run}/answer", Summary: m.say("Answer the questions that a run waits with"), Scope: "run", Idempotent: true,
				Query:   []ReferenceField{{Name: "after", Kind: "integer", About: m.say("The newest id."), Optional: true}},
				Body:    []ReferenceField{{Name: "answers", Kind: "list of Answer", About: m.say("Questions without one are skipped.")}},
				Answers: []ReferenceAnswer{{Status: 200, About: m.say("It is answered."), Object: "Run"}}, Errors: []string{"run_not_found"},
			}},
			Frames:  []ReferenceObject{{Name: "token", Fields: []ReferenceField{{Name: "delta", Kind: "string"}}}},
			Objects: []ReferenceObject{{Name: "Run", Fields: []ReferenceField{{Name: "id", Kind: "string"}}}},
		})}),
		sample("key_revoke", Sample{HTML: Revocation(RevocationProps{Page: narrow, Key: intake})}),
	}
}
