package models

import (
	"encoding/json"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
)

// A readModel is what follows from some records of a conversation, in order:
// the head after them, and the rows that they change. What a run is comes from
// [agent.Head.Apply] alone.
type readModel struct {
	id           agent.ConversationID
	head         agent.Head
	runs         []runChange
	interactions []interactionRow // the last one of an id counts
	rewinds      []agent.Record
	usage        []usageRow
	attached     []agent.Attachment
}

// A runChange is where a run stands; begun says that its first record is among
// those applied.
type runChange struct {
	runRow
	begun bool
}

// loadReadModel returns the state that a batch adds to, if it still is at the
// batch's place.
func loadReadModel(tx *gorm.DB, b agent.Batch) (*readModel, error) {
	m := &readModel{id: b.Conversation}
	var rows []conversationRow
	if err := tx.Select("last_seq", "head", "deleted").Limit(1).Find(&rows, "id = ?", b.Conversation).Error; err != nil {
		return nil, err
	}
	creates := b.Entries[0].Event.Kind() == (agent.ConversationCreated{}).Kind()
	switch {
	case len(rows) == 0 && b.After == 0 && creates:
		return m, nil
	case len(rows) == 0 && b.After == 0, len(rows) > 0 && rows[0].Deleted:
		return nil, ErrNotFound
	case len(rows) == 0 || rows[0].LastSeq != b.After:
		return nil, agent.ErrConflict
	}
	var err error
	m.head, err = rows[0].head()
	return m, err
}

// apply takes the next record.
func (m *readModel) apply(r agent.Record) {
	before := m.head.Run
	m.head.Apply(r)
	switch e := r.Event.(type) {
	case agent.Rewound:
		m.rewinds = append(m.rewinds, r)
	case agent.UserMessage:
		m.attached = append(m.attached, e.Attachments...)
	case agent.MessageQueued:
		m.attached = append(m.attached, e.Attachments...)
	case agent.ModelUsage:
		m.usage = append(m.usage, newUsageRow(m.id, m.head.Owner, r, e))
	}
	run := m.head.Run
	if run == nil || run.ID != r.Run {
		return
	}
	if before == nil || before.FirstSeq != run.FirstSeq {
		before = &agent.RunHead{}
	}
	if before.FirstSeq == 0 || before.Status != run.Status || before.Epoch != run.Epoch {
		m.applyRun(r, run)
	}
	m.applyInteractions(before.Open, run)
}

func (m *readModel) applyRun(r agent.Record, run *agent.RunHead) {
	i := slices.IndexFunc(m.runs, func(c runChange) bool { return c.FirstSeq == run.FirstSeq })
	if i < 0 {
		i = len(m.runs)
		m.runs = append(m.runs, runChange{runRow: runRow{ID: run.ID, Conversation: m.id, FirstSeq: run.FirstSeq}})
	}
	c := &m.runs[i]
	if run.FirstSeq == r.Seq {
		c.begun, c.CreatedAt = true, stampOf(r.At)
	}
	c.Status, c.Epoch = run.Status, run.Epoch
	if run.Status.Terminal() {
		c.FinishedAt = stampOf(r.At)
	}
}

func (m *readModel) applyInteractions(before []agent.Interaction, run *agent.RunHead) {
	for _, i := range run.Open {
		if !slices.Contains(before, i) || run.Status.Terminal() {
			m.interactions = append(m.interactions, m.interaction(i, run, !run.Status.Terminal()))
		}
	}
	for _, i := range before {
		if !slices.Contains(run.Open, i) {
			m.interactions = append(m.interactions, m.interaction(i, run, false))
		}
	}
}

func (m *readModel) interaction(i agent.Interaction, run *agent.RunHead, open bool) interactionRow {
	return interactionRow{ID: i.ID, Conversation: m.id, Run: run.ID, Kind: i.Kind, ExpiresAt: stampOf(i.ExpiresAt), Open: open}
}

