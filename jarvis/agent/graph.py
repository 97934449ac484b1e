"""The turn as a graph: everything that it does is a node, everything that it knows is in its state.

A turn in flight is kept by LangGraph's own savers, unchanged: on history's server, or in a file of their own.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Interrupt

from ..actions.base import Action
from ..core.concurrency import with_timeout
from ..core.errors import JarvisError, StoreFailed
from ..core.events import notice
from ..core.files import private_file, private_folder
from ..core.types import DECLINED, Step
from ..store.database import Database, Locks, empty_log, pragmas, write_ahead
from ..store.history import History
from .begin import begin
from .executor import Executor
from .planner import plan
from .reception import judge
from .state import Context, SessionParts, State, kept_reading, plan_in, steps_in

if TYPE_CHECKING:
    from ..store.postgres import Postgres

Saver = BaseCheckpointSaver[str]
Node = Callable[[State, Runtime[Context]], Awaitable[State]]
_AFTER_STEP = ["planner", "executor", "reception"]
_SECONDS = 5.0  # for what is deleted of a turn that has ended, and for another process that writes
_SHORT = 0.25  # seconds to try to remove its bytes
_PAUSE = 0.05  # seconds between two tries
_REPEATABLE = ("aget_tuple", "aput", "aput_writes", "adelete_thread")  # done twice, each comes to the same


def build_graph(parts: SessionParts, saver: BaseCheckpointSaver[str]) -> Any:
    """Compile the graph. A node that waits for the client does so in its first statement: see executor.py."""
    every, executor = parts.actions, Executor(parts)

    # Plain functions would be run on threads.
    async def after_begin(state: State) -> str:
        steps = steps_in(state)
        return "reception" if steps and _is_met(steps[-1], every) else "planner"

    async def after_planner(state: State) -> str:
        return "reception" if every[plan_in(state).action].ends_turn else "executor"

    async def after_executor(state: State, runtime: Runtime[Context]) -> str:
        if request := state.get("request"):
            return "question" if "ask" in request else "desktop"
        return await after_step(state, runtime)

    async def after_step(state: State, runtime: Runtime[Context]) -> str:
        steps = steps_in(state)
        last = steps[-1]
        if state["plans"]:
            return "executor"
        # A no ends the turn, and what nothing cures, unless they asked for something else besides.
        is_over = last.outcome.code == DECLINED or last.outcome.is_final
        if is_over and not runtime.context.reading.open_parts(steps):
            return "reception"
        is_over = _is_met(last, every) or _is_given_up(every[last.plan.action], steps)
        # Where no model was asked, Python planned it, and it is all they said.
        return "reception" if is_over or not state["calls"] else "planner"

    async def reception(state: State, runtime: Runtime[Context]) -> State:
        status, exit_status, failed = judge(steps_in(state), every, runtime.context.reading.requested)
        return {"status": status, "exit_status": exit_status, "failed": failed}

    graph = StateGraph(State, context_schema=Context)
    graph.add_node("begin", _keeping_reading(partial(begin, parts)))  # the turn's row; what the thread knows
    graph.add_node("planner", _keeping_reading(partial(plan, parts)))  # one Plan, perhaps behind a search
    graph.add_node("executor", _keeping_reading(executor.execute))  # guard; then look up here, or:
    graph.add_node("question", executor.question)  # wait for the person; then the executor once more
    graph.add_node("desktop", executor.desktop)  # have the desktop act; write down what came of it
    graph.add_node("reception", reception)  # what it comes to
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", after_begin, ["planner", "reception"])
    graph.add_conditional_edges("planner", after_planner, ["executor", "reception"])
    graph.add_conditional_edges("executor", after_executor, ["question", "desktop", *_AFTER_STEP])
    graph.add_edge("question", "executor")
    graph.add_conditional_edges("desktop", after_step, _AFTER_STEP)
    graph.add_edge("reception", END)
    return graph.compile(checkpointer=saver)


def _keeping_reading(node: Node) -> Any:
    """Wrap *node* so that it saves the current reading to the state. Only this function does."""

    async def visited(state: State, runtime: Runtime[Context]) -> State:
        update = await node(state, runtime)
        return {**update, **kept_reading({**state, **update}, runtime.context.reading)}

    return visited


def _is_met(last: Step, actions: Mapping[str, Action]) -> bool:
    """Return whether nothing is left after *last*. A search is never all: what it found is to be used."""
    return last.is_good and last.plan.finish and actions[last.plan.action].answers


def _is_given_up(action: Action, steps: Sequence[Step]) -> bool:
    """Return whether what sums up failed as often as it may: the turn ends with that."""
    failures = sum(not step.is_good for step in steps if step.plan.action == action.name)
    return action.sums_up and failures >= action.attempts


async def run_graph(
    graph: Any,
    work: Any,
    config: Mapping[str, Any],
    context: Context,
    tell: Callable[[str, dict[str, Any]], None],
) -> Interrupt | None:
    """Run *graph* as far as possible. Returns the interrupt it waits for, or None at its end.

    work: its first state, or the answer to resume with. tell: gets the state after each node as "values", and
    a node's own events as "custom".
    """
    waits: Interrupt | None = None
    modes = ["custom", "values"]
    running = graph.astream(work, config, context=context, stream_mode=modes, durability="exit")
    async with aclosing(running) as stream:
        async for kind, update in stream:
            if "__interrupt__" in update:
                waits = update["__interrupt__"][0]
            else:
                tell(kind, update)
    return waits


def strict() -> JsonPlusSerializer:
    """Return the serializer. LangGraph's default would revive any class that a tampered row names."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)


