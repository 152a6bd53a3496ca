-- Whom programs serve: an end user is whoever a program says, of one agent. The
-- person of the program's key answers for them.
CREATE TABLE end_users (
    id         TEXT    NOT NULL PRIMARY KEY,
    host       TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    agent      TEXT    NOT NULL,
    external   TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (host, agent, external)
) STRICT;

-- Tokens of end users, by their hashes. They end with the key that made them.
CREATE TABLE end_user_tokens (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    end_user   TEXT    NOT NULL REFERENCES end_users (id) ON DELETE CASCADE,
    api_key    TEXT    NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX end_user_tokens_by_key ON end_user_tokens (api_key);
CREATE INDEX end_user_tokens_by_user ON end_user_tokens (end_user);
CREATE INDEX end_user_tokens_by_expiry ON end_user_tokens (expires_at);
