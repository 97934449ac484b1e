"""The graph's first node: the turn's row in history, and what its thread knows. Twice is no error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from ..core.events import Unsure
from ..core.types import ALIAS, SITE, Address, Performed, Step
from ..core.urls import typed_addresses
from ..launcher.lookup import Lookup, aliases_named, sites_named
from ..store.left_turns import find_left, settle, steps_of
from .context import Context, SessionParts, read_thread
from .prompt import transcript
from .state import State


class Begin:
    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts

    async def __call__(self, state: State, runtime: Runtime[Context]) -> State:
        context, words = runtime.context, runtime.context.words
        left, behind = list[Unsure](), await self._behind(context)
        context.turn = await self._parts.history.begin(
            context.turn.thread,
            words.own,
            typed_addresses(words.own),
            typed_addresses(words.piped),
            self._named(words.own),
            material=words.piped,
            left=left.append,
            id_=context.turn.id,
        )
        packs = await gather(context, self._parts, runtime.stream_writer)
        found = [each.id for each in context.thread.offered if each.source == "found"]
        searched = [step.outcome.value for step in behind if self._parts.actions[step.plan.action].searches]
        first: State = {
            "goal": words.own,
            "material": words.piped,
            "thread": context.turn.thread,
            "n": context.turn.n,
            "typed": [address._asdict() for address in context.turn.typed],
            "given": context.turn.offers,
            "addresses": [address._asdict() for address in context.thread.offered],
            "lookups": [[query, found] for query in searched[-1:]],
            "packs": packs,
            "steps": [step.as_record() for step in behind],
            "plan": behind[-1].plan._asdict() if behind else {},
            "intent": None if words.own else [],
            "reading": context.reading.as_record(),
            "unreported": [list(unsure) for unsure in left],
            "calls": 0,
            "tokens": [0, 0],
        }
        return first

    async def _behind(self, context: Context) -> list[Step]:
        """Return what this turn has behind it, at which a brain died, and bring its rows up to that.

        The client that asks again is the one with the hands: what they did not do was not done.
        """
        did, database = context.words.did, self._parts.history.database
        left = await find_left(database, context.turn.id) if did is not None else None
        if left is None or did is None:
            return []
        performed = {each.n: each for each in did}
        steps = [_as_performed(step, performed) for step in await steps_of(database, left.id)]
        behind = [step for step in steps if step.outcome.state != "started"]
        await settle(database, left, behind, did)
        return behind

    def _named(self, words: str) -> list[tuple[str, str, str]]:
        """Return what *words* name that is known by its name: as (address, source, name)."""
        own = aliases_named(words, self._parts.aliases())
        sites = [(url, SITE, name) for name, url in sites_named(words) if name not in dict(own)]
        return [(url, ALIAS, name) for name, url in own] + sites


async def gather(context: Context, parts: SessionParts, write: Any) -> list[str]:
    """Read what the thread of the turn in *context* knows, and let the turn use up what its packs may.

    Return the names of the packs that are open. write: tells what is wrong with one.
    """
    turn, words, today = context.turn, context.words, context.meter.finding_today()
    context.thread = thread = await read_thread(parts.history, turn, *today)
    context.meter.look_at(thread.rows)
    context.transcript = transcript(thread.exchanges)
    context.is_clean = thread.is_clean(turn.typed) and not words.piped
    context.allowed = parts.allowed(turn.thread)
    context.approval.turn = turn
    context.reading.names(
        [each for each in turn.typed if each.source == "typed"], _lookup(context, turn.typed, parts.aliases)
    )
    context.reading.comes_after(thread.exchanges, len(thread.shown))
    if not words.own:  # several lines that were piped in alone are material
        context.reading.take_nothing()
    opened = parts.open_actions.opened(words.own, [table.kind for table in thread.tables])
    packs = parts.open_actions.sound(opened, lambda fault: write({"notice": fault}))
    budgets = parts.open_actions.budgets(packs, parts.budgets)
    context.clock.allow(budgets.seconds)
    context.meter.allow(budgets.credits)
    return [*packs]


def _lookup(context: Context, named: Sequence[Address], aliases: Any) -> Lookup:
    return Lookup(context.front.find_apps, [each for each in named if each.source == SITE], aliases)


def _as_performed(step: Step, performed: dict[int, Performed]) -> Step:
    """Return *step*, as history has it, with what the hands know of it."""
    did = performed.get(step.n)
    if did is None or step.outcome.state not in ("started", "unknown"):
        return step
    plan = step.plan._replace(finish=did.ends)
    return Step(step.n, plan, did.outcome._replace(rule=step.outcome.rule))
