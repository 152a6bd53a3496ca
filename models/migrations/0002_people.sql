-- Sessions say whose they are, so that people can look through theirs and end
-- them. Earlier ones do not: everybody signs in once more.
DROP TABLE sessions;
CREATE TABLE sessions (
    token      TEXT    NOT NULL PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    user_id    TEXT    NOT NULL,
    browser    TEXT    NOT NULL,
    data       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE INDEX sessions_by_user ON sessions (user_id, used_at DESC);

ALTER TABLE users ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE invitations (
    id         TEXT    NOT NULL PRIMARY KEY,
    token_hash BLOB    NOT NULL UNIQUE,
    email      TEXT    NOT NULL,
    email_key  TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    role       TEXT    NOT NULL CHECK (role IN ('admin', 'member')),
    invited_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
