-- Form 1 of the ledger. A later form is another file here, which changes this one into it.
-- Times are Unix milliseconds, in UTC. Tokens are o200k.

-- One row a call. Bytes and tokens are of what the model would have read, and of what it read.
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    chain TEXT NOT NULL,
    client TEXT,
    client_version TEXT,
    session TEXT NOT NULL,
    withheld INTEGER NOT NULL,
    failed INTEGER NOT NULL,        -- a step of it did not do its work
    bytes_before INTEGER NOT NULL,
    bytes_after INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    time_us INTEGER NOT NULL,
    reference TEXT                  -- of the original, where it was kept
) STRICT;
CREATE INDEX calls_by_time ON calls (time_ms);
CREATE INDEX calls_by_reference ON calls (reference) WHERE reference IS NOT NULL;

-- What a step did to the documents of a call: one row for each outcome that it had there. A result
-- may be a hundred documents, and nobody asks about each.
CREATE TABLE steps (
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,          -- its place in the chain, from 0
    outcome TEXT NOT NULL,
    filter TEXT NOT NULL,
    documents INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cut INTEGER NOT NULL,
    bytes_before INTEGER NOT NULL,
    bytes_after INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    time_us INTEGER NOT NULL,
    PRIMARY KEY (call, step, outcome)
) STRICT, WITHOUT ROWID;

-- What a model read back of an original: it counts against the call that the original is from.
CREATE TABLE reads (
    id INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    server TEXT NOT NULL,
    session TEXT NOT NULL,
    reference TEXT,
    call INTEGER REFERENCES calls (id) ON DELETE CASCADE,  -- null: no call here is known for it
    bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX reads_by_call ON reads (call);
CREATE INDEX reads_by_time ON reads (time_ms);

-- Receipts that were dropped, a row each time that some were.
CREATE TABLE drops (
    time_ms INTEGER NOT NULL,
    receipts INTEGER NOT NULL
) STRICT;
