package models

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/agent"
)

// Conversations lists conversations and their runs for people. What it tells
// follows from the journal; writing is done there.
type Conversations struct{ db *DB }

// Conversations returns the lists of conversations.
func (db *DB) Conversations() Conversations { return Conversations{db} }

// A Conversation is an entry in a person's list.
type Conversation struct {
	ID        agent.ConversationID
	Title     string // "" until it has one
	UpdatedAt time.Time
	Status    agent.RunStatus // of the newest run
	NeedsYou  bool            // the newest run waits for a person
	Archived  bool
}

func (r conversationRow) conversation() Conversation {
	return Conversation{r.ID, r.Title, r.UpdatedAt.time(), r.RunStatus, r.NeedsYou, r.Archived}
}

// listed are the columns of a list; the head may be large.
var listed = []string{"id", "title", "updated_at", "run_status", "needs_you", "archived"}

// List returns a page of a person's conversations without those in the
// archive, the one that changed last first. The cursor of the first page is "";
// that of the next page is returned, "" after the last one. A cursor that is
// not one of ours is an [*agent.InputError].
func (s Conversations) List(ctx context.Context, owner agent.UserID, cursor string, limit int) (page []Conversation, next string, err error) {
	return s.list(ctx, owner, false, cursor, limit)
}

// Archive is List for those in the archive.
func (s Conversations) Archive(ctx context.Context, owner agent.UserID, cursor string, limit int) (page []Conversation, next string, err error) {
	return s.list(ctx, owner, true, cursor, limit)
}

func (s Conversations) list(ctx context.Context, owner agent.UserID, archived bool, cursor string, limit int) (page []Conversation, next string, err error) {
	q := s.db.read(ctx).Select(listed).Where("owner = ? AND archived = ?", owner, archived)
	if cursor != "" {
		at, id, ok := readCursor(cursor)
		if !ok {
			return nil, "", &agent.InputError{Message: "That part of the list does not exist."}
		}
		q = q.Where("(updated_at, id) < (?, ?)", at, id)
	}
	var rows []conversationRow
	if err := q.Order("updated_at DESC, id DESC").Limit(limit + 1).Find(&rows).Error; err != nil {
		return nil, "", failed(ctx, "list conversations", err)
	}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		next = fmt.Sprintf("%d.%s", last.UpdatedAt, last.ID)
	}
	page = make([]Conversation, len(rows))
	for i, r := range rows {
		page[i] = r.conversation()
	}
	return page, next, nil
}

func readCursor(cursor string) (stamp, agent.ConversationID, bool) {
	at, id, ok := strings.Cut(cursor, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	return stamp(n), agent.ConversationID(id), ok && err == nil
}

// Owned returns a conversation of a person. One that belongs to somebody else
// is [ErrNotFound], as one that does not exist.
func (s Conversations) Owned(ctx context.Context, id agent.ConversationID, owner agent.UserID) (Conversation, error) {
	var row conversationRow
	err := s.db.read(ctx).Select(listed).Take(&row, "id = ? AND owner = ?", id, owner).Error
	return row.conversation(), failed(ctx, "read conversation", err)
}

// NeedsYou counts the conversations of a person that wait for a person.
func (s Conversations) NeedsYou(ctx context.Context, owner agent.UserID) (int, error) {
	var n int64
	err := s.db.read(ctx).Model(&conversationRow{}).Where("owner = ? AND needs_you = 1", owner).Count(&n).Error
	return int(n), failed(ctx, "count conversations", err)
}

// A Waiting is an open interaction in one of a person's conversations.
type Waiting struct {
	Conversation agent.ConversationID
	Title        string
	Run          agent.RunID
	Interaction  agent.InteractionID
	ExpiresAt    time.Time // zero if it does not expire
}

// Waiting lists what waits for a person, the soonest to expire first, in no
// more than limit.
func (s Conversations) Waiting(ctx context.Context, owner agent.UserID, limit int) ([]Waiting, error) {
	var rows []struct {
		Conversation agent.ConversationID
		Title        string
		Run          agent.RunID
		ID           agent.InteractionID
		ExpiresAt    stamp
	}
	err := s.db.read(ctx).Table("conversations AS c").
		Select("c.id AS conversation, c.title, i.run, i.id, i.expires_at").
		Joins("JOIN interactions AS i ON i.conversation = c.id AND i.open = 1").
		Where("c.owner = ? AND c.needs_you = 1", owner).
		Order("i.expires_at = 0, i.expires_at, i.id").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, failed(ctx, "list what waits", err)
	}
	list := make([]Waiting, len(rows))
	for i, r := range rows {
		list[i] = Waiting{r.Conversation, r.Title, r.Run, r.ID, r.ExpiresAt.time()}
	}
	return list, nil
}

