"""What a model makes of one case: the true prompts, sent to any address that speaks Gemini's protocol.

Where the case has recorded answers, these are read in place of a model's.
The planner and the reading are Jarvis's own; only what they stand on is made up from the case.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from judging import NOTHING, Answer, Case
from langgraph.runtime import Runtime

from jarvis.actions.base import plannable
from jarvis.agent.gemini import Gemini
from jarvis.agent.planner import PlannerCall, plan
from jarvis.agent.reading import IntentTracker
from jarvis.agent.retry import ModelAnswer, ModelPrompt, Retry
from jarvis.agent.state import Context, Person, Resources, SessionParts, State, ThreadContext, TurnTables
from jarvis.config.services import USUAL
from jarvis.config.settings import Budgets, Settings
from jarvis.core.concurrency import Clock
from jarvis.core.errors import ModelFailed
from jarvis.core.events import Words
from jarvis.core.types import SITE, Address, Facts, NamedFile, Outcome, Plan, Step, Turn
from jarvis.core.urls import typed_addresses
from jarvis.launcher.match import look_up, named_in
from jarvis.packs.pack import OpenActions, all_packs
from jarvis.pages.page import TurnFiles
from jarvis.search.hosts import GraphEntries
from jarvis.store.history import Journal
from jarvis.store.turns import PastTurn
from tests.house import front_end


class Model:
    """A model that is asked one case after another, each as the first thing of a turn."""

    def __init__(self, settings: Settings) -> None:
        self._gemini = Gemini(settings.model, settings)
        self._actions = OpenActions(plannable(), [*all_packs().values()])
        self._parts = SessionParts(_Ids(), None, self._actions, Budgets(), None, GraphEntries(), Facts({}))
        self._runner = asyncio.Runner()

    def close(self) -> None:
        self._runner.run(self._gemini.aclose())
        self._runner.close()

    def asked(self, case: Case) -> Answer:
        """Return its first plan for *case* and its reading. Raises JarvisError."""
        return self._runner.run(self._asked(case))

    async def _asked(self, case: Case) -> Answer:
        reading = _Noted(case.words, self._actions.every, self._actions.wants)
        context = self._context(case, reading)
        state: State = {
            "goal": case.words,
            "material": case.piped,
            "addresses": [address._asdict() for address in context.tables.thread.offered],
            "packs": [*self._actions.packs_for(case.words, ())],
        }
        runtime, planned_as = Runtime(context=context), {}
        with contextlib.suppress(ModelFailed):  # it gave nothing that could be used
            made = (await plan(self._parts, state, runtime))["plans"][0]
            planned_as = {"action": made["action"], **made["arguments"]}
            if reading.intent is None:  # an answer in words needs none, but how they are read is to be known
                await PlannerCall(self._parts, state, runtime).read_words()
        return Answer(planned_as, "; ".join(reading.parts_by_id or ()) or NOTHING if reading.is_taken else "")

    def _context(self, case: Case, reading: IntentTracker) -> Context:
        """Return what a turn of these words has at hand; whatever app they name is installed."""
        typed = [Address(f"u{n}", url) for n, url in enumerate(typed_addresses(case.words), 1)]
        named = enumerate(named_in(case.words, {}), 1)
        sites = [Address(f"s{n}", url, "", "", SITE, "a known site", name) for n, (url, _, name) in named]
        files = TurnFiles(
            NamedFile(f"/home/me/{name}", name, id=f"f{n}") for n, name in enumerate(case.files, 1)
        )
        before = [
            Address(id_, f"https://{host}/", title, snippet, "found")
            for id_, title, host, snippet in case.addresses
        ]
        tables, frontend, clock = TurnTables(lambda event: None), front_end(), Clock(Budgets().seconds)
        past = [past_turn(turn) for turn in case.window]
        tables.thread = ThreadContext(past, before[: case.lines], offered=[*typed, *sites, *before])
        model = Recorded(case.answers) if case.answers else self._gemini
        meant = partial(
            look_up, find_apps=frontend.desktop.find_apps, sites=sites, entries=lambda name: "", kept=dict
        )
        reading.set_context(typed, past, case.lines, meant)
        return Context(
            person=Person(Words(case.words, case.piped), frontend),
            resources=Resources(clock, Retry(model, None, clock.left), _Unmetered()),
            journal=Journal(None, Turn("", "", 1, (*typed, *sites))),
            tables=tables,
            reading=reading,
            approval=None,
            files=files,
        )


def past_turn(record: Mapping[str, Any]) -> PastTurn:
    """Return an earlier turn of a case. Its steps are each an action, a state, and what was told of it."""
    steps = [
        Step(n, Plan(action, {}), Outcome(state, told))
        for n, (action, state, told) in enumerate(record["steps"], 1)
    ]
    return PastTurn(**{**record, "steps": steps}, status="done", is_own=True)


class _Noted(IntentTracker):
    """A reading that tells whether what was said could be read."""

    is_taken = False

    async def take(self, wants: str | None) -> None:
        await super().take(wants)
        self.is_taken = True

    def take_nothing(self) -> None:
        super().take_nothing()
        self.is_taken = False


class Recorded:
    """Stands for a model that gives these answers, one a call, and the last again and again."""

    name, service = "recorded", USUAL

    def __init__(self, answers: Sequence[str]) -> None:
        self._left = [*answers]

    async def ask(
        self, system: str, prompt: ModelPrompt, schema: dict[str, object], on_text: Callable[[str], object]
    ) -> ModelAnswer:
        text = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        on_text(text)
        return ModelAnswer(text, "STOP")


class _Ids:
    """Stands for history where sites get their ids from it."""

    async def keep_named(self, turn: Turn, url: str, source: str, name: str) -> Address:
        return Address("s99", url, "", "", source, "a known site", name)


class _Unmetered:
    """Stands for a turn's meter where no day is counted."""

    told = ""

    async def model_call(self, prompt: str, ask: Callable[[], Awaitable[ModelAnswer]]) -> ModelAnswer:
        return await ask()

    def may_search(self) -> bool:
        return True
