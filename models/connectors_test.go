package models_test

import (
	"errors"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
)

// Headers are sealed, survive another sealing key, and go with their connector.
func TestHeadersAreSealed(t *testing.T) {
	t.Parallel()
	db := modelstest.OpenConfig(t, models.Config{Dir: t.TempDir()})
	store := db.Connectors()
	c, err := store.Save(t.Context(), models.Connector{Name: "Far", URL: "https://far.example/mcp"}, map[string]models.Secret{"X-Key": models.NewSecret("hush")})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := db.RotateKey(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d values were sealed anew, %v", n, err)
		}
		headers, err := store.Headers(t.Context(), c.ID)
		if err != nil || len(headers) != 1 || headers["X-Key"].Reveal() != "hush" {
			t.Fatalf("the headers are %v, %v", headers, err)
		}
	}
	c.Name = "Near"
	if c, err = store.Save(t.Context(), c, nil); err != nil || len(c.Headers) != 1 {
		t.Errorf("without new headers: %+v, %v", c, err)
	}
	var invalid models.Invalid
	if _, err := store.Save(t.Context(), models.Connector{Name: "near!", Argv: []string{"a"}}, nil); !errors.As(err, &invalid) {
		t.Errorf("a name that tools would take for another: %v", err)
	}
	if err := store.Listed(t.Context(), c.ID, []string{"look"}, map[string]models.ToolDeclaration{"look": {Schema: "{}"}}); err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(t.Context(), c.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if tools, err := store.Tools(t.Context(), c.ID); len(tools) > 0 || err != nil {
		t.Errorf("left are %v, %v", tools, err)
	}
}
