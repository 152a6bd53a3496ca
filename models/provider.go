package models

import (
	"context"
	"errors"
	"fmt"
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
	CredentialEnv       string // the variable's name, if the kind is env
	ProviderOptions
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ProviderOptions tune a connection. A zero field leaves it to whoever uses
// the provider.
type ProviderOptions struct {
	// StreamUsage asks for counts at the end of a stream, nil for the API's
	// default. Only Chat Completions has it (contract P20, P21).
	StreamUsage     *bool
	MaxOutputTokens int
	Retry           agent.RetryPolicy
	Timeouts        Timeouts
	Models          []ProviderModel // the first one is the default
}

// Timeouts bound an attempt.
type Timeouts struct {
	FirstByte time.Duration
	Idle      time.Duration
	Attempt   time.Duration
}

// A ProviderModel is a model that the provider offers.
type ProviderModel struct {
	Name          string `json:"name"` // at most 200 bytes, unique in its provider
	ContextWindow int    `json:"context_window,omitempty"`
}

// A ProviderUpdate changes a provider. A nil field keeps what is stored.
type ProviderUpdate struct {
	Name                *string
	BaseURL             *string
	AllowPrivateNetwork *bool
	Credential          *Credential
	StreamUsage         *bool
	MaxOutputTokens     *int
	Retry               *agent.RetryPolicy
	Timeouts            *Timeouts
	Models              *[]ProviderModel
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
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	row, err := s.row(p, &c, nil)
	if err != nil {
		return Provider{}, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error { return tx.Create(&row).Error })
	if err != nil {
		return Provider{}, providerFailed(ctx, "create provider", err)
	}
	return row.provider()
}

// Update changes a provider and returns it. A sealed key that is kept does not
// follow the address to another host. The error is [Invalid] or [ErrNotFound].
func (s Providers) Update(ctx context.Context, id string, u ProviderUpdate) (Provider, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	var row providerRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var stored providerRow
		if err := tx.Take(&stored, "id = ?", id).Error; err != nil {
			return err
		}
		p, err := stored.provider()
		if err != nil {
			return err
		}
		before := p
		u.apply(&p)
		if problem := checkKeyStays(before, p); problem != "" && u.Credential == nil {
			return Invalid{"key": problem}
		}
		p.UpdatedAt = s.db.now()
		if row, err = s.row(p, u.Credential, stored.Sealed); err != nil {
			return err
		}
		return tx.Select("*").Where("id = ?", id).Updates(&row).Error
	})
	if err != nil {
		return Provider{}, providerFailed(ctx, "update provider", err)
	}
	return row.provider()
}

func (u ProviderUpdate) apply(p *Provider) {
	set(&p.Name, u.Name)
	set(&p.BaseURL, u.BaseURL)
	set(&p.AllowPrivateNetwork, u.AllowPrivateNetwork)
	set(&p.MaxOutputTokens, u.MaxOutputTokens)
	set(&p.Retry, u.Retry)
	set(&p.Timeouts, u.Timeouts)
	set(&p.Models, u.Models)
	if u.StreamUsage != nil {
		p.StreamUsage = u.StreamUsage
	}
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
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
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Delete(&providerRow{}, "id = ?", id)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
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

// Key returns the key to use now: empty if the provider takes none. The error
// is [ErrNotFound], [ErrNoKey], [ErrWrongKey] or [ErrDamaged].
func (s Providers) Key(ctx context.Context, id string) (Secret, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	row, err := s.take(ctx, id)
	if err != nil {
		return Secret{}, err
	}
	key, err := s.db.key(row)
	if err != nil {
		return Secret{}, fmt.Errorf("key of provider %s: %w", id, err)
	}
	return key, nil
}