class Savers(NamedTuple):
    make: Callable[[], Saver]  # that of a turn
    ask: Callable[[str], Awaitable[Iterable[Any]]]  # by SQL, where they keep it
    errors: type[Exception]  # those of its own
    translate_error: Callable[[Exception], JarvisError]  # what one of them means
    wipe: Callable[[], Awaitable[None]]  # removes the bytes of what was deleted: a turn may have read secrets

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the errors of a saver in this block as ours."""
        try:
            yield
        except self.errors as error:
            raise self.translate_error(error) from None

    async def delete(
        self, saver: Saver, turn: str, history: History, locks: Locks, *, is_private: bool
    ) -> None:
        """Delete the checkpoints of *turn*. If this takes too long, the next turn or start does it.

        is_private: whether to leave no byte of it. locks: of threads.
        """

        async def delete() -> None:
            with self.translated():
                await saver.adelete_thread(turn)
                if await self._delete_ended(saver, history, locks) or is_private:
                    await self.wipe()

        with suppress(JarvisError, TimeoutError):
            await with_timeout(delete(), _SECONDS, lambda: None)

    async def sweep(self, history: History) -> None:
        """Delete checkpoints of ended turns without open questions that a crash left. Else the next turn
        does.
        """
        with suppress(StoreFailed), self.translated():
            await self._delete_ended(self.make(), history)
            await self.wipe()

    async def _delete_ended(self, saver: Saver, history: History, locks: Locks | None = None) -> set[str]:
        """Delete what is kept of turns that have ended. Return their ids. locks: as of `finished_turns`."""
        kept = await self.ask("SELECT DISTINCT thread_id FROM checkpoints")
        ended = await history.finished_turns({row[0] for row in kept}, locks)
        for turn in ended:
            await saver.adelete_thread(turn)
        return ended


class _AtOnce(aiosqlite.Connection):
    """Asks SQLite right here, as history does: sent to a thread, its calls take a sixth of a turn's CPU."""

    @asynccontextmanager
    async def wait_for_end(self) -> AsyncIterator[None]:
        """Wait until the library's thread has ended. After a Ctrl-C, it would call a closed loop."""
        try:
            yield
        finally:
            self._thread.join()

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await _once_free(partial(fn, *args, **kwargs), _SECONDS)

    async def wipe(self, lock: asyncio.Lock) -> None:
        """Rewrite the file and empty its log once no other process uses it. Else the next turn does.

        Overwriting deleted rows isn't enough: if SQLite moved a row, its page may contain a copy.
        """

        def wipe() -> None:
            self._conn.executescript("VACUUM")
            empty_log(self._conn)

        async with lock:  # so that no other turn has a statement open here
            with suppress(sqlite3.OperationalError):  # another process uses it
                await _once_free(wipe, _SHORT)


