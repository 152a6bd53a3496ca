package views

import "time"

// housekeeping is what happens to conversations as a whole.
func (m *maker) housekeeping() []Sample {
	title := m.say("Why did the nightly export fail?")
	page := func(title string, section Section) Page {
		p := m.page(title, section)
		p.Narrow, p.Older = true, "1767225600000000000.c_9"
		return p
	}
	deletion := DeletionProps{Page: page("Delete a conversation", SectionConversation), ID: "c_sample", Title: title, Messages: 3, Notes: 1, Busy: true}
	idle := deletion
	idle.Title, idle.Messages, idle.Notes, idle.Busy = "", 1, 0, false
	list := ConversationsProps{Page: page("Conversations", SectionList), Older: "1767225600000000000.c_9"}
	list.List = list.Page.Rows
	archived := ConversationsProps{
		Page: page("Archived conversations", SectionArchive), Archived: true, KeepDays: 90,
		List: []NavRow{{ID: "c_6", Title: title, Status: "succeeded", UpdatedAt: m.now.Add(-48 * time.Hour)}},
	}
	return []Sample{
		{Component: "rename", State: "title", HTML: RenameForm("c_sample", title)},
		{Component: "archive", State: "listed", HTML: ArchiveForm("c_sample", false)},
		{Component: "archive", State: "archived", HTML: ArchiveForm("c_sample", true)},
		{Component: "page", State: "delete", Frame: "page", HTML: Deletion(deletion)},
		{Component: "page", State: "delete_idle", Frame: "page", HTML: Deletion(idle)},
		{Component: "page", State: "conversations", Frame: "page", HTML: Conversations(list)},
		{Component: "page", State: "conversations_none", Frame: "page", HTML: Conversations(ConversationsProps{Page: page("Conversations", SectionList)})},
		{Component: "page", State: "archived", Frame: "page", HTML: Conversations(archived)},
		{Component: "page", State: "archived_none", Frame: "page", HTML: Conversations(ConversationsProps{Page: page("Archived conversations", SectionArchive), Archived: true})},
	}
}
