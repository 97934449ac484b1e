"""Completes a line of a chat: its commands, those of the command line, and the names behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ...core.errors import JarvisError
from ..completion.candidates import candidates
from ..completion.values import Candidate, Spot, values
from ..registry import COMMANDS, SLASHES


class Completed(NamedTuple):
    """What the last word of a line may become."""

    begun: str  # that word
    candidates: Iterable[Candidate]


def nothing_completes(line: str) -> Completed:
    return Completed("", ())


class Line:
    """The line that is typed in a chat."""

    def __init__(
        self, environment: Mapping[str, str], env_file: str | None, thread: Callable[[], str]
    ) -> None:
        """env_file: what --env-file names. thread: returns the one that the chat is in now."""
        self._thread = thread
        self._environment = environment
        self._env_file = env_file

    def completed(self, line: str) -> Completed:
        """Return what the last word of *line* may become; a file that can't be read has nothing to offer."""
        *before, begun = line.lstrip(" ").split(" ")
        try:
            return Completed(begun, self._candidates([word for word in before if word], begun))
        except JarvisError:  # nobody reads an error in the middle of a line
            return Completed(begun, ())

    def _candidates(self, before: list[str], begun: str) -> list[Candidate]:
        spot = Spot(begun, self._environment, self._env_file, self._thread())
        if not before:
            return [each for each in _commands() if begun and each.word.startswith(begun)]
        if not before[0].startswith("/"):
            return values("words", spot._replace(said=before))
        name = before[0][1:].casefold()
        own = next((slash for slash in SLASHES if slash.name == name and slash.argument), None)
        if own:
            return values(own.kind, spot) if len(before) == 1 else []
        if name not in COMMANDS:
            return []
        env_file = ["--env-file", self._env_file] if self._env_file else []
        typed = [*env_file, name, *before[1:], begun]
        return candidates(typed, self._environment, thread=self._thread())


def _commands() -> Iterable[Candidate]:
    of_chat = {slash.name: slash.help for slash in SLASHES}
    of_line = {name: row.help for name, row in COMMANDS.items()}
    return [Candidate(f"/{name}", told) for name, told in {**of_line, **of_chat}.items()]
