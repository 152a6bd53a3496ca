package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"countersign/agent"
)

// ErrNotFound says that a row does not exist, or not for the person who asks.
var ErrNotFound = agent.ErrNotFound

// The files of a data directory.
const (
	databaseFile = "countersign.db"
	keyFile      = "countersign.key"
	lockFile     = "countersign.lock"
)

// readers is how many reads run at once.
const readers = 4

// A Config says where the data is and how to use it.
type Config struct {
	// Dir is the data directory. It is made, for its owner alone, if it does
	// not exist.
	Dir string
	// Key seals stored credentials: 32 bytes in base64. If it is empty, a key
	// file beside the database is used, and made if need be.
	Key Secret
	// Getenv resolves credentials that name an environment variable,
	// [os.Getenv] if nil.
	Getenv func(string) string
	// Keychain keeps keys outside the database; there is none if nil.
	Keychain Keychain
	// Now is the clock, [time.Now] if nil.
	Now func() time.Time
	// Logger gets what no caller can be told, nothing if nil.
	Logger *slog.Logger
	// Passwords is the cost of password hashes, the recommended one if zero.
	Passwords PasswordCost
}

// A DB is an open data directory. Close it when all that use it have stopped.
type DB struct {
	config Config
	file   string
	lock   *dirLock
	writer *gorm.DB
	reader *gorm.DB
	queue  *writeQueue
	hasher *hasher

	// sealing is held while a value is sealed and stored, or read and opened,
	// so that a rotation comes before or after the whole of it.
	sealing sync.RWMutex
	sealer  *sealer
	keyFile string // "" if the key is kept elsewhere
	memory  memoryKeys

	backing sync.Mutex // held by the one backup

	erasing chan struct{} // something was deleted
	erasure sync.Mutex    // held by the one erasure
	traces  bool          // the write-ahead log may hold what was erased; guarded by erasure

	stop     context.CancelFunc // ends what runs in the background
	sweeping sync.WaitGroup
}

// Exists reports whether a directory holds a database.
func Exists(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, databaseFile))
	return err == nil && info.Mode().IsRegular()
}

// Open takes the data directory for this process and brings its schema up to
// date. The error is [ErrLocked] while another process holds the directory,
// [ErrNewerSchema] if a newer version wrote it, and [ErrKeyFormat] if the key
// is not one.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	db := &DB{config: c, hasher: newHasher(c.Passwords), erasing: make(chan struct{}, 1), traces: true}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open data directory: %w", err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	dir, err := filepath.Abs(db.config.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if db.lock, err = lockDir(filepath.Join(dir, lockFile)); err != nil {
		return err
	}
	db.file = filepath.Join(dir, databaseFile)
	if err := removeCopies(dir); err != nil {
		return err
	}
	// SQLite gives its files beside the database the mode of the database.
	f, err := os.OpenFile(db.file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if db.writer, err = connect(writerDialect(db.file), 1); err != nil {
		return err
	}
	if err := migrate(ctx, db.writer, migrations()); err != nil {
		return err
	}
	if db.reader, err = connect(readerDialect(db.file), readers); err != nil {
		return err
	}
	if err := db.openKey(ctx); err != nil {
		return err
	}
	db.queue = newWriteQueue(db.writer)
	background, stop := context.WithCancel(context.Background())
	db.stop = stop
	db.sweeping.Go(func() { db.Sessions().sweepUntil(background) })
	db.sweeping.Go(func() { db.Conversations().eraseUntil(background) })
	return nil
}

// openKey finds the key for stored credentials, and warns of what is wrong with
// it.
func (db *DB) openKey(ctx context.Context) error {
	made := false
	if db.config.Key.Empty() {
		db.keyFile = filepath.Join(filepath.Dir(db.file), keyFile)
		if err := db.settleRotation(ctx); err != nil {
			return err
		}
		_, err := os.Stat(db.keyFile)
		made = errors.Is(err, fs.ErrNotExist)
	}
	if err := db.checkPermissions(ctx); err != nil {
		return err
	}
	var err error
	if db.sealer, err = openSealer(db.config.Key, db.keyFile); err != nil {
		return err
	}
	return db.checkSealed(ctx, made)
}

// connect opens a pool. GORM says nothing: an error is returned, and whoever
// handles it may log it, without the values that GORM would add.
func connect(d gorm.Dialector, connections int) (*gorm.DB, error) {
	g, err := gorm.Open(d, &gorm.Config{
		SkipDefaultTransaction: true,
		Logger:                 logger.Discard,
	})
	if err != nil {
		return nil, err
	}
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return g, nil
}

// Close finishes the writes that wait and lets the directory go. It may be
// called twice.
func (db *DB) Close() error {
	if db.queue != nil {
		db.stop()
		db.sweeping.Wait()
		db.queue.close()
	}
	var errs []error
	for _, g := range []*gorm.DB{db.reader, db.writer} {
		if g == nil {
			continue
		}
		pool, err := g.DB()
		if err == nil {
			err = pool.Close()
		}
		errs = append(errs, err)
	}
	if db.lock != nil {
		errs = append(errs, db.lock.release())
	}
	return errors.Join(errs...)
}

func (db *DB) read(ctx context.Context) *gorm.DB { return db.reader.WithContext(ctx) }

func (db *DB) write(ctx context.Context, do func(tx *gorm.DB) error) error {
	return db.queue.do(ctx, priorityFacts, do)
}

func (db *DB) now() time.Time { return db.config.Now().UTC() }

// failed says what failed. The end of the context is the cause of any error
// that comes with it.
func failed(ctx context.Context, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, gorm.ErrRecordNotFound):
		return ErrNotFound
	}
	return fmt.Errorf("%s: %w", what, err)
}

// A stamp is a time as it is stored: nanoseconds since 1970, zero for the zero
// time. It holds the years 1678 to 2261.
type stamp int64

func stampOf(t time.Time) stamp {
	if t.IsZero() {
		return 0
	}
	return stamp(t.UnixNano())
}

func (s stamp) time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(s)).UTC()
}
