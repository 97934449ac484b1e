"""Records turns: the request, its steps, their outcomes, and the lists that a thread shows.

A turn's row exists before the first model call. A step's row says `started` before the desktop acts. Each
write may run twice after a lost connection, with the same result. If a crash left a turn open, the next turn
of its thread closes it. A step that had started is neither repeated nor reported as done. The statements work
on Postgres and SQLite. turns.py reads turns back.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, starmap
from json import dumps, loads
from typing import Any

from ..actions.base import catalogue
from ..core.errors import JarvisError
from ..core.events import TableShown, Unreported, question_in, to_show
from ..core.intent import by_ids
from ..core.text import first_title, one_line
from ..core.types import (
    ADDRESS,
    OFFER,
    ActionRequest,
    Address,
    Found,
    Outcome,
    Performed,
    Plan,
    Step,
    Turn,
    unknown,
)
from .addresses import (
    OLDEST_SEARCH,
    SELECT_ADDRESS,
    counting_offers,
    finding_list,
    kept_tables,
    offers_in_rows,
    pages_in,
    tables_in,
)
from .database import Database, Lock, Locks, Row, Statement, Transaction, marks
from .turns import VALID, PastTurn

# A thread that has a title keeps it.
_THREAD = (
    "INSERT INTO threads (id, created_at, used_at, title) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
    " title = CASE WHEN threads.title = '' THEN excluded.title ELSE threads.title END"
)
_COUNTED = (
    "UPDATE threads SET used_at = ?, turns = turns + 1, typed = typed + ? WHERE id = ?"
    " AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?) RETURNING turns, typed, offers"
)
_BEGUN = (
    "INSERT INTO turns (id, thread, goal, piped, intent, own, started_at, n, status)"
    " VALUES (?, ?, ?, ?, ?, 1, ?, ?, 'open')"
)
# With the first id of its own addresses: others may have been given since.
_WRITTEN = (
    "SELECT turns.n, COALESCE((SELECT MIN(CAST(SUBSTR(addresses.id, 2) AS INTEGER)) FROM addresses"
    " WHERE addresses.thread = turns.thread AND turn = turns.n AND step = 0), typed + 1), offers"
    " FROM turns JOIN threads ON threads.id = turns.thread WHERE turns.id = ?"
)
_INSERT = (
    "INSERT INTO addresses (thread, id, url, title, source, official, official_name, turn, step, place)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO UPDATE SET"
    " title = excluded.title, official = excluded.official, official_name = excluded.official_name,"
    " turn = excluded.turn, step = excluded.step, place = excluded.place"
)
_FORGOTTEN = (
    "DELETE FROM addresses WHERE thread = ? AND step > 0 AND opened IS NULL AND shown IS NULL"
    f" AND turn < ({OLDEST_SEARCH})"
)
# Why what goes by a name is its official address.
_BY_NAME = {"site": "a known site", "alias": "your alias"}


class History:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def begin(
        self,
        thread: str,
        goal: str,
        typed: Sequence[str] = (),
        piped: Sequence[str] = (),
        by_name: Sequence[tuple[str, str, str]] = (),
        *,
        material: str = "",
        intent: Sequence[str] | None = None,
        id_: str = "",
    ) -> Turn:
        """Record that *goal* was requested in *thread*, and give ids to the addresses in it.

        typed: addresses in the user's own words. piped: those in piped text. by_name: those that the user
        named, as (address, kind of name, name). material: the piped text. intent: the parts of the request,
        if they were read already. id_: of the turn, which may be recorded already. Empty: it gets a new one.
        """
        turn = id_ or os.urandom(8).hex()
        sources = [(url, "typed", "") for url in typed]
        sources += [(url, "piped", "") for url in piped if url not in typed] + list(by_name)
        at = time.time()

        async def write(transaction: Transaction) -> Turn:
            # Makes the thread, and has others who write to it wait: only then is the turn looked for.
            await transaction.send((_THREAD, thread, at, at, first_title(goal)))
            counted = await transaction.run(_COUNTED, at, len(sources), thread, turn)
            n, first, offers = (counted or await transaction.run(_WRITTEN, turn))[0]
            first += 1 - len(sources) if counted else 0
            rows = [named_address(first + i, *source) for i, source in enumerate(sources)]
            if counted:
                ids = [each.id for each in rows if each.source == "typed"]
                parts = written_intent(None if intent is None else by_ids(intent, ids))
                await transaction.send((_BEGUN, turn, thread, goal, material, parts, at, n))
            await transaction.send(*inserting(thread, n, 0, rows))
            return Turn(turn, thread, n, tuple(rows), offers)

        return await self.database.atomically(write)

    async def end(
        self,
        turn: Turn,
        status: str,
        reply: str = "",
        *,
        shown: Sequence[str] = (),
        tables: Sequence[TableShown] = (),
        error: str | None = None,
        usage: Mapping[str, object] | None = None,
        question: Mapping[str, Any] | None = None,
        intent: Sequence[str] | None = None,
        extra: Sequence[Statement] = (),
    ) -> None:
        """Close the turn.

        shown: the ids of addresses and offers, as listed to the user. tables: the turn's tables, each with
        the number of its first line (0: not listed). question: one that nobody could answer, under its "id",
        with all that its answer needs. intent: the user's intent. None keeps the recorded one. extra:
        statements to run before it, in the same transaction.
        """
        row = (
            "UPDATE turns SET status = ?, reply = ?, shown = ?, error = ?, usage = ?, ended_at = ?,"
            " question = ?, asked = ?, tables = ?, intent = COALESCE(?, intent) WHERE id = ?",
            status,
            reply,
            dumps(shown) if shown else None,
            error,
            dumps(usage) if usage else None,
            time.time(),
            dumps(question) if question else None,
            question["id"] if question else None,
            kept_tables(tables) if tables else None,
            written_intent(intent),
            turn.id,
        )
        statements = [*extra, row, *([counting_offers(turn.thread, tables)] if tables else [])]

        async def write(transaction: Transaction) -> None:
            await transaction.send(*statements)
            if shown:
                await self._list(transaction, turn, shown, tables)

        await self.database.atomically(write)

    async def _list(
        self, transaction: Transaction, turn: Turn, shown: Sequence[str], tables: Sequence[TableShown]
    ) -> None:
        """Write down that these were listed. tables: those of the turn, which hold its offers."""
        ids = [id_ for id_ in shown if not id_.startswith(OFFER)]
        mark = f"UPDATE addresses SET shown = ? WHERE thread = ? AND id IN ({marks(ids)})"
        if ids:
            await transaction.send((mark, turn.n, turn.thread, *ids))

    async def finished_turns(self, ids: Collection[str], locks: Locks | None = None) -> set[str]:
        """Return the turns in *ids* that have ended and that nobody may answer any more.

        A turn that a crash ended goes on from history. Ids of other programs are left out. locks: of threads,
        to close turns that a crash left open. On a server, those threads do that themselves.
        """
        is_open = f"SELECT DISTINCT thread FROM turns WHERE status = 'open' AND id IN ({marks(ids)})"
        if ids and locks and not self.database.shared:
            for (thread,) in await self.database.run(is_open, *ids):
                await settle(self.database, thread, locks)
        find = (
            "SELECT id FROM turns WHERE (status NOT IN ('open', 'needs_answer') OR ended_at <= ?)"
            f" AND id IN ({marks(ids)})"
        )
        return {row[0] for row in await self.database.run(find, time.time() - VALID, *ids)} if ids else set()

    async def last_thread(self) -> str | None:
        """Return the thread used last, by anybody."""
        rows = await self.database.run("SELECT id FROM threads ORDER BY used_at DESC LIMIT 1")
        return rows[0][0] if rows else None

    async def listed(self, thread: str) -> tuple[list[Address], tuple[TableShown, ...]]:
        """Return the list last shown in *thread*, in its order, and the tables of its turn.

        What it has of tables are their offers. A line has no URL where it has no page.
        """
        return await self.listed_in(thread, await self.database.run(*finding_list(thread)))

    async def listed_in(
        self, thread: str, rows: Sequence[Row], also: Sequence[Row] = ()
    ) -> tuple[list[Address], tuple[TableShown, ...]]:
        """Return the list in *rows* of `finding_list`. also: more addresses, by id."""
        ids, tables = (loads(rows[0][0]), tables_in(rows[0][1])) if rows else ([], ())
        lines = {address.id: address for address in pages_in(starmap(Address, also))} | offers_in_rows(tables)
        if others := [id_ for id_ in ids if id_ not in lines]:
            find = f"{SELECT_ADDRESS} WHERE thread = ? AND id IN ({marks(others)})"
            rows = await self.database.run(find, thread, *others)
            lines |= {address.id: address for address in pages_in(starmap(Address, rows))}
        return [lines.get(id_, Address(id_, "")) for id_ in ids], tables

    async def keep_named(self, turn: Turn, url: str, source: str = ADDRESS, name: str = "") -> Address:
        """Return *url* under a new id: they typed it in the middle of *turn*, or it is the site of *name*."""

        async def keep(transaction: Transaction) -> Address:
            mint = "UPDATE threads SET typed = typed + 1 WHERE id = ? RETURNING typed"
            ((minted,),) = await transaction.run(mint, turn.thread)
            address = named_address(minted, url, source, name)
            await transaction.send(*inserting(turn.thread, turn.n, 0, [address]))
            return address

        return await self.database.atomically(keep)


# The addresses of a turn: each keeps its id, and none is used again.


def named_address(number: int, url: str, source: str, name: str) -> Address:
    """Return an address that words name, under the id of that *number*."""
    kind = {"typed": "u", "piped": "u"}.get(source, "s")
    return Address(f"{kind}{number}", url, "", "", source, _BY_NAME.get(source, ""), name)


async def keep_found(
    transaction: Transaction, turn: Turn, step: int, found: Sequence[Found], before: Sequence[Address]
) -> tuple[Address, ...]:
    """Return *found*, each under its id: the one that *before* has for it, else a new one.

    What was found long ago, and neither listed nor opened, is deleted: it is never offered again.
    """
    ids = {a.url: a.id for a in before if a.source == "found" and not a.id.startswith(OFFER)}
    new = [f.url for f in found if f.url not in ids]
    mint = "UPDATE threads SET found = found + ? WHERE id = ? RETURNING found"
    ((minted,),) = await transaction.run(mint, len(new), turn.thread)
    ids |= {url: f"r{n}" for n, url in enumerate(new, minted - len(new) + 1)}
    kept = [
        Address(ids[f.url], f.url, f.title, f.snippet, "found", f.official, f.official_name) for f in found
    ]
    # Kept once, also where a connection was lost after all of it was written.
    of_step = "DELETE FROM addresses WHERE thread = ? AND turn = ? AND step = ?"
    await transaction.send(
        (of_step, turn.thread, turn.n, step),
        *inserting(turn.thread, turn.n, step, kept),
        (_FORGOTTEN, turn.thread, turn.thread),
    )
    return tuple(kept)


def inserting(thread: str, turn: int, step: int, addresses: Sequence[Address]) -> list[Statement]:
    """Return the SQL that records *addresses* as found in that step, in order. Step 0 is the request
    itself.
    """
    return [
        (_INSERT, thread, *a[:3], a.source, a.official, a.official_name, turn, step, step and place)
        for place, a in enumerate(addresses, 1)
    ]


# The steps of a turn.


class Journal:
    """Records the steps of a turn. If a write fails, it goes along with the next one."""

    def __init__(
        self,
        database: Database,
        turn: Turn,
        lock: Lock | None = None,
        intent: Callable[[], Sequence[str] | None] = lambda: None,
    ) -> None:
        """lock: of the thread. Once it is lost, no step can start and the turn can't close.

        intent: the user's intent so far, recorded with each step, or None.
        """
        self.turn = turn
        self.lock = lock or Lock()
        self.unwritten: list[Statement] = []
        self.is_private = False  # whether the turn read what is the person's own
        self._begun = 0  # the number of a step that is written down as started; 0: none is
        self._database = database
        self._intent = intent

    def note_private(self) -> None:
        """Have the turn marked, with the next step, as one that read what is the person's own."""
        self.is_private = True
        self.unwritten.append(("UPDATE turns SET private = 1 WHERE id = ?", self.turn.id))

    async def start(self, request: ActionRequest, plan: Plan) -> None:
        """Write down that *request* is about to be done. Raises StoreFailed: then it must not be done."""
        begun = Outcome("started", "", request.effect.target, rule=request.rule, part=request.part)
        self.unwritten += self._keeping(Step(request.n, plan, begun))
        self._begun = request.n
        try:
            await self._database.run_all(*self.lock.fence, *self.unwritten)
            self.unwritten = []
        except BaseException:  # that it began may be written all the same, without an answer
            self.drop_started()
            raise

    def drop_started(self) -> None:
        """Have what was written down as started, and was not begun, gone with what is written next."""
        if self._begun:
            self.unwritten.append(("DELETE FROM steps WHERE turn = ? AND n = ?", self.turn.id, self._begun))
        self._begun = 0

    async def finish(self, step: Step, opened: str = "") -> None:
        """Write down what came of a step that was started. opened: the id of what it opens."""
        self._begun = 0
        await self._write(*ending(self.turn, step.n, step.outcome, opened))

    async def keep(self, step: Step) -> None:
        """Write down a step that needed no desktop."""
        await self._write(*self._keeping(step))

    def _keeping(self, step: Step) -> list[Statement]:
        """Return the SQL that records *step* without the model's reason, which may quote something
        private.
        """
        plan = step.plan._replace(text="") if self.is_private else step.plan
        noted = written_intent(self._intent())
        update = "UPDATE turns SET intent = ? WHERE id = ?", noted, self.turn.id
        return [*([update] if noted else []), keeping(self.turn, step._replace(plan=plan))]

    async def keep_found(self, step: Step, before: Sequence[Address]) -> tuple[Address, ...]:
        """Write down a step that looked something up. Return what it found, each under its id.

        before: what has an id already. Raises StoreFailed.
        """
        statements = [*self.unwritten, *self._keeping(step)]

        async def write(transaction: Transaction) -> tuple[Address, ...]:
            found = await keep_found(transaction, self.turn, step.n, step.outcome.found, before)
            await transaction.send(*statements)
            return found

        found = await self._database.atomically(write)
        self.unwritten = []
        return found

    async def _write(self, *statements: Statement) -> None:
        self.unwritten += statements
        with suppress(JarvisError):  # the next step begins with it, or the turn ends with it
            await self.flush()

    async def flush(self) -> None:
        """Write down what was not taken before. Raises StoreFailed."""
        if self.unwritten:
            await self._database.run_all(*self.unwritten)
            self.unwritten = []

    async def confirm(self, reported: Iterable[Unreported], *, is_shown: bool) -> None:
        """Write down whether the turn and what it *reported* were shown, and give the lock back."""
        turns = {self.turn.id, *(each.turn for each in reported)} if is_shown else ()
        with suppress(JarvisError):  # then it is reported once more
            await self._database.run_all(*confirming(turns), *self.lock.giving_back)
            self.lock.giving_back = ()


