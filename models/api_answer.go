package models

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// AnswersLast is how long the answer to a request that named itself is kept.
const AnswersLast = 24 * time.Hour

// sweptAnswers is how many old answers go when one is added.
const sweptAnswers = 50

// An APIAnswer is what was answered to a request that named itself.
type APIAnswer struct {
	// Fingerprint is a hash of what was asked for.
	Fingerprint []byte
	Status      int
	Body        []byte
}

// APIAnswers keeps answers for requests that come again (contract 2.15).
type APIAnswers struct{ db *DB }

// APIAnswers returns the store of answers.
func (db *DB) APIAnswers() APIAnswers { return APIAnswers{db} }

type apiAnswerRow struct {
	Request     []byte
	Fingerprint []byte
	Status      int
	Body        []byte
	CreatedAt   stamp `gorm:"autoCreateTime:false"`
}

func (apiAnswerRow) TableName() string { return "api_answers" }

// Find returns the answer to a request, if one was stored in the last day.
func (s APIAnswers) Find(ctx context.Context, request []byte) (APIAnswer, bool, error) {
	var rows []apiAnswerRow
	err := s.db.read(ctx).Limit(1).Find(&rows, "request = ? AND created_at > ?", request, s.oldest()).Error
	if err != nil || len(rows) == 0 {
		return APIAnswer{}, false, failed(ctx, "read answer", err)
	}
	return APIAnswer{rows[0].Fingerprint, rows[0].Status, rows[0].Body}, true, nil
}

// Put stores the answer to a request, in place of one that is too old.
func (s APIAnswers) Put(ctx context.Context, request []byte, a APIAnswer) error {
	row := apiAnswerRow{request, a.Fingerprint, a.Status, a.Body, stampOf(s.db.now())}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		old := tx.Model(&apiAnswerRow{}).Select("request").Where("created_at <= ?", s.oldest()).Order("created_at").Limit(sweptAnswers)
		if err := tx.Where("request = ? AND created_at <= ? OR request IN (?)", request, s.oldest(), old).Delete(&apiAnswerRow{}).Error; err != nil {
			return err
		}
		return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
	})
	return failed(ctx, "store answer", err)
}

func (s APIAnswers) oldest() stamp { return stampOf(s.db.now().Add(-AnswersLast)) }
