-- Form 2: what clients showed their models, and what Tamis itself added to every request.

-- Tokens of a result as the client would have shown it without Tamis, and as it showed it. Null in rows of form 1:
-- `tokens_before` and `tokens_after` are the nearest to that.
ALTER TABLE calls ADD COLUMN shown_before INTEGER;
ALTER TABLE calls ADD COLUMN shown_after INTEGER;

-- The agent that asked: all of its servers' proxies have the same name for it. Null: nobody is charged with a request.
ALTER TABLE calls ADD COLUMN agent TEXT;
ALTER TABLE reads ADD COLUMN agent TEXT;

-- What Tamis added to what an agent sends with every request, such as its list of tools; less than none where it took
-- more out. Of one agent, server and part the last row counts.
CREATE TABLE listings (
    id INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    agent TEXT NOT NULL,
    server TEXT NOT NULL,
    part TEXT NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX listings_by_agent ON listings (agent, server, part, id);
CREATE INDEX listings_by_time ON listings (time_ms);
