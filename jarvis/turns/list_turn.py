"""A plain turn about the table listed last: it is changed and listed anew, or a line of it is told."""

from __future__ import annotations

from collections.abc import Callable

from ..actions import Hands
from ..actions.apart.arrange import ACTION as ARRANGE
from ..actions.base import BrainAction, failed
from ..config.settings import Settings
from ..core.errors import JarvisError
from ..core.events import Event, Question, Tabled, TurnEnded
from ..core.intent import Intent
from ..core.types import Facts, Outcome, Plan, Step
from ..desktop.headless import Headless
from ..launcher.meant import Meant
from ..store.history import History
from .commanded import left_in
from .direct import DirectTurn
from .steps import StepRunner


class ListTurn(DirectTurn):
    def __init__(
        self,
        history: History,
        settings: Settings,
        tell: Callable[[Event], None],
        ask: Callable[[Question], str],
        has_shown: Callable[[], bool],
    ) -> None:
        """Take what a DirectTurn takes, without its hands: a session is not even looked for."""
        hands = Hands(Headless("A list needs no desktop."), {})
        super().__init__(history, hands, settings, tell, ask, has_shown)
        self.actions = {ARRANGE.name: ARRANGE, **self.actions}

    async def run(self, words: str, meant: Meant) -> TurnEnded:
        """Do what *meant* asks of the table in its facts."""
        thread = self._settings.thread
        self.tell_left(await left_in(thread, self._history, self._settings.folders.state))
        turn = await self._history.begin(thread, words, intent=())
        self.facts = (meant.facts or Facts({}))._replace(intent=Intent.of_command())
        plan = Plan(meant.action.name, meant.arguments, finish=True)

        async def carry_out(steps: StepRunner) -> None:
            outcome = await self._came_of(plan, steps)
            await steps.keep(Step(1, plan, outcome))
            if outcome.table:
                self.tables = (Tabled(outcome.table),)
                self.tell(self.tables[0])

        return await self.through(turn, words, plan, meant.named, carry_out)

    async def _came_of(self, plan: Plan, steps: StepRunner) -> Outcome:
        action, decided = self.actions[plan.action], steps.authorise(1, plan)
        if isinstance(decided, Outcome) or not isinstance(action, BrainAction):
            return decided if isinstance(decided, Outcome) else Outcome("refused", "")
        try:
            outcome = await action.perform(decided.effect)
        except JarvisError as error:
            outcome = failed(action.not_done(decided.effect.target), error)
        return outcome._replace(rule=decided.rule)
