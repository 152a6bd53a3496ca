package command_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	password = "correct horse battery"
	canary   = "sk-canary-0815"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"help", 0, "rotate-key"},
		{"--help", 0, "usage: countersign [command]"},
		{"version", 0, "countersign development"},
		{"--version", 0, "countersign development"},
		{"--version x", 2, "usage: countersign version"},
		{"version x", 2, "usage: countersign version"},
		{"fly", 2, `there is no command "fly"`},
		{"users", 2, "users what? There are: list, create, reset-password, disable, enable"},
		{"users --help", 0, "usage: countersign users COMMAND"},
		{"users -h", 0, "users reset-password EMAIL"},
		{"fly --help", 2, `there is no command "fly"`},
		{"users fly", 2, "users what?"},
		{"users disable", 2, "usage: countersign users disable EMAIL"},
		{"users disable a b", 2, "usage: countersign users disable EMAIL"},
		{"users disable --help", 0, "usage: countersign users disable EMAIL"},
		{"users create --email a@example.com", 2, "--email and --name are needed"},
		{"users create --email a@example.com --name A", 2, "there is no terminal to ask for the password"},
		{"users list --fly", 2, "not defined: -fly"},
		{"users list", 1, "there is no database in"},
		{"backup x", 1, "there is no database in"},
		{"apply no-such-file", 1, "no such file"},
		{"serve x", 2, "usage: countersign serve"},
		{"serve --log-level loud", 2, "--log-level is debug, info, warn or error"},
		{"--log-format xml", 2, "--log-format is text or json"},
		{"serve --public-url nonsense", 2, "public URL"},
	} {
		got := p.try("", strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.out+got.errors, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, got.code, c.code, c.want, got.out, got.errors)
		}
		if asked := c.code == 0; asked != (got.errors == "") {
			t.Errorf("%s: standard error is %q", c.args, got.errors)
		}
	}
}

const setup = `providers:
  - name: Local
    api: chat-completions
    base_url: http://127.0.0.1:9/v1
    allow_private_network: true
    credentials: {sealed_file: key.txt}
    models: [{name: m}]
agents:
  - name: assistant
    model: {provider: Local, name: m}
users:
  - {email: admin@example.com, name: Admin, role: admin, password_file: password.txt}
`

// setUp applies the file and returns its path.
func (p *place) setUp() string {
	p.t.Helper()
	p.write("key.txt", canary+"\n")
	p.write("password.txt", password+"\n")
	file := p.write("setup.yaml", setup)
	if got := p.do("apply", file); strings.Count(got, "created ") != 3 {
		p.t.Fatalf("applied:\n%s", got)
	}
	return file
}

// Every command does the same beside a server and without one, and prints and
// logs no secret.
func TestAdministration(t *testing.T) {
	t.Parallel()
	for _, serving := range []bool{true, false} {
		name := map[bool]string{true: "beside a server", false: "without a server"}[serving]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if serving {
				p.serve()
			}
			administer(p)
			if strings.Contains(p.said.String(), canary) || strings.Contains(p.said.String(), password) {
				t.Errorf("a secret was printed or logged:\n%s", p.said)
			}
		})
	}
}

func administer(p *place) {
	t := p.t
	file := p.setUp()
	if got := p.do("apply", file); strings.Count(got, "unchanged ") != 3 {
		t.Errorf("applied again:\n%s", got)
	}
	broken := p.write("broken.yaml", "users:\n  - {email: b@example.com, name: B, role: member, password_file: password.txt}\nrules: []\n")
	p.refused(1, `line 3: the file has no field "rules"`, "apply", broken)
	late := p.write("late.yaml", "users:\n  - {email: b@example.com, name: B, role: member, password_file: password.txt}\n  - {email: admin@example.com, role: member}\n  - {email: b@example.org}\n")
	p.refused(1, "line 4: password_file: A new person needs a password.", "apply", late)
	if got := p.do("users", "list"); strings.Contains(got, "b@example.com") {
		t.Errorf("half a file was applied:\n%s", got)
	}

	p.feed(password, "users", "create", "--email", "m@example.com", "--name", "Max", "--password-file", "-")
	p.refused(1, "This email address is taken.", "users", "create", "--email", "M@example.com", "--name", "Max", "--password-file", filepath.Join(filepath.Dir(file), "password.txt"))
	p.feed("another "+password+"\n", "users", "reset-password", "m@example.com", "--password-file", "-")
	p.refused(1, "There is nobody with this email address.", "users", "disable", "x@example.com")
	p.refused(1, "This is the last admin who may sign in.", "users", "disable", "admin@example.com")
	p.do("users", "disable", "M@EXAMPLE.com")
	if got := p.do("users", "list"); !strings.Contains(got, "member  disabled") || !strings.Contains(got, "admin   enabled") {
		t.Errorf("people:\n%s", got)
	}
	p.do("users", "enable", "m@example.com")

	if got := p.do("providers", "list"); !strings.Contains(got, "http://127.0.0.1:9/v1  sealed") {
		t.Errorf("providers:\n%s", got)
	}
	p.refused(1, "Nobody listens at the address of Local", "providers", "test", "Local")
	p.refused(1, "There is no provider of this name.", "providers", "test", "Remote")

	if got := p.do("rotate-key"); !strings.Contains(got, "1 in number") {
		t.Errorf("rotated:\n%s", got)
	}
	p.refused(1, "Nobody listens at the address of Local", "providers", "test", "Local")
	p.restore(file)
}

