package models

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
)

// upTo returns the first migrations, as an earlier version had them.
func upTo(t *testing.T, version int) fs.FS {
	t.Helper()
	list, err := fs.ReadDir(migrations(), ".")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, e := range list[:version] {
		text, err := fs.ReadFile(migrations(), e.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = &fstest.MapFile{Data: text}
	}
	return files
}

// Providers of an earlier version keep everything, their keys too.
func TestMigrate_KeepsProvidersAndTheirKeys(t *testing.T) {
	t.Parallel()
	for _, version := range []int{3, 4} {
		dir := t.TempDir()
		db, err := connect(writerDialect(filepath.Join(dir, databaseFile)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := migrate(t.Context(), db, upTo(t, version)); err != nil {
			t.Fatal(err)
		}
		sealer, err := openSealer(Secret{}, filepath.Join(dir, keyFile))
		if err != nil {
			t.Fatal(err)
		}
		const insert = `INSERT INTO providers (id, name, api, base_url, allow_private_network, credential, credential_env,
			sealed, options, created_at, updated_at) VALUES (?, ?, 'chat-completions', 'https://api.example/v1', 1, ?, ?, ?, ?, 1, 2)`
		options := []byte(`{"stream_usage":false,"max_output_tokens":5,"models":[{"name":"m","context_window":7}]}`)
		for _, row := range [][]any{
			{"p_1", "Env", "env", "SOME_KEY", nil, options},
			{"p_2", "None", "none", "", nil, []byte(`{}`)},
			{"p_3", "Sealed", "sealed", "", sealer.seal(NewSecret(rotateCanary), providerRow{ID: "p_3"}.place()), options},
		} {
			if err := db.Exec(insert, row...).Error; err != nil {
				t.Fatal(err)
			}
		}
		pool, err := db.DB()
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.Close(); err != nil {
			t.Fatal(err)
		}

		now := openTest(t, Config{Dir: dir})
		got, err := now.Providers().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		no := false
		base := Provider{
			API: providers.APIChatCompletions, BaseURL: "https://api.example/v1", AllowPrivateNetwork: true,
			CreatedAt: stamp(1).time(), UpdatedAt: stamp(2).time(),
		}
		env, none, sealed := base, base, base
		env.ID, env.Name, env.Credential, env.CredentialEnv = "p_1", "Env", CredentialEnv, "SOME_KEY"
		none.ID, none.Name, none.Credential = "p_2", "None", CredentialNone
		sealed.ID, sealed.Name, sealed.Credential = "p_3", "Sealed", CredentialSealed
		env.ProviderOptions = ProviderOptions{StreamUsage: &no, MaxOutputTokens: 5, Models: []ProviderModel{{Name: "m", ContextWindow: 7}}}
		sealed.ProviderOptions = env.ProviderOptions
		if diff := cmp.Diff([]Provider{env, none, sealed}, got); diff != "" {
			t.Errorf("from version %d: %s", version, diff)
		}
		if key, err := now.Providers().Key(t.Context(), "p_3"); err != nil || key.Reveal() != rotateCanary {
			t.Errorf("from version %d, the key: %v", version, err)
		}
		state, err := now.Providers().KeyState(t.Context(), "p_3")
		if diff := cmp.Diff(KeyState{Kind: CredentialSealed, Present: true}, state); diff != "" || err != nil {
			t.Errorf("from version %d, what is known of the key: %v %s", version, err, diff)
		}
	}
}
