package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// Connectors stores configured connectors and what is known of their tools.
type Connectors struct{ db *DB }

// Connectors returns the store of configured connectors.
func (db *DB) Connectors() Connectors { return Connectors{db} }

type connectorRow struct {
	ID         string
	Name       string
	Slug       string
	Definition []byte
	Sealed     []byte // JSON of the headers
	CreatedAt  stamp  `gorm:"autoCreateTime:false"`
	UpdatedAt  stamp  `gorm:"autoUpdateTime:false"`
}

func (connectorRow) TableName() string { return "connectors" }

// place is what the headers of a connector are sealed for.
func (r connectorRow) place() string { return "connector " + r.ID }

// storedConnector is the JSON of what a connector is beside its name.
type storedConnector struct {
	Off                 bool          `json:"off,omitempty"`
	Argv                []string      `json:"argv,omitempty"`
	Dir                 string        `json:"dir,omitempty"`
	Env                 []string      `json:"env,omitempty"`
	URL                 string        `json:"url,omitempty"`
	AllowPrivateNetwork bool          `json:"allow_private_network,omitempty"`
	Headers             []string      `json:"headers,omitempty"`
	Timeout             time.Duration `json:"timeout_ns,omitempty"`
}

func (r connectorRow) connector() (Connector, error) {
	var d storedConnector
	if err := json.Unmarshal(r.Definition, &d); err != nil {
		return Connector{}, fmt.Errorf("decode connector %s: %w", r.ID, err)
	}
	return Connector{
		ID: r.ID, Name: r.Name, Off: d.Off, Argv: d.Argv, Dir: d.Dir, Env: d.Env, URL: d.URL,
		AllowPrivateNetwork: d.AllowPrivateNetwork, Headers: d.Headers, Timeout: d.Timeout, UpdatedAt: r.UpdatedAt.time(),
	}, nil
}

// row returns what is to be stored of a connector. Nil headers keep those that
// stored has.
func (s Connectors) row(c Connector, headers map[string]Secret, stored connectorRow) (connectorRow, error) {
	c.Name = strings.TrimSpace(c.Name)
	v := Invalid{}
	c.check(v)
	before := Connector{}
	if stored.ID != "" {
		var err error
		if before, err = stored.connector(); err != nil {
			return connectorRow{}, err
		}
	}
	now := stampOf(s.db.now())
	row := connectorRow{ID: c.ID, Name: c.Name, Slug: strings.ToLower(c.Slug()), Sealed: stored.Sealed, CreatedAt: now, UpdatedAt: now}
	c.Headers = before.Headers
	switch {
	case headers == nil && len(before.Headers) > 0 && hostOf(before.URL) != hostOf(c.URL):
		v["headers"] = "The saved headers were entered for another host. Enter those for this one."
	case len(headers) > 0 && c.URL == "":
		v["headers"] = "Headers are for a server over HTTP."
	case headers != nil:
		checkHeaders(headers, v)
	}
	if err := v.err(); err != nil {
		return connectorRow{}, err
	}
	if headers != nil {
		plain := make(map[string]string, len(headers))
		c.Headers = nil
		for name, value := range headers {
			plain[name] = value.Reveal()
			c.Headers = append(c.Headers, name)
		}
		slices.Sort(c.Headers)
		text, err := json.Marshal(plain)
		if err != nil {
			return connectorRow{}, errors.New("encode headers")
		}
		row.Sealed = nil
		if len(plain) > 0 {
			row.Sealed = s.resealed(NewSecret(string(text)), stored, row)
		}
	}
	definition, err := json.Marshal(storedConnector{c.Off, c.Argv, c.Dir, c.Env, c.URL, c.AllowPrivateNetwork, c.Headers, c.Timeout})
	row.Definition = definition
	return row, err
}

// resealed seals a text, or returns what is stored where that is the same.
func (s Connectors) resealed(text Secret, stored, row connectorRow) []byte {
	if was, err := s.db.sealer.open(stored.Sealed, stored.place()); err == nil && was.Reveal() == text.Reveal() {
		return stored.Sealed
	}
	return s.db.sealer.seal(text, row.place())
}

