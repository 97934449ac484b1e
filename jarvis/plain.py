"""The quick way: a plain command is understood and done without any model, key or heavy import."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from . import guard, policy
from .actions import catalogue
from .actions.base import Action, HandsAction
from .ending import Ending, Unwritten, close
from .errors import Interrupted, JarvisError, Terminated, UsageError
from .events import Acting, Event, Failed, Observed, Planned, Replied, TurnEnded, TurnStarted, Unsure
from .hands import Hands
from .settings import Settings
from .store.history import History
from .summary import Usage, judge
from .turn import SAID, Address, Facts, Grant, Outcome, Plan, Request, Step, Turn, unknown

# Longer ones are for the loop to read.
_LONGEST = 2200


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
        self,
        history: History,
        hands: Hands,
        settings: Settings,
        pictures: str,
        tell: Callable[[Event], None],
    ) -> None:
        self._history = history
        self._hands = hands
        self._settings = settings
        self._pictures = pictures
        self._tell = tell
        self._outcome = Outcome("", "")  # none yet

    async def run(self, words: str, action: Action, arguments: Mapping[str, str]) -> TurnEnded:
        """Raises UsageError, with nothing begun, for a line that is not in the list last shown."""
        began = time.monotonic()
        await self._tell_abandoned()
        offered = next((field.name for field in action.fields if field.offered), "")
        named = arguments.get(offered, "")
        address = await self._line(int(named)) if named.isdigit() else None
        turn = await self._history.begin(
            self._settings.thread, words, [named] if named and not address else []
        )
        address = address or next(iter(turn.typed), None)
        plan = Plan(action.name, {**arguments, **({offered: address.id} if address else {})}, finish=True)
        target = address.url if address else " ".join(arguments.values())
        error: JarvisError | None = None
        try:
            self._tell(TurnStarted(turn.thread, turn.id, words))
            self._tell(Planned(1, plan, action.effect, target))
            await self._act(turn, action, plan, address)
        except KeyboardInterrupt:
            error = Interrupted("Interrupted.")
        except JarvisError as failure:
            error = failure
        return await self._end(turn, words, action, plan, error, time.monotonic() - began)

    async def _tell_abandoned(self) -> None:
        """Tell what a crash left open in the thread, unless somebody is at work in it."""
        thread = self._settings.thread
        if not await self._history.has_open(thread):
            return
        from .store.locks import FileLock

        lock = FileLock(self._settings.folders.state, thread)
        if await lock.take():
            for left in await self._history.close_abandoned(thread):
                self._tell(Unsure(thread, *left))
            await lock.release()

    async def _line(self, number: int) -> Address:
        address = await self._history.line(self._settings.thread, number)
        if address is None:
            raise UsageError(
                f"There is no line {number} in the list last shown in the thread {self._settings.thread}.",
                hint="Ask something first; what is listed below the answer can be opened by its number.",
            )
        return address

    async def _act(self, turn: Turn, action: Action, plan: Plan, address: Address | None) -> None:
        # The words are nothing but this. By its number they pointed at it, with all of it before their eyes.
        known = {address.id: address} if address else {}
        typed = frozenset(address.url for address in turn.typed)
        grant = Grant(opens=SAID, captures=SAID, named=typed, lines=(1,))
        facts = Facts(known, self._pictures, tuple(known))
        allowed = guard.authorise(
            action, plan.arguments, grant, facts, policy.load(self._settings.folders.policy)
        )
        target = allowed.value if isinstance(allowed, Outcome) else allowed.effect.target
        await self._history.start_step(turn, 1, action.name, plan.arguments, target)
        if isinstance(allowed, Outcome):
            self._outcome = allowed
        else:
            id_ = address.id if address else ""
            self._perform(Request(1, action.name, allowed.effect.kind, target, id_))
        await self._history.end_step(turn, 1, self._outcome, address.id if address else "")

    def _perform(self, request: Request) -> None:
        self._tell(Acting(request))
        # Until they have answered, nobody knows.
        self._outcome = unknown(request.action, request.target)
        self._outcome = self._hands.perform(request)

    async def _end(
        self, turn: Turn, words: str, action: Action, plan: Plan, error: JarvisError | None, seconds: float
    ) -> TurnEnded:
        """Close the turn, however it went: in history first, then for whoever listens."""
        actions, steps = {action.name: action}, []
        if self._outcome.state:
            steps = [Step(1, plan.action, plan.arguments, *self._outcome[:6])]
            self._tell(Observed(1, action.name, action.effect, self._outcome))
        status, exit_status, _ = judge(steps, actions, words)
        if error:
            exit_status = error.exit_status
            status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
        told = Failed(error.code, error.message, error.hint) if error else None
        ending = Ending(
            *(turn, words, status, exit_status, steps, Usage(seconds=round(seconds, 3)), Replied(""), told),
            Unwritten(1, self._outcome) if error and steps else None,
        )
        return await close(ending, self._history, actions, self._tell)
