package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// What all tests share; set before the first one and not changed after.
var (
	program string             // the built program
	browser playwright.Browser // one browser; a context per test
	axe     string             // the source of axe-core
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	for _, name := range []string{"PLAYWRIGHT_DRIVER_PATH", "PLAYWRIGHT_NODEJS_PATH", "CHROMIUM", "AXE"} {
		if os.Getenv(name) == "" {
			return 1, fmt.Errorf("%s is not set; run the browser tests with: make e2e", name)
		}
	}
	source, err := os.ReadFile(os.Getenv("AXE"))
	if err != nil {
		return 1, fmt.Errorf("read axe-core: %w", err)
	}
	axe = string(source)

	dir, err := os.MkdirTemp("", "countersign-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "countersign")
	build := exec.Command("go", "build", "-o", program, "countersign")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the program: %w\n%s", err, out)
	}

	// Playwright downloads nothing as long as its Install is not called.
	driver, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return 1, fmt.Errorf("start the playwright driver: %w", err)
	}
	defer driver.Stop()
	browser, err = driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(os.Getenv("CHROMIUM")),
		// Chromium's sandbox does not start as root or in most containers;
		// the only pages it opens are ours.
		ChromiumSandbox: playwright.Bool(false),
		Args: []string{
			"--disable-background-networking", "--disable-component-update",
			"--disable-gpu", "--disable-quic", "--disable-sync", "--no-first-run",
		},
	})
	if err != nil {
		return 1, fmt.Errorf("start Chromium: %w", err)
	}
	defer browser.Close()
	return m.Run(), nil
}
