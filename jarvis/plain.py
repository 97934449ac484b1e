"""The quick way: a plain command is understood and done without any model, key or heavy import."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Protocol

from . import guard
from .actions import catalogue
from .actions.base import Action, HandsAction
from .errors import UsageError
from .events import Acting, Event, Observed, Planned, TurnEnded, TurnStarted
from .hands import Hands
from .settings import Settings
from .store.history import History, Turn
from .summary import Ending, summary
from .turn import UNKNOWN, Address, Facts, Outcome, Plan, Request, Step

# Longer ones are for the loop to read.
_LONGEST = 2200


class Told(Protocol):
    def tell(self, event: Event) -> None: ...


def understood(text: str) -> tuple[Action, Mapping[str, str]] | None:
    """The action that *text* plainly asks for, with its arguments; None where that isn't plain."""
    if len(text) > _LONGEST or not text.isprintable():
        return None
    for action in catalogue().values():
        if isinstance(action, HandsAction) and (arguments := action.plain(text)) is not None:
            return action, arguments
    return None


class PlainTurn:
    """A turn without the loop: the same guard, history, records and exit status."""

    def __init__(
        self, history: History, hands: Hands, settings: Settings, pictures: str, front: Told
    ) -> None:
        self._history = history
        self._hands = hands
        self._settings = settings
        self._pictures = pictures
        self._front = front

    def run(self, words: str, action: Action, arguments: Mapping[str, str]) -> TurnEnded:
        began = time.monotonic()
        address = self._listed(arguments)
        typed = [arguments["address"]] if "address" in arguments else []
        turn = self._history.begin(self._settings.thread, words, typed)
        address = turn.typed[0] if turn.typed else address
        plan = Plan(action.name, {"address": address.id} if address else dict(arguments), finish=True)
        self._front.tell(TurnStarted(turn.thread, turn.id, words))
        self._front.tell(Planned(1, plan))
        try:
            outcome = self._outcome(turn, action, plan, address)
        except BaseException:
            self._history.end(turn, "interrupted")
            raise
        self._front.tell(Observed(1, action.name, outcome))
        ended = self._ended(turn, words, plan, outcome, time.monotonic() - began, action)
        self._front.tell(ended)
        return ended

    def _listed(self, arguments: Mapping[str, str]) -> Address | None:
        if "line" not in arguments:
            return None
        number = int(arguments["line"])
        address = self._history.line(self._settings.thread, number)
        if address is None:
            raise UsageError(
                f"There is no line {number} in the list last shown in the thread {self._settings.thread}.",
                hint="Ask something first; what is listed below the answer can be opened by its number.",
            )
        return address

    def _outcome(self, turn: Turn, action: Action, plan: Plan, address: Address | None) -> Outcome:
        facts = Facts({address.id: address} if address else {}, self._pictures)
        effect = action.resolve(plan.arguments, facts)
        verdict = guard.check(effect, facts)
        self._history.start_step(turn, 1, action.name, plan.arguments, effect.target)
        if verdict.verdict == guard.ALLOW:
            request = Request(1, action.name, effect.kind, effect.target)
            self._front.tell(Acting(request))
            outcome = self._performed(turn, request)
        else:
            outcome = Outcome(
                "refused",
                f"{action.not_done(effect.target)}: {verdict.reason}",
                code="refused",
                exit_status=4,
            )
        self._history.end_step(turn, 1, outcome, address)
        return outcome

    def _performed(self, turn: Turn, request: Request) -> Outcome:
        try:
            return self._hands.perform(request)
        except BaseException:
            self._history.end_step(turn, 1, UNKNOWN)
            raise

    def _ended(
        self, turn: Turn, words: str, plan: Plan, outcome: Outcome, seconds: float, action: Action
    ) -> TurnEnded:
        good = outcome.state == "done" or outcome.code == "dry_run"
        status = "done" if good else "refused" if outcome.state == "refused" else "failed"
        step = Step(1, plan.action, plan.arguments, outcome.state, outcome.text, outcome.value, outcome.code)
        state: dict[str, Any] = {"steps": [step._replace(hint=outcome.hint)._asdict()]}
        whole = summary(turn, words, state, Ending(status, "", None, seconds), {action.name: action})
        self._history.end(turn, status)
        return TurnEnded(status, 0 if good else outcome.exit_status or 1, whole)
