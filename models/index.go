package models

import (
	"context"
	"database/sql"
	"time"

	"countersign/agent"
)

// Unfinished implements [agent.Index].
func (j Journal) Unfinished(ctx context.Context) ([]agent.RunRef, error) {
	var rows []runRow
	err := j.db.read(ctx).Select("conversation", "id").
		Where("rewound = 0 AND status IN ('pending', 'running')").
		Order("created_at, id").Find(&rows).Error
	if err != nil {
		return nil, failed(ctx, "read unfinished runs", err)
	}
	return refs(rows), nil
}

// Expiring implements [agent.Index]. The runs that are due are in order of id.
func (j Journal) Expiring(ctx context.Context, by time.Time) (due []agent.RunRef, next time.Time, err error) {
	const expires = "open = 1 AND expires_at <> 0 AND expires_at "
	var rows []runRow
	err = j.db.read(ctx).Model(&interactionRow{}).Distinct("conversation", "run AS id").
		Where(expires+"<= ?", stampOf(by)).Order("run").Find(&rows).Error
	if err != nil {
		return nil, time.Time{}, failed(ctx, "read due interactions", err)
	}
	var first sql.NullInt64
	err = j.db.read(ctx).Model(&interactionRow{}).Select("min(expires_at)").
		Where(expires+"> ?", stampOf(by)).Scan(&first).Error
	if err != nil {
		return nil, time.Time{}, failed(ctx, "read next expiry", err)
	}
	return refs(rows), stamp(first.Int64).time(), nil
}

func refs(rows []runRow) []agent.RunRef {
	list := make([]agent.RunRef, len(rows))
	for i, r := range rows {
		list[i] = agent.RunRef{Conversation: r.Conversation, Run: r.ID}
	}
	return list
}
