package models

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	engine "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// This file alone chooses the SQLite engine: the pure Go one, so that the
// program builds without a C compiler.

// writerDialect opens the file for the one writer: a commit is on disk when it
// returns, and what is deleted is overwritten.
func writerDialect(file string) gorm.Dialector {
	return dialect(file, url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"},
	})
}

// readerDialect opens the file for connections that can't write.
func readerDialect(file string) gorm.Dialector {
	return dialect(file, url.Values{
		"_pragma": {"busy_timeout(5000)", "foreign_keys(1)", "query_only(1)"},
	})
}

// copierDialect opens the file for making a copy, which query_only would not
// let into another file.
func copierDialect(file string) gorm.Dialector {
	return dialect(file, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}})
}

func dialect(file string, options url.Values) gorm.Dialector {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}
	return sqlite.New(sqlite.Config{DriverName: "sqlite", DSN: dsn.String()})
}

// checkpoint takes the write-ahead log into the file and empties it, and
// reports whether it did: while somebody reads from the log it gives up soon.
func checkpoint(ctx context.Context, file string) (done bool, err error) {
	db, err := connect(dialect(file, url.Values{"_pragma": {"busy_timeout(200)", "synchronous(FULL)"}}), 1)
	if err != nil {
		return false, err
	}
	pool, err := db.DB()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	var busy, pages, moved int
	err = db.WithContext(ctx).Raw("PRAGMA wal_checkpoint(TRUNCATE)").Row().Scan(&busy, &pages, &moved)
	return err == nil && busy == 0, err
}

// isDuplicate reports whether an error says that a unique column has the value
// already. GORM's own translation does not know this engine.
func isDuplicate(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) &&
		(e.Code() == codes.SQLITE_CONSTRAINT_UNIQUE || e.Code() == codes.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// isFull reports whether an error says that the disk is full. The engine has a
// code of its own for that, but not where it makes room in advance: for the
// index of the write-ahead log.
func isFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) {
		return true
	}
	var e *engine.Error
	return errors.As(err, &e) && (e.Code()&0xff == codes.SQLITE_FULL || e.Code() == codes.SQLITE_IOERR_SHMSIZE)
}
