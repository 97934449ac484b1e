"""Makes the model calls of a turn, each counted before it is made, and told while it lasts."""

from __future__ import annotations

from collections.abc import Callable

from langgraph.runtime import Runtime

from ..core.errors import OutOfTime
from ..core.text import counted
from .context import Context
from .model import ModelAnswer
from .state import State


class ModelCalls:
    """The calls of a turn so far, and how many tokens they took."""

    def __init__(self, state: State, runtime: Runtime[Context], most: Callable[[], int]) -> None:
        """most: returns how many the turn may make, which its reading decides."""
        self.made = state.get("calls", 0)
        self.tokens = list(state.get("tokens", [0, 0]))
        self._runtime = runtime
        self._most = most

    async def make(
        self, system: str, words: str, wanted: dict[str, object], on_text: Callable[[str], bool]
    ) -> ModelAnswer:
        """Make one call and return its answer. wanted: the schema of it. Raises JarvisErrors.

        It counts once, however often a service that was busy had us ask.
        """
        if self.made >= self._most():
            raise OutOfTime(
                f"The model was asked {counted(self.made, 'times')} without an end.",
                hint="Ask for one thing at a time.",
            )
        context = self._runtime.context
        context.model.check()
        async with context.meter.model_call(words) as answered:
            self.made += 1
            self._runtime.stream_writer({"calls": self.made})  # counts even if it fails
            answer = await context.model.ask(system, words, wanted, on_text, self._waiting)
            answered(answer)
        self.tokens = [self.tokens[0] + answer.input_tokens, self.tokens[1] + answer.output_tokens]
        return answer

    def _waiting(self, text: str) -> None:
        self._runtime.stream_writer({"waiting": text})