def written_intent(parts: Sequence[str] | None) -> str | None:
    """Return the parts of an intent as they are kept."""
    return None if parts is None else dumps(list(parts), ensure_ascii=False)


def keeping(turn: Turn, step: Step) -> Statement:
    """Return the SQL that records *step*: its start, or its outcome."""
    plan, outcome, now = step.plan, step.outcome, time.time()
    return (
        "INSERT INTO steps"
        " (turn, n, action, arguments, target, state, outcome, confirmed, started_at, ended_at, rule, why,"
        " ends, part) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (turn, n) DO NOTHING",
        turn.id,
        step.n,
        plan.action,
        dumps(plan.arguments, ensure_ascii=False),
        outcome.value,
        outcome.state,
        outcome.text,
        int(outcome.state == "done"),  # without having been begun: the reply tells of what was looked up
        now,
        None if outcome.state == "started" else now,
        outcome.rule,
        plan.text,
        int(plan.finish),
        outcome.part,
    )


def ending(turn: Turn, n: int, outcome: Outcome, opened: str) -> list[Statement]:
    """Return the SQL that records the outcome of a started step. opened: the id of the address that it
    opens.
    """
    ending = (
        # A rule that it was refused by takes the place of the one that was written then.
        "UPDATE steps SET state = ?, outcome = ?, confirmed = 0, ended_at = ?, rule = COALESCE(?, rule)"
        " WHERE turn = ? AND n = ?",
        outcome.state,
        outcome.text,
        time.time(),
        outcome.rule or None,
        turn.id,
        n,
    )
    is_opened = opened and outcome.state == "done"
    mark = "UPDATE addresses SET opened = ? WHERE thread = ? AND id = ?"
    return [ending, *([(mark, turn.n, turn.thread, opened)] if is_opened else [])]


