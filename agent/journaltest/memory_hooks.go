package journaltest

import (
	"context"
	"slices"

	"countersign/agent"
)

// Records returns all records of a conversation, none for one that does not
// exist. It panics on a record that can't be read.
func (m *Memory) Records(id agent.ConversationID) []agent.Record {
	var list []agent.Record
	for r, err := range m.Read(context.Background(), id, 0) {
		if err != nil {
			panic(err)
		}
		list = append(list, r)
	}
	return list
}

// Outputs returns what the attempts of a conversation left, in the order in
// which it was appended.
func (m *Memory) Outputs(id agent.ConversationID) []agent.Output {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.conversations[id]
	if c == nil {
		return nil
	}
	list := make([]agent.Output, len(c.outputs))
	for i, o := range c.outputs {
		list[i] = copyOutput(o.Output)
	}
	return list
}

// Appends returns the last sequence number of every append to a conversation:
// the places at which a server that is killed can leave it.
func (m *Memory) Appends(id agent.ConversationID) []agent.Seq {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.conversations[id]; c != nil {
		return slices.Clone(c.appends)
	}
	return nil
}

// Prefix returns a copy of the journal in which the conversation has nothing
// after seq. With seq zero the conversation does not exist.
func (m *Memory) Prefix(id agent.ConversationID, seq agent.Seq) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	clone := NewMemory()
	for other, c := range m.conversations {
		last := c.head.Seq
		if other == id {
			last = min(last, seq)
		}
		if last > 0 {
			clone.conversations[other] = c.prefix(other, last)
		}
	}
	return clone
}

func (c *conversation) prefix(id agent.ConversationID, last agent.Seq) *conversation {
	cut := &conversation{rows: slices.Clone(c.rows[:last])}
	for i, r := range cut.rows {
		rec, err := r.record(id, agent.Seq(i+1))
		if err != nil {
			panic(err) // it was decoded when it was appended
		}
		cut.head.Apply(rec)
	}
	for _, s := range c.appends {
		if s <= last {
			cut.appends = append(cut.appends, s)
		}
	}
	for _, o := range c.outputs {
		if o.seq <= last {
			cut.outputs = append(cut.outputs, o)
		}
	}
	return cut
}
