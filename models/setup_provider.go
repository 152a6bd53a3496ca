package models

import (
	"bytes"
	"context"

	"countersign/agent"
)

func (a *applying) provider(s ProviderSetup) (Outcome, error) {
	row, there, err := take[providerRow](a.tx, "name = ?", s.Name)
	if err != nil {
		return "", err
	}
	p := Provider{ID: agent.NewID("p_"), Name: s.Name, API: s.API, CreatedAt: a.db.now()}
	if there {
		if p, err = row.provider(); err != nil {
			return "", err
		}
		if s.API != "" && s.API != p.API {
			return "", Invalid{"api": "The API of a provider can't change. Give the new one another name."}
		}
	} else if s.Credential == nil {
		s.Credential = &Credential{Kind: CredentialNone}
	}
	if invalid := s.Change(&p); len(invalid) > 0 {
		return "", invalid
	}
	now, err := a.providerRow(row, p, s.Credential)
	if err != nil {
		return "", err
	}
	a.settle = append(a.settle, func(ctx context.Context) { a.db.settleKey(ctx, row, now, nil) })
	switch {
	case !there:
		now.UpdatedAt = now.CreatedAt
		return Created, a.tx.Create(&now).Error
	case now.same(row):
		return Unchanged, nil
	}
	now.UpdatedAt = stampOf(a.db.now())
	return Updated, a.tx.Select("*").Where("id = ?", row.ID).Updates(&now).Error
}

// providerRow returns what is to be stored of a provider.
func (a *applying) providerRow(stored providerRow, p Provider, c *Credential) (providerRow, error) {
	switch {
	case c == nil:
		if problem := a.db.checkKeyStays(stored, p); problem != "" {
			return providerRow{}, Invalid{"key": problem}
		}
	case (c.Kind == CredentialMemory || c.Kind == CredentialKeychain) && !c.Key.Empty():
		return providerRow{}, Invalid{"credential": "A key for memory or the keychain is entered on the provider's page."}
	case a.db.sealsTheSame(stored, *c):
		c = nil // sealed again it would look like another one
	}
	return a.db.Providers().row(p, c, stored, "")
}

// sealsTheSame reports whether a credential gives the key that is sealed.
func (db *DB) sealsTheSame(r providerRow, c Credential) bool {
	if c.Kind != CredentialSealed || r.Key.Credential != CredentialSealed {
		return false
	}
	key, err := db.sealer.open(r.Key.Sealed, r.place())
	return err == nil && key.Reveal() == c.Key.Reveal()
}

// same compares what a person can set.
func (r providerRow) same(o providerRow) bool {
	return r.Name == o.Name && r.BaseURL == o.BaseURL && r.AllowPrivateNetwork == o.AllowPrivateNetwork &&
		r.Key.same(o.Key) && bytes.Equal(r.Options, o.Options)
}
