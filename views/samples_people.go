package views

import (
	"time"

	"countersign/agent"
)

// people are the pages of accounts and of those who have one.
func (m *maker) people() []Sample {
	page := func(title string, section Section, narrow bool) Page {
		p := m.page(title, section)
		p.Narrow = narrow
		return p
	}
	dana := PersonRow{ID: "u_dana", Name: m.say("Dana Ruiz"), Email: m.say("dana@harbour.example"), Role: RoleAdmin, Self: true, JoinedAt: sampleTime, SeenAt: m.now}
	ines := PersonRow{ID: "u_ines", Name: m.say("Ines Okafor"), Email: m.say("ines@harbour.example"), Role: RoleMember, JoinedAt: sampleTime, SeenAt: m.now.AddDate(0, 0, -1)}
	tom := PersonRow{ID: "u_tom", Name: m.say("Tom Whitfield"), Email: m.say("tom@harbour.example"), Role: RoleMember, Disabled: true, JoinedAt: sampleTime.AddDate(0, -1, 0)}
	list := PeopleProps{
		Page: page("People", SectionPeople, false), People: []PersonRow{dana, ines, tom},
		Invited: []InvitationRow{{ID: "v_1", Email: m.say("lea@harbour.example"), Role: RoleMember, InvitedAt: sampleTime.AddDate(0, 0, -2), ExpiresAt: sampleTime.AddDate(0, 0, 5)}},
	}
	person := func(row PersonRow, last bool) Sample {
		return Sample{Component: "page", State: "person_" + string(row.ID)[2:], Frame: "page", HTML: Person(PersonProps{Page: page("Person", SectionPeople, true), Person: row, Last: last})}
	}
	form := page("Invite somebody", SectionPeople, true)
	wrong := InviteForm{Page: form, Email: m.say("lea"), Name: m.say("Lea"), Role: RoleAdmin, Errors: map[string]string{
		"email": m.say("This email address is taken."), "name": m.say("Enter a name."), "role": "Choose a role.",
	}}
	account := AccountProps{
		Page: page("Your account", SectionAccount, true), Email: m.say("dana@harbour.example"), Name: m.say("Dana Ruiz"), MinPassword: 12, Usage: m.used(), UsageDays: 30,
		Browsers: []BrowserRow{
			{ID: "s_1", Browser: m.say("Firefox on Linux"), Since: sampleTime.AddDate(0, 0, -9), UsedAt: m.now, Current: true},
			{ID: "s_2", Browser: m.say("Safari on iPhone"), Since: sampleTime, UsedAt: sampleTime.Add(-time.Hour)},
		},
		Grants: []GrantRow{
			{Conversation: "c_1", Title: m.say("Reorder filters"), Grant: agent.Grant{GrantCreated: agent.GrantCreated{Grant: "n_1", Tool: m.say("notes_write")}, At: sampleTime, UsedAt: sampleTime.Add(time.Hour)}},
			{Conversation: "c_2", Grant: agent.Grant{GrantCreated: agent.GrantCreated{Grant: "n_2", Tool: "notes_delete"}, At: sampleTime.AddDate(0, 0, -3)}},
		},
		MoreGrants: true,
	}
	refused := account
	refused.Browsers, refused.Grants, refused.MoreGrants = account.Browsers[:1], nil, false
	refused.Errors = map[string]string{"name": m.say("Enter a name."), "current": m.say("This is not it."), "password": m.say("Use at least 12 characters.")}
	typed := InvitationProps{Token: m.say("T1"), Email: m.say("lea@harbour.example"), Name: m.say("Lea"), MinPassword: 12, Errors: map[string]string{
		"email": m.say("This email address is taken."), "name": m.say("Enter a name."), "password": m.say("Use at least 12 characters."),
	}}
	return []Sample{
		{Component: "page", State: "person_disable", Frame: "page", HTML: Disabling(DisablingProps{Page: page("Disable a person", SectionPeople, true), Person: ines, Runs: 2})},
		{Component: "page", State: "people", Frame: "page", HTML: People(list)},
		person(dana, true), person(ines, false), person(tom, false),
		{Component: "page", State: "invite", Frame: "page", HTML: Invite(InviteForm{Page: form, Role: RoleMember})},
		{Component: "page", State: "invite_wrong", Frame: "page", HTML: Invite(wrong)},
		{Component: "page", State: "invited", Frame: "page", HTML: Invited(InvitedProps{Page: form, Email: m.say("lea@harbour.example"), Link: m.say("https://agents.harbour.example/invite?token=YJKBF2Y7OA4J"), Expires: sampleTime.AddDate(0, 0, 7)})},
		{Component: "page", State: "account", Frame: "page", HTML: Account(account)},
		{Component: "page", State: "account_wrong", Frame: "page", HTML: Account(refused)},
		{Component: "page", State: "invitation", Frame: "page", HTML: Invitation(InvitationProps{Token: m.say("T1"), Email: m.say("lea@harbour.example"), MinPassword: 12})},
		{Component: "page", State: "invitation_wrong", Frame: "page", HTML: Invitation(typed)},
	}
}
