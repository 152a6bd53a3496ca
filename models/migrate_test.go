package models

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func files(names ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, n := range names {
		m[n] = &fstest.MapFile{Data: []byte("SELECT 1")}
	}
	return m
}

func TestLoadMigrations(t *testing.T) {
	t.Parallel()
	list, err := loadMigrations(migrations())
	if err != nil || len(list) == 0 {
		t.Fatalf("%d migrations, %v", len(list), err)
	}
	for _, bad := range []fstest.MapFS{
		files("0002_b.sql"),
		files("0001_a.sql", "0003_c.sql"),
		files("0001_a.sql", "0001_b.sql"),
		files("1_a.sql"),
		files("0001.sql"),
		files("readme.sql"),
	} {
		if _, err := loadMigrations(bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	db, err := connect(writerDialect(t.TempDir()+"/m.db"), 1)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	steps := fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1)")},
		"0002_b.sql": {Data: []byte("UPDATE a SET x = x + 1")},
	}
	for range 2 { // the second time does nothing
		if err := migrate(t.Context(), db, steps); err != nil {
			t.Fatal(err)
		}
	}
	steps["0003_c.sql"] = &fstest.MapFile{Data: []byte("UPDATE a SET x = 100; CREATE TABLE a (y INTEGER)")}
	if err := migrate(t.Context(), db, steps); err == nil || !strings.Contains(err.Error(), "0003_c") {
		t.Errorf("a broken migration: got %v", err)
	}
	var x int
	if err := db.Raw("SELECT x FROM a").Scan(&x).Error; err != nil || x != 2 {
		t.Errorf("x is %d, %v, want 2", x, err)
	}
	delete(steps, "0003_c.sql")
	delete(steps, "0002_b.sql")
	if err := migrate(t.Context(), db, steps); !errors.Is(err, ErrNewerSchema) {
		t.Errorf("an older program: got %v, want ErrNewerSchema", err)
	}
}

func TestOpen_NewerSchema(t *testing.T) {
	t.Parallel()
	c := Config{Dir: t.TempDir()}
	db := openTest(t, c)
	if err := db.writer.Exec("INSERT INTO migrations VALUES (9999, 'future')").Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a refusal keeps no lock
		if _, err := Open(t.Context(), c); !errors.Is(err, ErrNewerSchema) {
			t.Errorf("got %v, want ErrNewerSchema", err)
		}
	}
}

// Every table has a row type whose columns are the table's.
func TestSchema_MatchesRows(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	var tables []string
	if err := db.reader.Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('migrations') ORDER BY name").Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	rows := rowTypes()
	for _, table := range tables {
		row, ok := rows[table]
		if !ok {
			t.Errorf("table %s has no row type", table)
			continue
		}
		var columns []string
		if err := db.reader.Raw("SELECT name FROM pragma_table_info(?) ORDER BY name", table).Scan(&columns).Error; err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(columns, columnsOf(t, db, row)); diff != "" {
			t.Errorf("%s (-table +row):\n%s", table, diff)
		}
		delete(rows, table)
	}
	for table := range rows {
		t.Errorf("row type %s has no table", table)
	}
}