// List returns every connector, by name.
func (s Connectors) List(ctx context.Context) ([]Connector, error) {
	var rows []connectorRow
	if err := s.db.read(ctx).Order("slug").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list connectors", err)
	}
	list := make([]Connector, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.connector(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns a connector, or [ErrNotFound].
func (s Connectors) Get(ctx context.Context, id string) (Connector, error) {
	var row connectorRow
	if err := s.db.read(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return Connector{}, failed(ctx, "read connector", err)
	}
	return row.connector()
}

// Headers returns the headers that are sent with each request. The error may
// be [ErrNotFound], [ErrWrongKey] or [ErrDamaged].
func (s Connectors) Headers(ctx context.Context, id string) (map[string]Secret, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	var row connectorRow
	if err := s.db.read(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return nil, failed(ctx, "read connector", err)
	}
	if row.Sealed == nil {
		return nil, nil
	}
	text, err := s.db.sealer.open(row.Sealed, row.place())
	if err != nil {
		return nil, fmt.Errorf("headers of connector %s: %w", id, err)
	}
	var plain map[string]string
	if err := json.Unmarshal([]byte(text.Reveal()), &plain); err != nil {
		return nil, ErrDamaged
	}
	headers := make(map[string]Secret, len(plain))
	for name, value := range plain {
		headers[name] = NewSecret(value)
	}
	return headers, nil
}

// Save stores a connector as a whole and returns it. Without an ID it is a new
// one. Nil headers keep those that are stored. The error is [Invalid], also if
// the name is taken, or [ErrNotFound].
func (s Connectors) Save(ctx context.Context, c Connector, headers map[string]Secret) (Connector, error) {
	isNew := c.ID == ""
	if isNew {
		c.ID = agent.NewID("o_")
	}
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	var row connectorRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		stored, there, err := take[connectorRow](tx, "id = ?", c.ID)
		switch {
		case err != nil:
			return err
		case !there && !isNew:
			return ErrNotFound
		}
		if row, err = s.row(c, headers, stored); err != nil {
			return err
		}
		if isNew {
			return addConnector(tx, row)
		}
		return updateConnector(tx, row)
	})
	var invalid Invalid
	switch {
	case isDuplicate(err):
		return Connector{}, errConnectorName
	case errors.As(err, &invalid):
		return Connector{}, invalid
	case err != nil:
		return Connector{}, failed(ctx, "save connector", err)
	}
	return row.connector()
}

func addConnector(tx *gorm.DB, row connectorRow) error {
	var n int64
	if err := tx.Model(&connectorRow{}).Count(&n).Error; err != nil {
		return err
	}
	if n >= MaxConnectors {
		return Invalid{"name": fmt.Sprintf("There are %d connectors, which is the most.", MaxConnectors)}
	}
	return tx.Create(&row).Error
}

func updateConnector(tx *gorm.DB, row connectorRow) error {
	return tx.Model(&connectorRow{}).Where("id = ?", row.ID).Select("name", "slug", "definition", "sealed", "updated_at").Updates(row).Error
}

// Remove removes a connector and what is known of its tools.
func (s Connectors) Remove(ctx context.Context, id string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		gone := tx.Delete(&connectorRow{}, "id = ?", id)
		if gone.Error == nil && gone.RowsAffected == 0 {
			return ErrNotFound
		}
		return gone.Error
	})
	return failed(ctx, "remove connector", err)
}

// resealHeaders moves the headers of every connector from one key to another.
func resealHeaders(tx *gorm.DB, from, to *sealer) (int, error) {
	var rows []connectorRow
	if err := tx.Find(&rows, "sealed IS NOT NULL").Error; err != nil {
		return 0, err
	}
	count := 0
	for _, r := range rows {
		text, err := from.open(r.Sealed, r.place())
		if errors.Is(err, ErrWrongKey) || errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := tx.Model(&connectorRow{}).Where("id = ?", r.ID).UpdateColumn("sealed", to.seal(text, r.place())).Error; err != nil {
			return 0, err
		}
		count++
	}
	return count, nil
}

// same reports whether two rows say the same.
func (r connectorRow) same(o connectorRow) bool {
	return r.Name == o.Name && bytes.Equal(r.Definition, o.Definition) && bytes.Equal(r.Sealed, o.Sealed)
}
