-- What admins set for the whole server: a JSON value to a name. What is not
-- here has its default.
CREATE TABLE settings (
    name       TEXT    NOT NULL PRIMARY KEY,
    value      BLOB    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
