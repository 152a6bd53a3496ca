-- What every attempt used. It follows from the journal, but outlives it: what a
-- deleted conversation cost was paid all the same, and there is no word of it
-- here.
CREATE TABLE usage (
    conversation  TEXT    NOT NULL,
    attempt       TEXT    NOT NULL,
    run           TEXT    NOT NULL,
    owner         TEXT    NOT NULL,
    provider      TEXT    NOT NULL,
    provider_name TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    input_total   INTEGER,
    cache_read    INTEGER,
    cache_write   INTEGER,
    output        INTEGER,
    reasoning     INTEGER,
    cost_nano_usd INTEGER,
    PRIMARY KEY (conversation, attempt)
) STRICT;
CREATE INDEX usage_by_time ON usage (at);
CREATE INDEX usage_by_owner ON usage (owner, at);
