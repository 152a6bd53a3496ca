-- Files of messages. One without a conversation is not sent yet. The bytes are
-- kept once for each content, in parts, so that no write holds up others.
CREATE TABLE attachments (
    id           TEXT    NOT NULL PRIMARY KEY,
    owner        TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    type         TEXT    NOT NULL,
    size         INTEGER NOT NULL,
    hash         TEXT    NOT NULL,
    preview      BLOB,
    ready        INTEGER NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX attachments_by_owner ON attachments (owner, conversation);
CREATE INDEX attachments_by_conversation ON attachments (conversation, created_at);
CREATE INDEX attachments_by_content ON attachments (hash);

CREATE TABLE attachment_parts (
    hash TEXT    NOT NULL,
    part INTEGER NOT NULL,
    data BLOB    NOT NULL,
    PRIMARY KEY (hash, part)
) STRICT;
