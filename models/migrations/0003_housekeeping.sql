ALTER TABLE conversations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
DROP INDEX conversations_by_owner;
CREATE INDEX conversations_by_owner ON conversations (owner, archived, updated_at DESC, id DESC);

-- A deleted conversation is nobody's and is erased part by part; its row goes
-- last.
ALTER TABLE conversations ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_deleted ON conversations (id) WHERE deleted = 1;

-- What remains of the decisions in deleted conversations: that they were made,
-- without a word of what they were about.
CREATE TABLE erased_decisions (
    id           INTEGER PRIMARY KEY,
    conversation TEXT    NOT NULL,
    run          TEXT    NOT NULL,
    tool         TEXT    NOT NULL,
    verdict      TEXT    NOT NULL,
    origin       TEXT    NOT NULL,
    actor        TEXT    NOT NULL,
    at           INTEGER NOT NULL
) STRICT;
CREATE INDEX erased_decisions_by_time ON erased_decisions (at DESC, id DESC);
