package provision_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web/provision"
)

// A file sets connectors up; the same file again changes nothing, and what it
// leaves out is kept.
func TestConnectors(t *testing.T) {
	t.Parallel()
	db := modelstest.OpenConfig(t, models.Config{Dir: t.TempDir()})
	apply := func(text string) []models.Outcome {
		t.Helper()
		file, err := provision.Parse([]byte(text), provision.Context{})
		if err != nil {
			t.Fatal(err)
		}
		applied, err := db.Apply(t.Context(), file.Setup)
		if err != nil {
			t.Fatal(err)
		}
		var outcomes []models.Outcome
		for _, a := range applied {
			outcomes = append(outcomes, a.Outcome)
		}
		return outcomes
	}
	const text = `connectors:
- name: Shop
  stdio: {command: [node, server.js], dir: /srv/shop, env: [SHOP_TOKEN]}
  timeout: 30s
- name: Far desk
  http: {url: "https://far.example/mcp", headers: {Authorization: "Bearer ${FAR_TOKEN}"}}
`
	for _, want := range []models.Outcome{models.Created, models.Unchanged} {
		if diff := cmp.Diff([]models.Outcome{want, want}, apply(text)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]models.Outcome{models.Updated}, apply("connectors:\n- {name: Far desk, enabled: false}\n")); diff != "" {
		t.Error(diff)
	}
	list, err := db.Connectors().List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	far, shop := list[0], list[1]
	if !far.Off || far.URL != "https://far.example/mcp" || far.Prefix() != "mcp__Far_desk__" || shop.Argv[1] != "server.js" || shop.Off {
		t.Errorf("there are %+v", list)
	}
	headers, err := db.Connectors().Headers(t.Context(), far.ID)
	if err != nil || headers["Authorization"].Reveal() != "Bearer ${FAR_TOKEN}" {
		t.Errorf("its headers are %v, %v", headers, err)
	}
}
