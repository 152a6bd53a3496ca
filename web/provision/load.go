package provision

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"countersign/models"
)

// maxSecret is how long a file with a key or a password may be, in bytes.
const maxSecret = 64 << 10

// Load reads a file and returns how to read those that it names: their paths
// start from its directory.
func Load(path string) (text []byte, secret func(path string) (models.Secret, error), err error) {
	if text, err = readUpTo(path, MaxFile); err != nil {
		return nil, nil, err
	}
	return text, func(named string) (models.Secret, error) {
		if !filepath.IsAbs(named) {
			named = filepath.Join(filepath.Dir(path), named)
		}
		text, err := readUpTo(named, maxSecret)
		return models.NewSecret(string(text)), err
	}, nil
}

// readUpTo reads a file of a length that is bounded.
func readUpTo(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d KiB", path, most>>10)
	}
	return text, err
}
