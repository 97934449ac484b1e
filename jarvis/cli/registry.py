"""The registry of the commands: what a command line may say, what a line of a chat may, and who does it.

A file in commands/ with a COMMAND is a command, one with a SLASH is one of a chat; help, the reading of a
line, typo checks and completion derive from these rows. Cheap to import: every request is read by it.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from ..core.stdlib import TYPE_CHECKING, Any, NamedTuple, Protocol
from ..core.types import Options

if TYPE_CHECKING:
    from ..output.screen import Screen
    from ..store.threads import Thread

MANY = 1_000_000  # words: as many as there are
# What a value may be, for completion.
KINDS = ("", *"address alias command doubt effect file name rule thread turn words".split())


class CommandOption(NamedTuple):
    """An option: `-t NAME`, `--thread NAME`, `--thread=NAME`."""

    long: str
    field: str  # by which the work knows its value; where `Options` has it, the one there
    help: str
    short: str = ""
    takes: str = ""  # its value, as help shows it; empty: it takes none
    needs: str = ""  # what is said to be missing without its value
    kind: str = ""  # one of KINDS
    counts: bool = False  # -vv is more than -v
    read: Callable[[str], object] = str  # its value's text → its value; raises UsageError


class Argument(NamedTuple):
    """Words that follow a command's name."""

    name: str
    help: str = ""
    least: int = 1  # words
    most: int = 1
    kind: str = ""  # one of KINDS

    @property
    def shown(self) -> str:
        """As help shows it: `[NAME]`, `WORDS…`."""
        many = f"{self.name.upper()}{'…' if self.most > 1 else ''}"
        return many if self.least else f"[{many}]"


class Command(NamedTuple):
    """A command, or one of a group."""

    name: str
    help: str  # a line, as a list shows it
    run: Callable[[Call, Screen], int]  # does it; returns the exit status
    arguments: tuple[Argument, ...] = ()
    options: tuple[CommandOption, ...] = ()
    about: str = ""  # what its own help tells besides
    # Whether words that are as many as it takes may be its arguments, and are not a sentence's.
    fits: Callable[[Sequence[str]], bool] = lambda words: True
    near: int = 2  # words at most that nearly fit it and are refused; more are a sentence

    @property
    def least(self) -> int:
        return sum(argument.least for argument in self.arguments)

    @property
    def most(self) -> int:
        return sum(argument.most for argument in self.arguments)


class Group(NamedTuple):
    """Several commands under one name: `threads list`."""

    name: str
    help: str
    commands: tuple[Command, ...]
    about: str = ""
    near: int = 2


class ChatContext(Protocol):
    """What a command of a chat works on."""

    thread: str  # that the chat is in
    screen: Screen

    async def known(self) -> list[Thread]:
        """Return the threads there are, the one used last first."""

    def turn_to(self, name: str, how: str) -> None:
        """Go on in the thread *name*, and tell *how*."""

    def print(self, line: str) -> None:
        """Print *line*, no wider than the terminal."""


class Slash(NamedTuple):
    """A command of a chat: `/new [NAME]`."""

    name: str
    argument: str  # how help shows it; empty: it takes none
    help: str
    run: Callable[[ChatContext, str], Awaitable[None]]  # does it, in the chat; raises EOFError to leave
    words: tuple[str, ...] = ()  # that mean the same, alone on a line
    kind: str = ""  # of its argument: one of KINDS

    @property
    def shown(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


class Call(NamedTuple):
    """A command line that was understood."""

    command: Command
    words: Sequence[str]  # its arguments
    values: Mapping[str, Any]  # of its options, each by its field
    only_words: bool = False  # `--` stood before the first word

    @property
    def options(self) -> Options:
        return Options(**{name: self.values[name] for name in Options._fields if name in self.values})


def command(name: str) -> Command | Group | None:
    """Return the command or the group called *name*."""
    found: Command | Group | None = _row(name, "COMMAND") if name in command_names() else None
    return found


def builtin(name: str) -> Command:
    """Return the command called *name*, without which there is no command line."""
    found: Command = _row(name, "COMMAND")
    return found


def commands() -> Iterator[Command | Group]:
    """Yield all of them, by their names."""
    return filter(None, map(command, command_names()))


def slashes() -> Iterator[Slash]:
    """Yield the commands of a chat, by their names."""
    return filter(None, (_row(name, "SLASH") for name in command_names()))


def options() -> Iterator[CommandOption]:
    """Yield those of all commands; one that several have comes several times."""
    for row in commands():
        for each in row.commands if isinstance(row, Group) else (row,):
            yield from each.options


def command_names() -> list[str]:
    """Return what commands may be called: the names of the files in commands/."""
    # Listed by hand: importing pkgutil would cost each request.
    entries = os.listdir(os.path.join(os.path.dirname(__file__), "commands"))
    return sorted(entry[:-3] for entry in entries if entry.endswith(".py") and entry != "__init__.py")


def _row(name: str, kind: str) -> Any:
    module = __import__(f"{__package__}.commands.{name}", fromlist=[kind])
    return getattr(module, kind, None)