async def _once_free(ask: Callable[[], Any], seconds: float) -> Any:
    """Return the result of *ask*. Repeats it for *seconds* while another process writes."""
    deadline = time.monotonic() + seconds  # a client waits longer than that for its brain
    while True:
        try:
            return ask()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
        await asyncio.sleep(_PAUSE)  # waited for in SQLite, it would stop the beat and all turns


@asynccontextmanager
async def savers_for(database: Database, path: str) -> AsyncIterator[Savers]:
    """Open the savers: on *database* where that is a server, else on the file at *path*."""
    if database.shared:
        yield await _on_server(cast("Postgres", database))
        return
    try:
        connection = _AtOnce(partial(_opened, private_file(path)), iter_chunk_size=64)
        async with connection.wait_for_end(), connection:
            saver = AsyncSqliteSaver(connection, serde=strict())
            await connection.executescript(f"{pragmas()} PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 0")
            await saver.setup()
            ask, wipe = connection.execute_fetchall, partial(connection.wipe, saver.lock)
            yield Savers(lambda: saver, ask, sqlite3.Error, partial(_saver_error, path), wipe)
    except sqlite3.Error as error:
        raise _saver_error(path, error) from None


def _opened(path: str) -> sqlite3.Connection:
    """Return a connection to the file at *path*. Moves a damaged file aside. Raises sqlite3.Error."""
    connection = sqlite3.connect(path, timeout=_SECONDS, check_same_thread=False)
    try:
        write_ahead(connection)  # the saver does so too, but fails where another process does it just now
        if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
            return connection
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname not in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
            raise
    connection.close()
    aside = private_folder(f"{path}.broken")
    for each in (f"{path}-shm", f"{path}-wal", path):  # its log goes along, as history's does
        with suppress(FileNotFoundError):
            os.replace(each, os.path.join(aside, os.path.basename(each)))
    message = f"{path} was broken, so it is in {aside} now. It held unfinished requests only."
    notice(message, must_know=True)
    return _opened(private_file(path))


def _saver_error(path: str, error: Exception) -> StoreFailed:
    """Translate *error* of the saver in the file at *path* into a JarvisError."""
    hint = f"Check that there is space, and that no other program holds {path}. Then: jarvis brain stop"
    return StoreFailed(f"Can't save the request: {error}.", hint=hint)


async def _on_server(server: Postgres) -> Savers:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # most have no server

    saver_on = partial(AsyncPostgresSaver, serde=strict())

    def patient(method: Any, lock: asyncio.Lock) -> Any:
        """Return a saver's *method* that runs on a lent connection, and on another one if that breaks."""

        @wraps(method)  # LangGraph looks at what it takes
        async def retried(*arguments: Any) -> Any:
            async with lock:  # so that a turn needs one connection
                return await server.lend(lambda lent: method(saver_on(cast(Any, lent)), *arguments))

        return retried

    def make() -> AsyncPostgresSaver:
        saver = saver_on(cast(Any, server.pool))
        methods = {name: patient(getattr(AsyncPostgresSaver, name), saver.lock) for name in _REPEATABLE}
        vars(saver).update(methods)
        return saver

    # Beside that transaction: some of it builds indexes, which none may do.
    await server.alone(lambda _: server.apart(lambda lent: saver_on(cast(Any, lent)).setup()))
    # One a turn: each is a lock of its own.
    return Savers(make, server.run, server.errors, server.translate_error, _nothing)


async def _nothing() -> None:
    """Leave it to the server."""