func (m *readModel) conversation() (conversationRow, error) {
	head, err := json.Marshal(m.head)
	if err != nil {
		return conversationRow{}, err
	}
	row := conversationRow{
		ID: m.id, Owner: m.head.Owner, Agent: m.head.Agent, Title: m.head.Title, LastSeq: m.head.Seq, Head: head,
		Archived: m.head.Archived, Queued: len(m.head.Queue), Grants: len(m.head.Grants), CreatedAt: stampOf(m.head.CreatedAt), UpdatedAt: stampOf(m.head.UpdatedAt),
	}
	if m.head.Run != nil {
		row.RunStatus, row.NeedsYou = m.head.Run.Status, m.head.Run.Status.Waiting()
	}
	return row, nil
}

// claim moves the conversation from a place to the head's. Whoever comes
// second finds no row to change.
func (m *readModel) claim(tx *gorm.DB, from agent.Seq) error {
	row, err := m.conversation()
	if err != nil {
		return err
	}
	if from == 0 {
		tx = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	} else {
		tx = tx.Model(&conversationRow{}).Where("id = ? AND last_seq = ?", m.id, from).Select("*").Omit("id").Updates(row)
	}
	if tx.Error == nil && tx.RowsAffected == 0 {
		return agent.ErrConflict
	}
	return tx.Error
}

// write stores the rows that changed, but for the conversation's own.
func (m *readModel) write(tx *gorm.DB) error {
	for _, c := range m.runs {
		if err := c.write(tx); err != nil {
			return err
		}
	}
	for _, i := range m.interactions {
		if err := tx.Clauses(upsert("conversation", "id")).Create(&i).Error; err != nil {
			return err
		}
	}
	if err := attach(tx, m.id, m.head.Owner, m.attached); err != nil {
		return err
	}
	if err := writeUsage(tx, m.usage); err != nil {
		return err
	}
	for _, r := range m.rewinds {
		if err := forget(tx, m.id, r.Event.(agent.Rewound).To, r.Seq); err != nil {
			return err
		}
	}
	return nil
}

func (c runChange) write(tx *gorm.DB) error {
	if c.begun {
		return tx.Clauses(upsert("conversation", "id")).Create(&c.runRow).Error
	}
	return tx.Model(&runRow{}).Where("conversation = ? AND id = ?", c.Conversation, c.ID).
		Select("status", "epoch", "finished_at").Updates(c.runRow).Error
}

// forget marks what lies between two places as rewound.
func forget(tx *gorm.DB, id agent.ConversationID, after, before agent.Seq) error {
	err := tx.Model(&runRow{}).Where("conversation = ? AND first_seq > ? AND first_seq < ?", id, after, before).
		Update("rewound", true).Error
	if err != nil {
		return err
	}
	err = tx.Model(&interactionRow{}).
		Where("conversation = ? AND open = 1 AND run IN (SELECT id FROM runs WHERE conversation = ? AND rewound = 1)", id, id).
		Update("open", false).Error
	if err != nil {
		return err
	}
	return tx.Model(&outputRow{}).Where("conversation = ? AND seq > ? AND seq < ?", id, after, before).
		Update("rewound", true).Error
}

// replace stores a read model that was made from all records in place of what
// is stored.
func (m *readModel) replace(tx *gorm.DB) error {
	row, err := m.conversation()
	if err != nil {
		return err
	}
	if err := tx.Delete(&runRow{}, "conversation = ?", m.id).Error; err != nil {
		return err
	}
	if err := tx.Delete(&interactionRow{}, "conversation = ?", m.id).Error; err != nil {
		return err
	}
	if err := tx.Delete(&usageRow{}, "conversation = ?", m.id).Error; err != nil {
		return err
	}
	err = tx.Model(&outputRow{}).Where("conversation = ?", m.id).Update("rewound", false).Error
	if err != nil {
		return err
	}
	err = tx.Model(&conversationRow{}).Where("id = ?", m.id).Select("*").Omit("id").Updates(row).Error
	if err != nil {
		return err
	}
	return m.write(tx)
}
