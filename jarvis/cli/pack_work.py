"""Gives a pack's command counted searches, the pack's own host, and the user's yes."""

import contextlib
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..agent.meter import Meter
from ..config.settings import Settings
from ..core.errors import Refused
from ..core.intent import Intent, Part
from ..core.types import LOOKUPS, ActionRequest, Effect, Facts, Options, Turn
from ..output.questions import answer_to, preview
from ..output.screen import Screen
from ..packs.context import PackContext
from ..packs.pack import all_packs
from ..policy import guard
from ..policy.questions import UNDONE, YES, read_answer, write_question
from ..policy.rules import ALLOW, load_rules
from ..search.serpapi import Engines, SerpApi
from ..store.log import log_for
from ..store.open import Store
from ..store.usage import Ledger

_T = TypeVar("_T")
_COMMANDED = "send"  # the part of the intent that a command stands for


def with_engines(
    settings: Settings, screen: Screen, work: Callable[[Store, Engines], Awaitable[_T]]
) -> Callable[[Store], Awaitable[_T]]:
    """Return *work* with searches that count toward the day's limit."""

    async def searched(store: Store) -> _T:
        search = SerpApi(settings)
        # No model decides here, so only the day has a limit.
        ledger, turn = Ledger(store.database, settings.daily), Turn("", settings.thread, 0, ())
        meter = Meter(ledger, log_for(settings), turn, settings.model, most=sys.maxsize)
        try:
            result = await work(store, meter.engines(search))
        finally:
            screen.clear()
            await search.close()
        if meter.near:
            screen.err(meter.near)
        return result

    return searched


def confirm(effect: Effect, options: Options, settings: Settings, screen: Screen) -> None:
    """Show the data that a command's *effect* sends, and ask unless a rule allows it.

    Asks about an effect that only reads if a rule requires it. Raises Refused, NeedsAnswer.
    """
    requested = Intent((Part(_COMMANDED),), is_command=True)
    facts, rules = Facts({}, intent=requested, left=(1,)), load_rules(settings.folders.policy)
    verdict = guard.check(effect, facts, rules, [_COMMANDED])
    if verdict.verdict == guard.REFUSE:
        raise Refused(f"{UNDONE[effect.kind]}: {verdict.reason}", hint="jarvis policy list")
    for text in preview(effect, screen):
        screen.err(text)
    if verdict.verdict == ALLOW:
        return
    request = ActionRequest(1, "", effect._replace(table=None, lines=()), verdict.reason, verdict.rule)
    question = write_question("", request)
    if effect.kind in LOOKUPS:
        question = question._replace(kind="approval", text=f"Read {effect.target}?")
    answer = read_answer(question, answer_to(question, options, screen))
    if answer.option != YES or question.is_over:
        raise Refused(f"{UNDONE[effect.kind]}.")


def with_pack(
    name: str, settings: Settings, work: Callable[[PackContext], Awaitable[_T]]
) -> Callable[[Store], Awaitable[_T]]:
    """Return *work* on the host and the saved items of the pack called *name*."""

    async def on(store: Store) -> _T:
        async with contextlib.aclosing(PackContext(all_packs()[name], settings, store)) as context:
            return await work(context)

    return on
