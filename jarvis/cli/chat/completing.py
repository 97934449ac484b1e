"""Completes a line of a chat: its commands, those of the command line, and the names behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ...core.types import Options
from ...output.screen import Screen
from ..router import COMMANDS
from ..work import Invocation, begin, end
from .slash import SLASHES


class Candidate(NamedTuple):
    """What a word may become."""

    word: str
    about: str = ""  # a line that tells of it


class Completed(NamedTuple):
    """What the last word of a line may become."""

    begun: str  # that word
    candidates: Iterable[Candidate]


class Line:
    """The line that is typed in a chat."""

    def __init__(
        self, environment: Mapping[str, str], env_file: str | None, thread: Callable[[], str]
    ) -> None:
        """env_file: what --env-file names. thread: returns the one that the chat is in now."""
        self._environment = environment
        self._thread = thread
        self._env_file = env_file

    def completed(self, line: str) -> Completed:
        """Return what the last word of *line* may become."""
        *before, begun = line.lstrip(" ").split(" ")
        return Completed(begun, self._candidates([word for word in before if word], begun))

    def _candidates(self, before: list[str], begun: str) -> list[Candidate]:
        if not before and begun.startswith("/"):
            return [each for each in _commands() if each.word.startswith(begun)]
        if not before:
            return []
        name = before[0].removeprefix("/").casefold()
        if before[0].startswith("/") and name not in COMMANDS:
            before = ["ask", "-t"] if name == "resume" and len(before) == 1 else ["paths", "x"]
        return self._offered([name, *before[1:]] if name in COMMANDS else before, begun)

    def _offered(self, before: list[str], begun: str) -> list[Candidate]:
        """Return what Tab offers in a shell."""
        from ..app import offered  # Typer: once something is completed

        screen = Screen({**self._environment, "JARVIS_THREAD": self._thread()})
        before_it = begin(Invocation(screen, Options(env_file=self._env_file)))
        try:
            return [Candidate(word, told) for word, told in offered(before, begun)]
        finally:
            end(before_it)


def _commands() -> Iterable[Candidate]:
    of_chat = {slash.name: slash.help for slash in SLASHES}
    of_line = dict.fromkeys(sorted(COMMANDS), "")
    return [Candidate(f"/{name}", told) for name, told in {**of_line, **of_chat}.items()]
