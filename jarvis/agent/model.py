"""The model that plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

ANOTHER = "jarvis -m NAME …, in a chat /model NAME"  # how another model is asked, in hints


class ModelAnswer(NamedTuple):
    """What the model wrote, and how it stopped."""

    text: str
    finish_reason: str  # STOP where it ended as it should
    blocked: str = ""  # why the prompt was refused
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""  # the name of the one that answered


class Model(Protocol):
    @property
    def name(self) -> str: ...

    def check(self) -> None:
        """Raise NoKey where no call can be made."""
        ...

    async def ask(
        self,
        system: str,
        prompt: str,
        schema: dict[str, object],
        on_text: Callable[[str], bool],
        on_waiting: Callable[[str], None],
    ) -> ModelAnswer:
        """Make one call, of any kind. schema: of the JSON object that is wanted.

        on_text: is given all that was written so far, each time there is more, and nothing where it begins,
        perhaps anew; returns whether a person has seen any of it.
        on_waiting: is told what is waited for, each second; nothing once that is over.

        Raises a JarvisError where the service fails; SchemaRefused where another schema may help.
        """
        ...