# Where a crash left a turn open, another brain was at it, or nobody confirmed that it was shown.

# Ordered by an expression: by the bare name SQLite would go through all turns of a thread, not the few.
_UNCONFIRMED = (
    "SELECT turns.id, status, turns.confirmed, reply != '' OR tables IS NOT NULL, goal, error, question,"
    " steps.n, action, target, state, outcome, steps.confirmed FROM turns LEFT JOIN steps"
    " ON turn = turns.id AND (steps.confirmed = 0 OR state = 'unknown')"
    " WHERE thread = ? AND turns.confirmed != 1 AND turns.id != ? ORDER BY +turns.n, steps.n"
)


async def close_abandoned_turns(database: Database, thread: str, but: str = "") -> list[Unreported]:
    """Close the turns that a crash left open in *thread*, except one. The caller holds its lock.

    Returns the reports that are due on these and others. A write that was perhaps sent and was shown stays
    with the turn that goes on, which can look for it.
    """
    rows = await database.run(_UNCONFIRMED, thread, but)
    if left := {row[0] for row in rows if row[1] == "open"}:
        await database.atomically(lambda transaction: _close(transaction, left))
        rows = await database.run(_UNCONFIRMED, thread, but)
    turns = groupby(rows, key=lambda row: row[:7])
    found = [each for turn, steps in turns for each in _unreported(thread, turn, [row[7:] for row in steps])]
    return [each for each in found if but or not each.was_shown]