// A Run is an entry in a conversation's list of runs.
type Run struct {
	ID       agent.RunID
	FirstSeq agent.Seq // of its user message
	Status   agent.RunStatus
}

// Runs returns the newest runs of a conversation that began before a place, in
// no more than limit, newest first. Zero is the end of the journal. Runs that
// were rewound are left out.
func (s Conversations) Runs(ctx context.Context, id agent.ConversationID, before agent.Seq, limit int) ([]Run, error) {
	q := s.db.read(ctx).Select("id", "first_seq", "status").Where("conversation = ? AND rewound = 0", id)
	if before > 0 {
		q = q.Where("first_seq < ?", before)
	}
	var rows []runRow
	if err := q.Order("first_seq DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list runs", err)
	}
	runs := make([]Run, len(rows))
	for i, r := range rows {
		runs[i] = Run{r.ID, r.FirstSeq, r.Status}
	}
	return runs, nil
}

// Find returns where a run is, or [ErrNotFound].
func (s Conversations) Find(ctx context.Context, run agent.RunID) (agent.RunRef, error) {
	var row runRow
	err := s.db.read(ctx).Select("id", "conversation").Take(&row, "id = ?", run).Error
	return agent.RunRef{Conversation: row.Conversation, Run: row.ID}, failed(ctx, "find run", err)
}

// FindQueued returns the message of a person that waits to start a run, with
// its conversation, or [ErrNotFound].
func (s Conversations) FindQueued(ctx context.Context, owner agent.UserID, run agent.RunID) (agent.ConversationID, agent.QueuedMessage, error) {
	var rows []conversationRow
	err := s.db.read(ctx).Select("id", "head").Find(&rows, "owner = ? AND queued > 0", owner).Error
	if err != nil {
		return "", agent.QueuedMessage{}, failed(ctx, "find queued run", err)
	}
	for _, r := range rows {
		head, err := r.head()
		if err != nil {
			return "", agent.QueuedMessage{}, err
		}
		for _, q := range head.Queue {
			if agent.RunFor(r.ID, q.Message) == run {
				return r.ID, q, nil
			}
		}
	}
	return "", agent.QueuedMessage{}, ErrNotFound
}

// A Granted is a conversation that has standing permissions.
type Granted struct {
	ID     agent.ConversationID
	Title  string
	Grants []agent.Grant
}

// Granted returns the conversations of a person that have standing permissions,
// the one that changed last first.
func (s Conversations) Granted(ctx context.Context, owner agent.UserID, limit int) ([]Granted, error) {
	var rows []conversationRow
	err := s.db.read(ctx).Select("id", "title", "head").Order("updated_at DESC, id").Limit(limit).
		Find(&rows, "owner = ? AND grants > 0", owner).Error
	if err != nil {
		return nil, failed(ctx, "list grants", err)
	}
	list := make([]Granted, len(rows))
	for i, r := range rows {
		head, err := r.head()
		if err != nil {
			return nil, err
		}
		list[i] = Granted{r.ID, r.Title, head.Grants}
	}
	return list, nil
}

// UnfinishedOf returns the runs in the conversations of a person and of their
// end users that are not over, also those that wait for somebody, oldest first.
func (s Conversations) UnfinishedOf(ctx context.Context, owner agent.UserID) ([]agent.RunRef, error) {
	var rows []runRow
	err := s.db.read(ctx).Select("conversation", "id").
		Where("conversation IN (SELECT id FROM conversations WHERE owner = ? OR owner IN (SELECT id FROM end_users WHERE host = ?))", owner, owner).
		Where("rewound = 0 AND status IN ?", unfinished).
		Order("created_at, id").Find(&rows).Error
	if err != nil {
		return nil, failed(ctx, "list unfinished runs", err)
	}
	return refs(rows), nil
}

// unfinished is where a run stands that is not over.
var unfinished = []agent.RunStatus{
	agent.StatusPending, agent.StatusRunning, agent.StatusWaitingApproval, agent.StatusWaitingInput,
}

// CountByProvider counts the conversations that were begun with a provider.
func (s Conversations) CountByProvider(ctx context.Context, provider string) (int, error) {
	var n int64
	err := s.db.read(ctx).Model(&conversationRow{}).
		Where("deleted = 0 AND json_extract(CAST(head AS TEXT), '$.model.provider') = ?", provider).Count(&n).Error
	return int(n), failed(ctx, "count conversations of a provider", err)
}
