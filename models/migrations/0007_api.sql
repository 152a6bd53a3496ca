-- Keys with which programs use the HTTP API in the name of a person. Of the
-- token there is a hash alone. A key that was revoked is gone.
CREATE TABLE api_keys (
    id         TEXT    NOT NULL PRIMARY KEY,
    token_hash BLOB    NOT NULL UNIQUE,
    prefix     TEXT    NOT NULL,
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    scopes     TEXT    NOT NULL,
    created_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at DESC);

-- What was answered to a request that named itself, for when it comes again.
CREATE TABLE api_answers (
    request     BLOB    NOT NULL PRIMARY KEY,
    fingerprint BLOB    NOT NULL,
    status      INTEGER NOT NULL,
    body        BLOB    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX api_answers_by_time ON api_answers (created_at);

-- How many messages wait in a conversation, so that the run which one of them
-- will start can be found.
ALTER TABLE conversations ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET queued = coalesce(json_array_length(CAST(head AS TEXT), '$.queue'), 0) WHERE deleted = 0;
CREATE INDEX conversations_with_queue ON conversations (owner) WHERE queued > 0;
