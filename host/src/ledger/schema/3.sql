-- Form 3: which numbers of tokens are estimates, since more texts came than could be counted.

ALTER TABLE calls ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reads ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0;