def _unreported(thread: str, turn: Row, rows: Sequence[Row]) -> list[Unreported]:
    """Return the report that is due on *turn*. rows: its steps, as in _UNCONFIRMED."""
    id_, status, was_shown, has_answer, goal, error, question = turn
    steps = [Unreported._make((thread, id_, *row)) for row in rows if row[0]]
    text = ""
    if status == "needs_answer" and question:
        asking = question_in(loads(question))
        text = f"{one_line(asking.text)} {asking.answer_hint}"
    elif has_answer:
        text = f"“{one_line(goal, 60)}” has an answer. To see it: {to_show(thread)}"
    elif status == "failed" and error and not steps:
        text = error.partition(": ")[2]
    whole = Unreported(thread, id_, 0, "", "", status, text)
    return steps if was_shown or not text else [*steps, whole]


async def _close(transaction: Transaction, turns: Iterable[str]) -> None:
    close = "UPDATE turns SET status = 'interrupted', ended_at = ? WHERE id = ? AND status = 'open'"
    find = "SELECT n, action, target FROM steps WHERE turn = ? AND state = 'started'"
    for turn in turns:
        _, started = await transaction.run_all((close, time.time(), turn), (find, turn))
        for n, action, target in started:
            action_class = catalogue().get(action)
            outcome = action_class.cut_off(target) if action_class else unknown(action, target)
            await transaction.send(*ending(Turn(turn, "", 0, ()), n, outcome, ""))


