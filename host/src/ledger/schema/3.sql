-- Form 3: estimates, and which tools agents use.

-- Numbers of tokens that are estimates, since more texts came than could be counted.
ALTER TABLE calls ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reads ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0;

-- Which tools an agent used.
CREATE INDEX calls_by_agent ON calls (agent, server, tool) WHERE agent IS NOT NULL;
