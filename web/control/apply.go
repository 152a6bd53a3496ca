package control

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"countersign/models"
	"countersign/web/provision"
)

func (h handler) apply(r *http.Request) (any, error) {
	n, err := read[applyRequest](r)
	if err != nil {
		return nil, err
	}
	return Apply(r.Context(), h.Config, []byte(n.Text), func(path string) (models.Secret, error) {
		text, ok := n.Files[path]
		if !ok {
			return models.Secret{}, fs.ErrNotExist
		}
		return models.NewSecret(text), nil
	})
}

// Apply carries out a provisioning file, the whole of it or, with
// [provision.Problems], nothing. secret reads the files that it names.
func Apply(ctx context.Context, c Config, text []byte, secret func(path string) (models.Secret, error)) ([]Applied, error) {
	file, err := provision.Parse(text, provision.Context{Tools: c.Tools, Secret: secret})
	if err != nil {
		return nil, err
	}
	applied, err := c.DB.Apply(ctx, file.Setup)
	if refused := new(models.SetupError); errors.As(err, &refused) {
		return nil, file.Explain(refused)
	}
	if err != nil {
		return nil, err
	}
	all := make([]Applied, len(applied))
	changed, added, set := false, false, false
	for i, a := range applied {
		all[i] = Applied(a)
		if a.Section == models.SectionProviders {
			changed = changed || a.Outcome != models.Unchanged
			added = added || a.Outcome == models.Created
		}
		set = set || a.Section == models.SectionSettings && a.Outcome != models.Unchanged
		if a.Outcome != models.Unchanged {
			c.Log.InfoContext(ctx, "provisioned", "section", a.Section, "name", a.Name, "outcome", a.Outcome)
		}
	}
	if changed {
		var moved string
		if moved, err = c.Site.ProvidersChanged(ctx, added); moved != "" {
			all = noteAgent(all, moved)
		}
	}
	if set {
		err = errors.Join(err, c.Site.SettingsChanged(ctx))
	}
	return all, err
}

// noteAgent says that an agent was changed, which the file may name as well.
func noteAgent(all []Applied, name string) []Applied {
	for i, a := range all {
		if a.Section == models.SectionAgents && a.Name == name {
			if a.Outcome == models.Unchanged {
				all[i].Outcome = models.Updated
			}
			return all
		}
	}
	return append(all, Applied{models.SectionAgents, name, models.Updated})
}
