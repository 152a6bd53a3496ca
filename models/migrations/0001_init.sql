-- Times are nanoseconds since 1970, zero for none. Columns that hold JSON are
-- BLOBs: the bytes come back as they were written.

-- The journal and what follows from it. Only events and the segments and
-- replays of attempt_outputs are facts; the rest is computed from them and can
-- be computed again.

CREATE TABLE conversations (
    id         TEXT    NOT NULL PRIMARY KEY,
    owner      TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    last_seq   INTEGER NOT NULL,
    run_status TEXT    NOT NULL,
    needs_you  INTEGER NOT NULL,
    head       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_by_owner ON conversations (owner, updated_at DESC, id DESC);
CREATE INDEX conversations_that_need ON conversations (owner) WHERE needs_you = 1;

CREATE TABLE events (
    conversation TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    run          TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    data         BLOB    NOT NULL,
    PRIMARY KEY (conversation, seq)
) STRICT;
CREATE INDEX events_by_run ON events (conversation, run, seq);

CREATE TABLE runs (
    id           TEXT    NOT NULL UNIQUE,
    conversation TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    first_seq    INTEGER NOT NULL,
    status       TEXT    NOT NULL,
    epoch        INTEGER NOT NULL,
    rewound      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER NOT NULL,
    PRIMARY KEY (conversation, id)
) STRICT;
CREATE INDEX runs_by_place ON runs (conversation, first_seq DESC);
CREATE INDEX runs_unfinished ON runs (created_at, id) WHERE rewound = 0 AND status IN ('pending', 'running');

CREATE TABLE interactions (
    id           TEXT    NOT NULL,
    conversation TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    run          TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    expires_at   INTEGER NOT NULL,
    open         INTEGER NOT NULL,
    PRIMARY KEY (conversation, id)
) STRICT;
CREATE INDEX interactions_expiring ON interactions (expires_at) WHERE open = 1 AND expires_at <> 0;

-- What attempts produced: private, prunable, never on a page.
CREATE TABLE attempt_outputs (
    conversation TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    attempt      TEXT    NOT NULL,
    run          TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    withdrawn    INTEGER NOT NULL,
    rewound      INTEGER NOT NULL,
    segments     BLOB    NOT NULL,
    replay       BLOB,
    PRIMARY KEY (conversation, attempt)
) STRICT;

CREATE TABLE users (
    id            TEXT    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL,
    email_key     TEXT    NOT NULL UNIQUE,
    name          TEXT    NOT NULL,
    role          TEXT    NOT NULL CHECK (role IN ('admin', 'member')),
    password_hash TEXT    NOT NULL,
    disabled      INTEGER NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    token      TEXT    NOT NULL PRIMARY KEY,
    data       BLOB    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE providers (
    id                    TEXT    NOT NULL PRIMARY KEY,
    name                  TEXT    NOT NULL UNIQUE,
    api                   TEXT    NOT NULL,
    base_url              TEXT    NOT NULL,
    allow_private_network INTEGER NOT NULL,
    credential            TEXT    NOT NULL CHECK (credential IN ('none', 'env', 'sealed')),
    credential_env        TEXT    NOT NULL,
    sealed                BLOB,
    options               BLOB    NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    definition BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE notes (
    conversation TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    title        TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (conversation, title)
) STRICT;
