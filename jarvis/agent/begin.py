"""The graph's first node: the turn's row in history, and the context of its thread. Running twice is fine."""

import os
from collections.abc import Sequence
from functools import partial

from langgraph.runtime import Runtime

from ..actions.base import SEARCH, WriteAction
from ..core.events import Notice, Unreported, Words
from ..core.types import ADDRESS, LOOKUPS, MOST_FILES, SITE, Performed, Step, Turn
from ..core.urls import host_of, typed_addresses
from ..store.addresses import finding_list, finding_offered, offered_in
from ..store.history import History, close_abandoned_turns, ending, go_on
from ..store.turns import find_turn, finding_before, turns_in
from .executor import cut_off
from .meter import Meter
from .prompt import shown_before
from .state import Context, SessionParts, State, ThreadContext

_OPEN = ("started", "unknown")  # the states of a step that was written as begun, and has no outcome


async def begin(parts: SessionParts, state: State, runtime: Runtime[Context]) -> State:
    """Be the graph's first node."""
    context, words = runtime.context, runtime.context.person.words
    before, intent = await _before_crash(context, parts)
    left = await close_abandoned_turns(parts.history.database, context.turn.thread, context.turn.id)
    news = [await _looked_for(each, parts) for each in left]
    unreported = [each for each in news if not each.was_shown]
    context.journal.turn = await parts.history.begin(
        context.turn.thread,
        words.own,
        _typed(words),
        typed_addresses(words.piped),
        parts.files.find_names(words.own),
        material=words.piped,
        id_=context.turn.id,
    )
    numbered = enumerate(words.files, 1 + MOST_FILES * (context.turn.n - 1))  # in no other turn of the thread
    context.files.files.update((f"f{n}", file._replace(id=f"f{n}")) for n, file in numbered)
    for notice in words.notices:
        context.person.frontend.tell(Notice(notice, must_know=True))
    packs = await gather(context, parts)
    context.reading.recall_parts(intent)
    found = [each.id for each in context.tables.thread.offered if each.source == "found"]
    searched = [step.outcome.value for step in before if parts.actions[step.plan.action].searches]
    return {
        "material": words.piped,
        "thread": context.turn.thread,
        "n": context.turn.n,
        "typed": [address._asdict() for address in context.turn.typed],
        "missing": [*words.missing],
        "files": [[file.id, file.path, file.name] for file in context.files.files.values()],
        "given": context.turn.offers,
        "addresses": [address._asdict() for address in context.tables.thread.offered],
        "lookups": [[query, found, ""] for query in searched[-1:]],  # whose sites they are, no row says
        "packs": packs,
        "steps": [step.as_record() for step in before],
        "unreported": [list(unsure) for unsure in unreported],
    }


def _typed(words: Words) -> list[str]:
    """Return the addresses in *words*, or none if all of them are names of files."""
    label = [*(file.name for file in words.files), *words.missing]
    names = {os.path.basename(name).casefold() for name in label}
    typed = typed_addresses(words.own)
    return [] if all(host_of(url) in names for url in typed) else typed


async def _before_crash(context: Context, parts: SessionParts) -> tuple[list[Step], Sequence[str] | None]:
    """Return the steps this turn had taken when its process died, and its intent.

    The client that asks again has the desktop. Any step that its desktop didn't do was not done.
    """
    did, database = context.person.words.did, parts.history.database
    left = await find_turn(database, context.turn.id) if did is not None else None
    if left is None or did is None:
        return [], None
    performed = {each.n: each for each in did}
    taken = [step for step in left.steps if step.n in performed or step.outcome.state not in _OPEN]
    taken = [await _as_ended(step, performed.get(step.n), context, parts) for step in taken]
    while taken and _is_lost(taken[-1], parts):
        taken.pop()
    await go_on(database, left, taken, did)
    return taken, left.intent


def _is_lost(step: Step, parts: SessionParts) -> bool:
    """Return whether the result of *step* is gone with the dead process, so that it runs again.

    Tables are saved at the end of a turn. Contents of pages and the choice of a pack are not saved.
    """
    action = parts.open_actions.find_action(step.plan.action)
    return action is not None and action.effect in LOOKUPS and SEARCH not in action.needed


async def _as_ended(step: Step, did: Performed | None, context: Context, parts: SessionParts) -> Step:
    """Return *step*, as history has it, with what came of it, as far as the desktop knows it."""
    action, kept = parts.open_actions.find_action(step.plan.action), step.outcome  # which loads its pack
    if did is None or kept.state not in _OPEN:
        return step
    outcome = did.outcome
    if outcome.state == "approved":  # the desktop only let it: the brain that died was at it
        outcome = await cut_off(parts, context.turn.id, step.n, action, kept.value)
    return step._replace(outcome=outcome._replace(value=kept.value, rule=kept.rule, part=kept.part))


async def _looked_for(left: Unreported, parts: SessionParts) -> Unreported:
    """Return *left*, with news if it perhaps sent something: each turn looks for that until it is known."""
    action = parts.open_actions.find_action(left.action) if left.state == "unknown" else None
    if not isinstance(action, WriteAction):
        return left
    outcome = await cut_off(parts, left.turn, left.n, action, left.target)
    if outcome.text == left.summary:
        return left
    turn = Turn(left.turn, left.thread, 0, ())
    await parts.history.database.run_all(*ending(turn, left.n, outcome, ""))
    return left._replace(state=outcome.state, summary=outcome.text, was_shown=False)


async def gather(context: Context, parts: SessionParts) -> list[str]:
    """Read what the thread of the turn in *context* knows, and let the turn use up what its packs may.

    Return the names of the packs that are open.
    """
    parts.files.policy()  # what others can write is refused before the model is asked
    turn, words = context.turn, context.person.words
    context.tables.thread = thread = await read_thread(parts.history, turn, context.resources.meter)
    context.approval.turn = turn
    sites = [address for address in turn.typed if address.source == SITE]
    typed = [address for address in turn.typed if address.source == ADDRESS]
    entries = partial(parts.entries.site, turn.thread)
    find_apps = context.person.frontend.desktop.find_apps
    look_up = partial(parts.files.look_up, find_apps=find_apps, sites=sites, entries=entries)
    context.reading.set_context(typed, thread.before, len(thread.shown), look_up)
    if not words.own:  # several lines that were piped in alone are material
        context.reading.take_nothing()
    for notice in parts.open_actions.lacks(words.own):
        context.person.frontend.tell(Notice(notice, must_know=True))
    packs = parts.open_actions.packs_for(words.own, [table.kind for table in thread.tables])
    budgets = parts.open_actions.budgets(packs, parts.budgets)
    context.resources.clock.allow(budgets.seconds)
    context.resources.meter.allow(budgets.credits)
    return [*packs]


async def read_thread(history: History, turn: Turn, meter: Meter | None = None) -> ThreadContext:
    """Return the content of *turn*'s thread so far, and let *meter* look, in one request to the server.

    A second request follows if the last list has addresses from further back.
    """
    looking = meter.looking() if meter else []
    before = finding_before(turn, shown_before(turn.n))
    statements = *looking, finding_list(turn.thread, turn.n), *before, *finding_offered(turn)
    rows = await history.database.run_all(*statements)
    found, turns, steps, *entries = rows[len(looking) :]
    if meter:
        meter.looked(rows[: len(looking)])
    shown, listed = await history.listed_in(turn.thread, found, [row for rows in entries for row in rows])
    return ThreadContext(
        before=turns_in(turns, steps), shown=shown, listed=listed, offered=offered_in(turn, shown, *entries)
    )
