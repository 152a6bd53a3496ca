package provision_test

import (
	"os"
	"strings"
	"testing"

	"countersign/agent/tools"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web/provision"
)

// The file that the README shows can be applied as it is.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(readme), "```yaml\n")
	text, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("the README shows no file")
	}
	c := provision.Context{Secret: func(string) (models.Secret, error) { return models.NewSecret("correct horse battery"), nil }}
	for _, tool := range tools.All(nil) {
		c.Tools = append(c.Tools, tool.Definition().Name)
	}
	f, err := provision.Parse([]byte(text), c)
	if err != nil {
		t.Fatal(err)
	}
	if applied, err := modelstest.Open(t).Apply(t.Context(), f.Setup); err != nil || len(applied) != 10 {
		t.Errorf("got %v, %v", applied, err)
	}
}
