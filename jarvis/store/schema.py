"""The tables of history, the same in SQLite and Postgres: each version changes those of the one before."""

# Children first.
TABLES = ("addresses", "steps", "turns", "threads")
ITEMS = "items"  # what is on the person's own lists, which are in no thread
# Who wrote the tables: this table names their format and version. Earlier formats had the other one.
FORMAT, MARK, EARLIER_MARK = "jarvis-1", "jarvis_format", "schema_version"
READ_MARK = f"SELECT format, version FROM {MARK}"

_V1 = """
CREATE TABLE threads (
    id TEXT PRIMARY KEY, created_at DOUBLE PRECISION NOT NULL, used_at DOUBLE PRECISION NOT NULL,
    title TEXT NOT NULL DEFAULT '',  -- its first request, or what they called it
    turns INTEGER NOT NULL DEFAULT 0,  -- how many there are: the newest one's number
    typed INTEGER NOT NULL DEFAULT 0,  -- how many ids of each kind were minted, so that none is reused
    found INTEGER NOT NULL DEFAULT 0, offers INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE turns (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
    own INTEGER NOT NULL DEFAULT 0,  -- 1: goal is the person's own words alone
    piped TEXT NOT NULL DEFAULT '',  -- what was piped in besides the words
    intent TEXT,  -- the parts of what they asked for, as JSON; NULL: none was read
    status TEXT NOT NULL, reply TEXT NOT NULL DEFAULT '',
    shown TEXT,  -- the addresses' ids in the order in which they were listed to the person
    tables BYTEA,  -- that it found or made, packed; NULL: none
    private INTEGER NOT NULL DEFAULT 0,  -- 1: it read what is the person's own
    question TEXT,  -- what nobody could answer, and what its answer would do
    asked TEXT,  -- its id, while it waits; then also who took it
    error TEXT, usage TEXT, started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION,
    -- 1: its client confirmed that all of it was shown; 2: so, and what was perhaps sent is looked for again
    confirmed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (thread, n)
);
CREATE INDEX turns_shown ON turns (thread, n) WHERE shown IS NOT NULL;
CREATE INDEX turns_unconfirmed ON turns (thread) WHERE confirmed != 1;
CREATE INDEX turns_asked ON turns (asked) WHERE asked IS NOT NULL;
CREATE TABLE steps (
    turn TEXT NOT NULL, n INTEGER NOT NULL, action TEXT NOT NULL, arguments TEXT NOT NULL,
    why TEXT NOT NULL DEFAULT '',  -- the planner's own sentence
    ends INTEGER NOT NULL DEFAULT 0,  -- 1: its plan had `finish`
    part INTEGER NOT NULL DEFAULT 0,  -- of the intent that it uses up, from 1; 0: none
    rule TEXT NOT NULL DEFAULT '',  -- that let it pass, or refused it
    target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
    confirmed INTEGER NOT NULL DEFAULT 0,  -- 1: its outcome was shown, or need not be
    started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION,
    PRIMARY KEY (turn, n)
){compact};
CREATE TABLE addresses (
    thread TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
    official TEXT NOT NULL, official_name TEXT NOT NULL DEFAULT '',  -- why it is official, and of what name
    turn INTEGER NOT NULL, step INTEGER NOT NULL,
    place INTEGER NOT NULL DEFAULT 0,  -- in the search's results, from 1
    opened INTEGER, shown INTEGER,  -- the numbers of the last turns that opened it, and that listed it
    PRIMARY KEY (thread, id)
){compact};
CREATE INDEX addresses_turn ON addresses (thread, turn, step);
CREATE INDEX addresses_opened ON addresses (thread, opened) WHERE opened IS NOT NULL;
CREATE TABLE leases (  -- on a server, who may write in a thread
    thread TEXT PRIMARY KEY,
    holder TEXT NOT NULL,  -- a process, and its turn
    generation INTEGER NOT NULL,  -- how often it was taken
    until DOUBLE PRECISION NOT NULL  -- by the server's clock; 0: it was given back
){compact};
CREATE TABLE usage (
    day TEXT NOT NULL,  -- of the person's own calendar: 2026-01-31
    thread TEXT NOT NULL, model_calls INTEGER NOT NULL DEFAULT 0, searches INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, thread)
){compact};
CREATE TABLE people (
    name TEXT PRIMARY KEY  -- MACHINE:FOLDER of their data
){compact};
CREATE TABLE items (
    pack TEXT NOT NULL, list TEXT NOT NULL,
    id TEXT NOT NULL,  -- tells it from all others on its list
    body TEXT NOT NULL,  -- what its pack knows of it, as JSON
    at DOUBLE PRECISION NOT NULL,  -- when it was put there
    PRIMARY KEY (pack, list, id)
){compact};
"""
# By version, from the first; `{compact}`: what a database adds for tables that are their own index.
MIGRATIONS = [_V1]
# Finds a table of another program's on a server. Ours are these, LangGraph's, and those of earlier formats.
FIND_OTHERS = (
    "SELECT 1 FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$' AND tablename !~ '^(addresses|"
    f"allowed|checkpoint.*|items|{MARK}|leases|people|{EARLIER_MARK}|steps|threads|turns|usage)$' LIMIT 1"
)
