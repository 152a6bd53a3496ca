-- Keys can be kept in memory, in the keychain of the system, or be printed by
-- a command; and what a person may see of a saved key is stored beside it.
-- Which kinds there are is checked by the program alone from here on.
CREATE TABLE providers_next (
    id                    TEXT    NOT NULL PRIMARY KEY,
    name                  TEXT    NOT NULL UNIQUE,
    api                   TEXT    NOT NULL,
    base_url              TEXT    NOT NULL,
    allow_private_network INTEGER NOT NULL,
    credential            TEXT    NOT NULL,
    credential_env        TEXT    NOT NULL,
    credential_command    BLOB,
    sealed                BLOB,
    keychain_item         TEXT    NOT NULL,
    key_hint              TEXT    NOT NULL,
    key_saved_at          INTEGER NOT NULL,
    options               BLOB    NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL
) STRICT;
INSERT INTO providers_next
SELECT id, name, api, base_url, allow_private_network, credential, credential_env, NULL, sealed,
    '', '', 0, options, created_at, updated_at
FROM providers;
DROP TABLE providers;
ALTER TABLE providers_next RENAME TO providers;
