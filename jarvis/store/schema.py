"""The tables of history, the same in SQLite and Postgres: each version changes those of the one before."""

# Children first.
TABLES = ("addresses", "steps", "turns", "threads")
ITEMS = "items"  # what is on the person's own lists, which are in no thread
# The pack whose lists were the only ones up to the seventh version. No other pack is known here.
FIRST_PACK = "shop"

_V1 = """
CREATE TABLE threads (
    id TEXT PRIMARY KEY, created_at DOUBLE PRECISION NOT NULL, used_at DOUBLE PRECISION NOT NULL,
    turns INTEGER NOT NULL DEFAULT 0,  -- how many there are: the newest one's number
    typed INTEGER NOT NULL DEFAULT 0,  -- how many ids of each kind were minted, so that none is reused
    found INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE turns (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
    status TEXT NOT NULL, reply TEXT NOT NULL DEFAULT '',
    shown TEXT,  -- the addresses' ids in the order in which they were listed to the person
    error TEXT, usage TEXT, pid INTEGER, started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION,
    UNIQUE (thread, n)
);
CREATE INDEX turns_shown ON turns (thread, n) WHERE shown IS NOT NULL;
CREATE INDEX turns_open ON turns (thread) WHERE status = 'open';
CREATE TABLE steps (
    turn TEXT NOT NULL, n INTEGER NOT NULL, action TEXT NOT NULL, arguments TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
    started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION,
    PRIMARY KEY (turn, n)
){compact};
CREATE TABLE addresses (
    thread TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
    official TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL,
    opened INTEGER,  -- the number of the last turn that opened it
    PRIMARY KEY (thread, id)
){compact};
CREATE INDEX addresses_turn ON addresses (thread, turn, step);
CREATE INDEX addresses_opened ON addresses (thread, opened) WHERE opened IS NOT NULL;
"""
_V2 = """
ALTER TABLE addresses ADD COLUMN shown INTEGER;  -- the number of the last turn that listed it
UPDATE addresses SET shown = turn;  -- which of them were listed was not written down before
CREATE TABLE usage (
    day TEXT NOT NULL,  -- of the person's own calendar: 2026-01-31
    thread TEXT NOT NULL, model_calls INTEGER NOT NULL DEFAULT 0, searches INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, thread)
){compact};
CREATE TABLE people (
    name TEXT PRIMARY KEY,  -- MACHINE:FOLDER of their data; earlier versions wrote who they are there
    warned INTEGER NOT NULL DEFAULT 0  -- not read any more
){compact};
"""
_V3 = """
ALTER TABLE turns ADD COLUMN question TEXT;  -- what nobody could answer, and what its answer would do
ALTER TABLE turns ADD COLUMN asked TEXT;  -- its id, while it waits; then also who took it
CREATE INDEX turns_asked ON turns (asked) WHERE asked IS NOT NULL;
ALTER TABLE steps ADD COLUMN rule TEXT NOT NULL DEFAULT '';  -- that let it pass, or refused it
ALTER TABLE steps ADD COLUMN why TEXT NOT NULL DEFAULT '';  -- the planner's own sentence
ALTER TABLE addresses ADD COLUMN place INTEGER NOT NULL DEFAULT 0;  -- in the search's results, from 1
CREATE TABLE allowed (  -- not read any more: whoever writes here could have said yes
    thread TEXT NOT NULL, effect TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (thread, effect, name)
){compact};
"""
_V4 = """
ALTER TABLE turns ADD COLUMN piped TEXT NOT NULL DEFAULT '';  -- what was piped in besides the words
ALTER TABLE turns ADD COLUMN intent TEXT;  -- the parts of what they asked for, as JSON; NULL: none was read
ALTER TABLE turns ADD COLUMN own INTEGER NOT NULL DEFAULT 0;  -- 1: goal is the person's own words alone
ALTER TABLE addresses ADD COLUMN official_name TEXT NOT NULL DEFAULT '';  -- that official holds for
"""
# Of older threads, titles are their first words, where those were surely the person's own.
_V5 = """
ALTER TABLE threads ADD COLUMN title TEXT NOT NULL DEFAULT '';  -- its first request, or what they called it
UPDATE threads SET title = COALESCE((
    SELECT SUBSTR(REPLACE(goal, '\n', ' '), 1, 80) FROM turns WHERE thread = threads.id AND n = 1 AND own = 1
), '');
"""
_V6 = """
ALTER TABLE threads ADD COLUMN offers INTEGER NOT NULL DEFAULT 0;  -- how many ids of these were minted
ALTER TABLE turns ADD COLUMN tables BYTEA;  -- that it found or made, packed; NULL: none
CREATE TABLE kept (
    id TEXT PRIMARY KEY, list TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
    cells TEXT NOT NULL,  -- what was known of it when it was kept, as JSON
    url TEXT NOT NULL, added_at DOUBLE PRECISION NOT NULL, removed_at DOUBLE PRECISION
){compact};
CREATE UNIQUE INDEX kept_once ON kept (list, url) WHERE removed_at IS NULL AND url != '';
CREATE TABLE prices (
    kept TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL,
    source TEXT NOT NULL, PRIMARY KEY (kept, at)
){compact};
"""
_V7 = """
ALTER TABLE turns ADD COLUMN pid_since TEXT;  -- when the process of that pid began; NULL: not known
ALTER TABLE steps ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;  -- 1: unknown, and nobody has heard so yet
CREATE INDEX steps_untold ON steps (turn) WHERE untold = 1;
"""
# As JSON has it, of a text in a column; a control character is left as it is.
_TITLE, _URL, _AMOUNT, _CURRENCY, _SOURCE = (
    f"""'"' || REPLACE(REPLACE({column}, '\\', '\\\\'), '"', '\\"') || '"'"""
    for column in ("title", "url", "amount", "currency", "source")
)
# What a thing cost when that was seen first (ASC), or last (DESC).
_PRICE = (
    f"COALESCE((SELECT '{{\"at\": ' || at || ', \"amount\": ' || {_AMOUNT}"
    f" || ', \"currency\": ' || {_CURRENCY} || ', \"source\": ' || {_SOURCE} || '}}'"
    " FROM prices WHERE prices.kept = kept.id ORDER BY at %s LIMIT 1), 'null')"
)
_THING = (
    f"'{{\"title\": ' || {_TITLE} || ', \"url\": ' || {_URL} || ', \"cells\": ' || cells"
    f" || ', \"then\": ' || {_PRICE % 'ASC'} || ', \"now\": ' || {_PRICE % 'DESC'} || '}}'"
)
# A thing is known by its page, or where it has none by the id that it had. What was removed is gone now.
_V8 = f"""
CREATE TABLE items (
    pack TEXT NOT NULL, list TEXT NOT NULL,
    id TEXT NOT NULL,  -- tells it from all others on its list
    body TEXT NOT NULL,  -- what its pack knows of it, as JSON
    at DOUBLE PRECISION NOT NULL,  -- when it was put there
    PRIMARY KEY (pack, list, id)
){{compact}};
INSERT INTO items (pack, list, id, body, at)
    SELECT '{FIRST_PACK}', list, CASE url WHEN '' THEN id ELSE url END, {_THING}, added_at
    FROM kept WHERE removed_at IS NULL;
DROP TABLE prices;
DROP TABLE kept;
"""
_V9 = """
ALTER TABLE turns ADD COLUMN private INTEGER NOT NULL DEFAULT 0;  -- 1: it read what is the person's own
CREATE TABLE leases (  -- on a server, who may write in a thread
    thread TEXT PRIMARY KEY,
    holder TEXT NOT NULL,  -- a process, and its turn
    generation INTEGER NOT NULL,  -- how often it was taken
    until DOUBLE PRECISION NOT NULL  -- by the server's clock; 0: it was given back
){compact};
"""
# By version, from the first; `{compact}`: what a database adds for tables that are their own index.
MIGRATIONS = (_V1, _V2, _V3, _V4, _V5, _V6, _V7, _V8, _V9)
VERSION = len(MIGRATIONS)
# Finds a table of another program's on a server. Ours are those of all versions, and LangGraph's.
FIND_OTHERS = (
    "SELECT 1 FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$' AND tablename !~ '^(addresses|"
    "allowed|checkpoint.*|items|kept|leases|people|prices|schema_version|steps|threads|turns|usage)$' LIMIT 1"
)
