-- How many standing permissions a conversation has, to find those of a person.
ALTER TABLE conversations ADD COLUMN grants INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET grants = coalesce(json_array_length(CAST(head AS TEXT), '$.grants'), 0) WHERE deleted = 0;
CREATE INDEX conversations_grants ON conversations (owner, updated_at DESC, id) WHERE grants > 0;
