-- One row per attempt. Texts are words of closed sets or names; moments are microseconds since the
-- Unix epoch, UTC; money is whole nano-dollars, NULL where a model has no price.
CREATE TABLE llm_calls (
    id                  TEXT NOT NULL PRIMARY KEY,
    ts                  INTEGER NOT NULL,
    request_id          TEXT NOT NULL,
    client_request_id   TEXT,
    session_id          TEXT,
    user_id             TEXT,
    key_name            TEXT,
    label               TEXT,
    chain               TEXT NOT NULL,
    tier                TEXT,
    provider            TEXT,
    model               TEXT,
    attempt             INTEGER,
    tier_attempt        INTEGER,
    stream              INTEGER NOT NULL,
    outcome             TEXT NOT NULL,
    quality             TEXT,
    finish_reason       TEXT,
    finish_reason_raw   TEXT,
    error_kind          TEXT,
    http_status         INTEGER,
    prompt_tokens       INTEGER,
    completion_tokens   INTEGER,
    cached_tokens       INTEGER,
    cache_write_tokens  INTEGER,
    reasoning_tokens    INTEGER,
    tokens_estimated    INTEGER NOT NULL,
    cost_nanousd        INTEGER,
    cost_usd            REAL GENERATED ALWAYS AS (cost_nanousd / 1e9) VIRTUAL,
    latency_ms          INTEGER NOT NULL,
    ttft_ms             INTEGER,
    wait_ms             INTEGER NOT NULL,
    released            INTEGER NOT NULL,
    rescued             INTEGER NOT NULL,
    provider_request_id TEXT,
    trace_id            TEXT,
    note                TEXT,
    detail              TEXT NOT NULL
) STRICT;

CREATE INDEX llm_calls_by_ts ON llm_calls (ts);
CREATE INDEX llm_calls_by_request ON llm_calls (request_id);
CREATE INDEX llm_calls_by_client_request ON llm_calls (client_request_id) WHERE client_request_id IS NOT NULL;
CREATE INDEX llm_calls_by_session ON llm_calls (session_id, ts) WHERE session_id IS NOT NULL;
CREATE INDEX llm_calls_by_user ON llm_calls (user_id, ts) WHERE user_id IS NOT NULL;
-- What is worth a look, and what outlives the ok rows.
CREATE INDEX llm_calls_with_a_story ON llm_calls (ts) WHERE NOT (outcome = 'ok' AND attempt IS 1 AND rescued = 0);

-- Captured text, only where the operator turned capture on.
CREATE TABLE llm_texts (
    id      TEXT NOT NULL PRIMARY KEY,
    prompt  TEXT NOT NULL,
    answer  TEXT NOT NULL
) STRICT;

CREATE TRIGGER llm_texts_go_with_their_call AFTER DELETE ON llm_calls
BEGIN
    DELETE FROM llm_texts WHERE id = old.id;
END;

-- Hourly totals, kept for good. `hour` is the start of the hour; a name that was absent is ''.
CREATE TABLE llm_hours (
    hour                INTEGER NOT NULL,
    chain               TEXT NOT NULL,
    tier                TEXT NOT NULL,
    user_id             TEXT NOT NULL,
    key_name            TEXT NOT NULL,
    label               TEXT NOT NULL,
    attempts            INTEGER NOT NULL,
    skipped             INTEGER NOT NULL,
    ok                  INTEGER NOT NULL,
    quality             INTEGER NOT NULL,
    errors              INTEGER NOT NULL,
    aborted             INTEGER NOT NULL,
    first_ok            INTEGER NOT NULL,
    rescued             INTEGER NOT NULL,
    unpriced            INTEGER NOT NULL,
    prompt_tokens       INTEGER NOT NULL,
    completion_tokens   INTEGER NOT NULL,
    cached_tokens       INTEGER NOT NULL,
    cache_write_tokens  INTEGER NOT NULL,
    reasoning_tokens    INTEGER NOT NULL,
    cost_nanousd        INTEGER NOT NULL,
    wasted_nanousd      INTEGER NOT NULL,
    latency_ms          INTEGER NOT NULL,
    cost_usd            REAL GENERATED ALWAYS AS (cost_nanousd / 1e9) VIRTUAL,
    PRIMARY KEY (hour, chain, tier, user_id, key_name, label)
) STRICT, WITHOUT ROWID;

-- What each scope has spent in each window: a day, a month, or `ever`. `name` is '' for everybody.
CREATE TABLE ledger_spent (
    scope       TEXT NOT NULL,
    name        TEXT NOT NULL,
    window      TEXT NOT NULL,
    nanousd     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    PRIMARY KEY (scope, name, window)
) STRICT, WITHOUT ROWID;

-- What is set aside for calls that have begun and not ended, as JSON.
CREATE TABLE ledger_open (
    id          INTEGER NOT NULL PRIMARY KEY,
    at          INTEGER NOT NULL,
    reserved    TEXT NOT NULL
) STRICT;

-- By how many thousandths a model's worst case is raised, after a bill above it.
CREATE TABLE ledger_margins (
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    thousandths INTEGER NOT NULL,
    PRIMARY KEY (provider, model)
) STRICT, WITHOUT ROWID;

-- The health of tiers that are not simply available, as it was last told. `state`, `until` and `why` are
-- for people; `record` is the whole of it, as JSON.
CREATE TABLE tier_health (
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    key_name    TEXT,
    state       TEXT NOT NULL,
    until       INTEGER,
    why         TEXT NOT NULL,
    record      TEXT NOT NULL
) STRICT;

-- Switches and other single values.
CREATE TABLE mainstay_state (
    name    TEXT NOT NULL PRIMARY KEY,
    value   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Up to where the journal has been taken; always one row.
CREATE TABLE journal_taken (
    one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    segment INTEGER NOT NULL,
    byte    INTEGER NOT NULL
) STRICT;

INSERT INTO journal_taken (one, segment, byte) VALUES (1, 0, 0);
