package models

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
)

// A usageRow is what an attempt used: a read model that outlives its
// conversation.
type usageRow struct {
	Conversation agent.ConversationID
	Attempt      agent.AttemptID
	Run          agent.RunID
	Owner        agent.UserID
	Provider     string
	ProviderName string
	Model        string
	At           stamp
	InputTotal   *int64
	CacheRead    *int64
	CacheWrite   *int64
	Output       *int64
	Reasoning    *int64
	CostNanoUSD  *int64 `gorm:"column:cost_nano_usd"`
}

func (usageRow) TableName() string { return "usage" }

func newUsageRow(id agent.ConversationID, owner agent.UserID, r agent.Record, u agent.ModelUsage) usageRow {
	return usageRow{
		Conversation: id, Attempt: u.Attempt, Run: r.Run, Owner: owner,
		Provider: u.Model.Provider, ProviderName: u.Model.ProviderName, Model: u.Model.Model, At: stampOf(r.At),
		InputTotal: u.InputTotal, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Output: u.Output, Reasoning: u.Reasoning, CostNanoUSD: u.CostNanoUSD,
	}
}

// writeUsage keeps the first row of an attempt: there is one event for each.
func writeUsage(tx *gorm.DB, rows []usageRow) error {
	if len(rows) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&rows, 100).Error
}

// Usage reads what attempts used, over all conversations.
type Usage struct{ db *DB }

// Usage returns the record of what attempts used.
func (db *DB) Usage() Usage { return Usage{db} }

// A UsageFilter chooses attempts. A zero field chooses all.
type UsageFilter struct {
	Owner    agent.UserID
	From, To time.Time // From is included, To is not
}

// A UsageBy is what is added up together.
type UsageBy string

const (
	UsageByDay    UsageBy = "day"
	UsageByModel  UsageBy = "model"
	UsageByPerson UsageBy = "person"
)

// A UsageGroup is the total of one day, model or person. Only the fields that
// it was grouped by are set.
type UsageGroup struct {
	Day          time.Time // midnight in the zone that was asked for
	ProviderName string
	Model        string
	Owner        agent.UserID
	Total        agent.UsageTotal
}

// maxUsageGroups bounds a page. The largest groups come first, but days are in
// order.
const maxUsageGroups = 400

// Total adds everything up.
func (s Usage) Total(ctx context.Context, f UsageFilter) (agent.UsageTotal, error) {
	var sums usageSums
	err := s.where(ctx, f).Select(usageColumns).Scan(&sums).Error
	return sums.total(), failed(ctx, "add up usage", err)
}

// By adds up per group: newest day first, else the most output first; at most
// 400 groups. Days are those of the zone.
func (s Usage) By(ctx context.Context, f UsageFilter, by UsageBy, zone *time.Location) ([]UsageGroup, error) {
	if by == UsageByDay {
		return s.byDay(ctx, f, zone)
	}
	keys := "provider_name, model"
	if by == UsageByPerson {
		keys = "owner"
	}
	var rows []struct {
		ProviderName, Model string
		Owner               agent.UserID
		Sums                usageSums `gorm:"embedded"`
	}
	err := s.where(ctx, f).Select(keys + ", " + usageColumns).Group(keys).
		Order("output_known DESC, input_total_known DESC, " + keys).Limit(maxUsageGroups).Scan(&rows).Error
	if err != nil {
		return nil, failed(ctx, "add up usage", err)
	}
	list := make([]UsageGroup, len(rows))
	for i, r := range rows {
		list[i] = UsageGroup{ProviderName: r.ProviderName, Model: r.Model, Owner: r.Owner, Total: r.Sums.total()}
	}
	return list, nil
}

// byDay asks for each day on its own: a day of a zone may have 23 or 25 hours,
// and the database knows no zones.
func (s Usage) byDay(ctx context.Context, f UsageFilter, zone *time.Location) ([]UsageGroup, error) {
	var ends struct{ First, Last *int64 }
	if err := s.where(ctx, f).Select("min(at) AS first, max(at) AS last").Scan(&ends).Error; err != nil {
		return nil, failed(ctx, "add up usage", err)
	}
	if ends.First == nil {
		return nil, nil
	}
	first, day := stamp(*ends.First).time(), midnight(stamp(*ends.Last).time(), zone)
	var list []UsageGroup
	for len(list) < maxUsageGroups && day.AddDate(0, 0, 1).After(first) {
		part := f
		part.From, part.To = later(f.From, day), day.AddDate(0, 0, 1)
		if !f.To.IsZero() && f.To.Before(part.To) {
			part.To = f.To
		}
		total, err := s.Total(ctx, part)
		if err != nil {
			return nil, err
		}
		if total.Attempts > 0 {
			list = append(list, UsageGroup{Day: day, Total: total})
		}
		day = day.AddDate(0, 0, -1)
	}
	return list, nil
}

func midnight(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (s Usage) where(ctx context.Context, f UsageFilter) *gorm.DB {
	tx := s.db.read(ctx).Model(&usageRow{})
	if f.Owner != "" {
		tx = tx.Where("owner = ?", f.Owner)
	}
	if !f.From.IsZero() {
		tx = tx.Where("at >= ?", stampOf(f.From))
	}
	if !f.To.IsZero() {
		tx = tx.Where("at < ?", stampOf(f.To))
	}
	return tx
}