async def settle(database: Database, thread: str, locks: Locks) -> list[Unreported]:
    """Do as `close_abandoned_turns` does, unless somebody is at work in *thread*, and so holds its lock."""
    if (lock := await locks(thread)) is None:
        return []
    async with lock:
        return await close_abandoned_turns(database, thread)


def confirming(turns: Iterable[str]) -> list[Statement]:
    """Return the SQL that records that the user was shown all of *turns*, which have ended.

    If nobody knows yet whether a pack's action happened, it is looked for again.
    """
    own = list(catalogue())
    sent = f"SELECT 1 FROM steps WHERE turn = turns.id AND state = 'unknown' AND action NOT IN ({marks(own)})"
    whole = f"UPDATE turns SET confirmed = CASE WHEN EXISTS ({sent}) THEN 2 ELSE 1 END"
    whole += " WHERE id = ? AND status != 'open'"
    seen = "UPDATE steps SET confirmed = 1 WHERE turn = ? AND state != 'started'"
    return [each for turn in turns for each in ((seen, turn), (whole, *own, turn))]


def reopening(turn: str) -> Statement:
    """Return the SQL that lets *turn* continue after it was closed for now."""
    return "UPDATE turns SET status = 'open', ended_at = NULL, confirmed = 0 WHERE id = ?", turn


async def go_on(database: Database, left: PastTurn, steps: Sequence[Step], did: Sequence[Performed]) -> None:
    """Let the turn *left* continue, with *steps* as all that happened in it. did: those the desktop
    performed.

    Any other step recorded as started did not happen: no desktop received it.
    """
    turn, performed = Turn(left.id, left.thread, left.n, ()), {each.n for each in did}
    last = max((step.n for step in steps), default=0)
    statements = [reopening(turn.id)]
    for step in steps:
        if step.n in performed:
            opened = step.plan.arguments.get("address")
            statements += ending(turn, step.n, step.outcome, opened if isinstance(opened, str) else "")
    later = (turn.thread, turn.n, last)
    statements.append(("DELETE FROM steps WHERE turn = ? AND n > ?", turn.id, last))
    statements.append(("DELETE FROM addresses WHERE thread = ? AND turn = ? AND step > ?", *later))
    await database.run_all(*statements)
