-- Outside sources of tools, and what is known of their tools.
CREATE TABLE connectors (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    slug       TEXT    NOT NULL UNIQUE,
    definition BLOB    NOT NULL,
    sealed     BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE connector_tools (
    connector TEXT    NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
    name      TEXT    NOT NULL,
    place     INTEGER NOT NULL,
    verb      TEXT    NOT NULL,
    declared  BLOB    NOT NULL,
    accepted  BLOB    NOT NULL,
    PRIMARY KEY (connector, name)
) STRICT;