// restore backs up, and brings the backup up elsewhere.
func (p *place) restore(file string) {
	t := p.t
	elsewhere := newPlace(t)
	elsewhere.said = p.said
	if err := os.Mkdir(elsewhere.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(elsewhere.dir, "countersign.db")
	keyFile := filepath.Join(p.dir, "countersign.key")
	if got := p.do("backup", copied); !strings.Contains(got, "The sealing key is not in it. It is "+keyFile) {
		t.Errorf("backed up:\n%s", got)
	}
	p.refused(1, "exists already; a backup goes to a new file", "backup", copied)
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	data, err := os.ReadFile(copied)
	if err != nil || strings.Contains(string(data), canary) {
		t.Errorf("the key is in the backup as it is, or %v", err)
	}
	elsewhere.refused(1, "The key of Local can’t be read", "providers", "test", "Local")
	key, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere.dir, "countersign.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere.refused(1, "Nobody listens at the address of Local", "providers", "test", "Local")
	if got := elsewhere.do("apply", file); strings.Count(got, "unchanged ") != 3 {
		t.Errorf("applied to the backup:\n%s", got)
	}
	if left, err := os.ReadDir(elsewhere.dir); err != nil || len(left) != 3 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
}

func TestServe_Config(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := p.setUp()
	p.serve("--config", file).end(syscall.SIGTERM)
	p.write("setup.yaml", setup+"connectorz: []\n")
	p.refused(1, "setup.yaml was not applied, and nothing was changed:\nline 13: the file has no field \"connectorz\"", "serve", "--config", file)
}

// Whoever is disabled is out at once, in whatever browser.
func TestDisable_EndsSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.setUp()
	s := p.serve()
	p.feed(password, "users", "create", "--email", "m@example.com", "--name", "Max", "--password-file", "-")
	b := newBrowser(t, s.url)
	b.signIn("m@example.com", password)
	if got := b.home(); got != http.StatusOK {
		t.Fatalf("signed in: got %d", got)
	}
	p.do("users", "disable", "m@example.com")
	p.do("users", "enable", "m@example.com") // which brings no session back
	if got := b.home(); got != http.StatusSeeOther {
		t.Errorf("disabled since: got %d, want a redirect to sign in", got)
	}
	b.signIn("m@example.com", password)
	p.feed("another "+password, "users", "reset-password", "m@example.com", "--password-file", "-")
	if got := b.home(); got != http.StatusSeeOther {
		t.Errorf("with a new password: got %d, want a redirect to sign in", got)
	}
	b.signIn("m@example.com", "another "+password)
}

// A browser keeps cookies and follows no redirect.
type browser struct {
	t      *testing.T
	url    string
	client *http.Client
}

func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, base, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (b *browser) send(method, path string, form url.Values) int {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func (b *browser) home() int { return b.send(http.MethodGet, "/", nil) }

func (b *browser) signIn(email, password string) {
	b.t.Helper()
	got := b.send(http.MethodPost, "/login", url.Values{"email": {email}, "password": {password}})
	if got != http.StatusSeeOther {
		b.t.Fatalf("sign in as %s: got %d", email, got)
	}
}

// A test says which step failed, soon also where nothing is said at all.
func TestProvidersTest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"key", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "Local refused the credential."},
		{"path", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, "HTTP 404"},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the connection noticed
			<-r.Context().Done()
		}, "Local took too long."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			upstream := httptest.NewServer(c.answer)
			t.Cleanup(upstream.Close)
			p := newPlace(t)
			p.write("key.txt", canary)
			p.write("password.txt", password)
			p.do("apply", p.write("setup.yaml", strings.Replace(setup, "http://127.0.0.1:9", upstream.URL, 1)))
			started := time.Now()
			p.refused(1, c.want, "providers", "test", "Local")
			if took := time.Since(started); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
			if strings.Contains(p.said.String(), canary) {
				t.Error("the key was printed")
			}
		})
	}
}
