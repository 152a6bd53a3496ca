package views

import (
	"time"

	"countersign/agent"
)

// Page is what every page of a signed-in person needs.
type Page struct {
	Title   string
	User    User
	Section Section
	Theme   Theme
	// Rows are the person's conversations, newest first. Settings pages show
	// none.
	Rows []NavRow
	// Older is the cursor of the conversations after those, "" when there are
	// none.
	Older string
	// Needs counts the conversations that wait for the person.
	Needs int
	Flash *Notice // shown above the page, nil when there is nothing to say
	Now   time.Time
	// Narrow keeps a page that is mostly a form to the width of one.
	Narrow bool
}

// User is the signed-in person.
type User struct {
	Name  string
	Admin bool
}

// Section is the part of the program that a page belongs to.
type Section string

const (
	SectionNew          Section = "new" // a new conversation
	SectionConversation Section = "conversation"
	SectionInbox        Section = "inbox"
	SectionList         Section = "list" // of conversations
	SectionArchive      Section = "archive"
	SectionProviders    Section = "providers"
	SectionAgents       Section = "agents"
	SectionConnectors   Section = "connectors"
	SectionPolicy       Section = "policy"
	SectionPeople       Section = "people"
	SectionUsage        Section = "usage"
	SectionServer       Section = "server"
	SectionKeys         Section = "keys"
	SectionAccount      Section = "account"
)

// Settings reports whether the sidebar lists settings instead of
// conversations.
func (s Section) Settings() bool {
	switch s {
	case SectionProviders, SectionAgents, SectionConnectors, SectionPolicy, SectionPeople, SectionUsage, SectionServer, SectionKeys:
		return true
	}
	return false
}

// Theme is a person's choice of colours. Browsers keep it in the cookie named
// [ThemeCookie], so that the first paint is right.
type Theme string

const (
	ThemeSystem Theme = ""
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// ThemeCookie is the name of the cookie that static/js/theme.js writes.
const ThemeCookie = "theme"

// ThemeOf reads the value of the cookie. Anything unknown is [ThemeSystem].
func ThemeOf(value string) Theme {
	if t := Theme(value); t == ThemeLight || t == ThemeDark {
		return t
	}
	return ThemeSystem
}

// A NavRow is a conversation in the sidebar.
type NavRow struct {
	ID        agent.ConversationID
	Title     string // "" until it has one
	Status    agent.RunStatus
	UpdatedAt time.Time
	Current   bool
}

// A Notice tells a person what happened. Both texts are plain.
type Notice struct {
	Tone  Tone
	Title string
	Text  string
}

// Tone is how a notice, status or tag looks.
type Tone string

const (
	ToneNote Tone = "" // plain information
	ToneOK   Tone = "ok"
	ToneAttn Tone = "attn" // somebody has to look at this
	ToneBad  Tone = "bad"  // something failed
)

func (t Tone) icon() string {
	switch t {
	case ToneOK:
		return "check"
	case ToneAttn, ToneBad:
		return "alert"
	}
	return "info"
}

// class returns base, and base--tone where the tone is not plain.
func (t Tone) class(base string) string {
	if t == ToneNote {
		return base
	}
	return base + " " + base + "--" + string(t)
}
