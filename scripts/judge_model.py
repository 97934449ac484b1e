"""What a model makes of one case: the true prompts, sent to any address that speaks Gemini's protocol.

The planner and the reading are Jarvis's own; only what they stand on is made up from the case.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from judging import Answer, Case
from langgraph.runtime import Runtime

from jarvis.actions import planned, time_and_place
from jarvis.agent.gemini import Gemini
from jarvis.agent.planner import PlannerCall, plan
from jarvis.agent.reading import Reading
from jarvis.agent.retry import ModelAnswer as Said
from jarvis.agent.state import (
    Context,
    Person,
    PersonsFiles,
    Resources,
    SessionParts,
    State,
    ThreadContext,
    TurnTables,
)
from jarvis.config.keys import GOOGLE
from jarvis.config.settings import Budgets, Secret, read_settings
from jarvis.core.concurrency import Clock
from jarvis.core.errors import ModelFailed
from jarvis.core.events import Words
from jarvis.core.types import SITE, Address, AppFound, AppsFound, Facts, Outcome, Plan, Step, Turn
from jarvis.core.urls import typed_addresses
from jarvis.launcher.match import look_up, sites_named
from jarvis.packs.pack import OpenActions, known
from jarvis.policy.rules import Policy
from jarvis.store.history import Journal
from jarvis.store.turns import PastTurn

_ACTIONS = {"open": "open_website", "start": "open_app", "picture": "take_screenshot"}


class Model:
    """A model that is asked one case after another."""

    def __init__(self, name: str, base_url: str, key: str) -> None:
        """name, base_url: empty: those of Jarvis's settings, and Gemini's own."""
        settings, budgets = read_settings(os.environ), Budgets()
        settings = settings._replace(
            api_keys={GOOGLE.name: Secret(key)}, gemini_url=base_url, budgets=budgets
        )
        model = Gemini(name or settings.model, settings)
        self._model = _Asked(model)
        self._actions = OpenActions(planned(), [*known().values()])
        files = PersonsFiles(lambda: Policy(()), None, None, None, None)
        self._parts = SessionParts(None, None, self._actions, budgets, files, Facts({}))
        self._runner = asyncio.Runner()

    def close(self) -> None:
        self._runner.run(self._model.close())
        self._runner.close()

    def asked(self, case: Case) -> Answer:
        """Return its first plan for *case* and its reading. Raises JarvisError."""
        return self._runner.run(self._asked(case))

    async def _asked(self, case: Case) -> Answer:
        known, planned_as = _Known.of(case), {}
        reading = self._reading(case, known)
        context = _context(case, known, reading, self._model)
        state: State = {
            "goal": case.words,
            "material": case.piped,
            "addresses": [address._asdict() for address in known.offered],
            "packs": [*self._actions.opened(case.words, ())],
            "steps": [],
            "intent": None,
            "calls": 0,
            "tokens": [0, 0],
        }
        try:
            runtime = Runtime(context=context)
            made = (await plan(self._parts, state, runtime))["plan"]
            planned_as = {"action": made["action"], **made["arguments"]}
            if reading.intent is None:  # an answer in words needs none, but how they are read is to be known
                await PlannerCall(self._parts, state, runtime).read_words()
        except ModelFailed:
            pass  # it gave nothing that could be used
        wants = "; ".join(reading.intent.told) or "nothing" if reading.intent else ""
        return Answer(planned_as, wants)

    def _reading(self, case: Case, known: _Known) -> Reading:
        async def find_apps(name: str) -> AppsFound:
            return AppsFound((AppFound(name, name),))  # whatever is named is there

        reading = Reading(case.words, self._actions.every, self._actions.wants)
        meant = partial(look_up, find_apps=find_apps, sites=known.sites, picks=dict)
        reading.stands_on(known.typed, _turns(case), case.lines, meant)
        return reading


class _Known(NamedTuple):
    """The addresses of a case: what its words name, and what was offered in earlier turns."""

    typed: list[Address]
    sites: list[Address]
    before: list[Address]

    @classmethod
    def of(cls, case: Case) -> _Known:
        sites = enumerate(sites_named(case.words), 1)
        return cls(
            [Address(f"u{n}", url) for n, url in enumerate(typed_addresses(case.words), 1)],
            [Address(f"s{n}", url, "", "", SITE, "a known site", name) for n, (name, url) in sites],
            [
                Address(id_, f"https://{host}/", title, text, "found")
                for id_, title, host, text in case.addresses
            ],
        )

    @property
    def offered(self) -> list[Address]:
        return [*self.typed, *self.sites, *self.before]


class _Asked:
    """Stands for a turn's patience: asks once."""

    def __init__(self, model: Gemini) -> None:
        self.close = model.aclose
        self._ask = model.ask

    async def ask(self, system: str, words: str, wanted: dict[str, object], on_text: Any, *_: Any) -> Said:
        return await self._ask(system, words, wanted, on_text)


class _Unmetered:
    """Stands for a turn's meter where no day is counted."""

    told = ""

    async def model_call(self, prompt: str, ask: Callable[[], Awaitable[Said]]) -> Said:
        return await ask()

    def may_search(self) -> bool:
        return True


def _context(case: Case, known: _Known, reading: Reading, model: _Asked) -> Context:
    tables = TurnTables(lambda event: None)
    tables.thread = ThreadContext([*_turns(case)], shown=known.before[: case.lines], offered=known.offered)
    return Context(
        person=Person(Words(case.words, case.piped), _Nobody()),
        resources=Resources(Clock(Budgets().seconds), model, _Unmetered()),
        journal=Journal(None, Turn("", "", 1, (*known.typed, *known.sites))),
        tables=tables,
        reading=reading,
        approval=None,
    )


class _Nobody:
    """Stands for a front end that shows nothing."""

    streams = False
    pictures = "/pictures"
    place = time_and_place()

    def tell(self, event: object) -> None: ...


def _turns(case: Case) -> Iterator[PastTurn]:
    for turn in case.window:
        did = turn["did"].strip("()")
        asked, *states = did.removeprefix("asked: ").rpartition("; ")[::2] if "asked: " in did else ("",)
        acts = [(_ACTIONS[part.split()[0]], *states) for part in filter(None, asked.split("; "))]
        acts += [("search", "done")] if "searched" in did else []
        yield PastTurn(
            goal=turn["own"],
            reply=turn.get("reply", ""),
            status="done",
            is_own=True,
            intent=tuple(asked.split("; ")) if asked else None,
            steps=[Step(n, Plan(name, {}), Outcome(state, did)) for n, (name, state) in enumerate(acts, 1)],
        )
