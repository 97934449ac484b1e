"""The types of the registry's rows: commands, their arguments and options, and commands of a chat.

Cheap to import: every request is read by these rows.
"""

from __future__ import annotations

from typing import NamedTuple

MANY = 1_000_000  # words: as many as there are
# What a value may be, for completion.
KINDS = ("", *"address alias command doubt effect file key name pack rule shell thread turn words".split())


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
    repeats: bool = False  # each time it is given counts; of any other the last
    read: str = ""  # the function that makes its value of a text; empty: the text itself


class Argument(NamedTuple):
    """Words that follow a command's name."""

    name: str
    help: str = ""
    least: int = 1  # words
    most: int = 1
    kind: str = ""  # one of KINDS

    @property
    def shown(self) -> str:
        """How help shows it: `[NAME]`, `WORDS…`."""
        many = f"{self.name.upper()}{'…' if self.most > 1 else ''}"
        return many if self.least else f"[{many}]"


WORDS = Argument("words", least=0, most=MANY, kind="words")


class Command(NamedTuple):
    """A command, or one of a group."""

    name: str
    help: str  # a line, as a list shows it
    run: str  # the function that does it, as (Call, Screen) -> exit status
    arguments: tuple[Argument, ...] = ()
    options: tuple[CommandOption, ...] = ()
    about: str = ""  # what its own help tells besides
    # The function that tells whether words that are as many as it takes may be its arguments, and are not a
    # sentence's; empty: they are.
    fits: str = ""


class Slash(NamedTuple):
    """A command that only a chat has: `/new [NAME]`."""

    name: str
    argument: str  # how help shows it; empty: it takes none
    help: str
    # The coroutine function that does it, as (Commands, argument) -> words to be done next, or None. Raises
    # EOFError to leave.
    run: str
    words: tuple[str, ...] = ()  # that mean the same, alone on a line
    kind: str = ""  # of its argument: one of KINDS
    most: int = 1  # words of its argument

    @property
    def shown(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()
