package models

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
	"countersign/providers"
)

// A Provider is a configured connection to a model API.
type Provider struct {
	ID                  string
	Name                string        // unique, at most 100 characters
	API                 providers.API // fixed: another API is another provider
	BaseURL             string        // "" leaves it to the adapter
	AllowPrivateNetwork bool
	Credential          CredentialKind
	CredentialEnv       string       // the variable's name, if the kind is env
	CredentialCommand   TokenCommand // if the kind is command
	ProviderOptions
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Providers stores configured connections and their keys.
type Providers struct{ db *DB }

// Providers returns the store of configured connections.
func (db *DB) Providers() Providers { return Providers{db} }

// Create adds a provider; its ID, credential fields and times are set here.
// The error is [Invalid] if a field is, or if the name is taken.
func (s Providers) Create(ctx context.Context, p Provider, c Credential) (Provider, error) {
	p.ID = agent.NewID("p_")
	p.CreatedAt = s.db.now()
	p.UpdatedAt = p.CreatedAt
	row, err := s.save(ctx, &c, func(tx *gorm.DB, item string) (before, after providerRow, err error) {
		after, err = s.row(p, &c, providerRow{}, item)
		if err == nil {
			err = tx.Create(&after).Error
		}
		return before, after, err
	})
	if err != nil {
		return Provider{}, providerFailed(ctx, "create provider", err)
	}
	return row.provider()
}

// Update changes a provider and returns it. A key that is kept does not follow
// the address to another host. The error is [Invalid] or [ErrNotFound].
func (s Providers) Update(ctx context.Context, id string, u ProviderUpdate) (Provider, error) {
	row, err := s.save(ctx, u.Credential, func(tx *gorm.DB, item string) (before, after providerRow, err error) {
		if err := tx.Take(&before, "id = ?", id).Error; err != nil {
			return before, after, err
		}
		p, err := before.provider()
		if err != nil {
			return before, after, err
		}
		u.apply(&p)
		if problem := s.db.checkKeyStays(before, p); problem != "" && u.Credential == nil {
			return before, after, Invalid{"key": problem}
		}
		p.UpdatedAt = s.db.now()
		if after, err = s.row(p, u.Credential, before, item); err != nil {
			return before, after, err
		}
		return before, after, tx.Select("*").Where("id = ?", id).Updates(&after).Error
	})
	if err != nil {
		return Provider{}, providerFailed(ctx, "update provider", err)
	}
	return row.provider()
}

// save writes a row and keeps the key of a credential where it belongs. write
// is given the item of the keychain that has the key, "" if none has.
func (s Providers) save(ctx context.Context, c *Credential, write func(tx *gorm.DB, item string) (before, after providerRow, err error)) (providerRow, error) {
	item, err := s.db.toKeychain(ctx, c)
	if err != nil {
		return providerRow{}, err
	}
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	var before, after providerRow
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		before, after, err = write(tx, item)
		return err
	})
	if err != nil {
		s.db.forgetItem(ctx, item)
		return providerRow{}, err
	}
	s.db.settleKey(ctx, before, after, c)
	return after, nil
}

// List returns every provider, in order of name.
func (s Providers) List(ctx context.Context) ([]Provider, error) {
	var rows []providerRow
	if err := s.db.read(ctx).Order("name, id").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list providers", err)
	}
	list := make([]Provider, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.provider(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns a provider, or [ErrNotFound].
func (s Providers) Get(ctx context.Context, id string) (Provider, error) {
	row, err := s.take(ctx, id)
	if err != nil {
		return Provider{}, err
	}
	return row.provider()
}

func (s Providers) take(ctx context.Context, id string) (providerRow, error) {
	var row providerRow
	err := s.db.read(ctx).Take(&row, "id = ?", id).Error
	return row, failed(ctx, "read provider", err)
}

// Delete removes a provider and its key. What used it keeps its name. The
// error is [ErrNotFound] if there is none.
func (s Providers) Delete(ctx context.Context, id string) error {
	var gone providerRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		gone = providerRow{}
		if err := tx.Take(&gone, "id = ?", id).Error; err != nil {
			return err
		}
		return tx.Delete(&providerRow{}, "id = ?", id).Error
	})
	if err == nil {
		s.db.settleKey(ctx, gone, providerRow{}, nil)
	}
	return failed(ctx, "delete provider", err)
}

func providerFailed(ctx context.Context, what string, err error) error {
	var invalid Invalid
	switch {
	case isDuplicate(err):
		return Invalid{"name": "There is a provider of this name."}
	case errors.As(err, &invalid):
		return invalid
	}
	return failed(ctx, what, err)
}
