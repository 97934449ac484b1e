"""`jarvis help`, `--help` and `--version`: print what the registry says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ... import __version__
from ..options import HELP, REQUEST, VERSION
from ..registry import COMMANDS, Group
from ..rows import Command, CommandOption

if TYPE_CHECKING:
    from ...output.screen import Screen
    from ..grammar import Call

_HEAD = """\
Usage: jarvis [OPTIONS] WORDS…

  jarvis open github.com
  jarvis "find the MIT website and open it"
  jarvis "who won the 2022 Fields medals?"     then: jarvis open 2
  jarvis "take a screenshot"
  git log | jarvis what changed
  jarvis -f notes.txt "sum this up"
  jarvis                                        a chat, on a terminal

Say in plain words what you want. Jarvis reports what really happened: what was opened, started or saved.
"""
_FOOT = """\

After -- everything is words, except a last - , which waits for what is piped
in or typed. Words may have 20,000 characters, and what is piped in or named by
-f 100,000; anything longer is refused.
Keys: jarvis setup asks for them; jarvis keys list tells where they come from.
GOOGLE_API_KEY and SERPAPI_API_KEY count too, in the environment, in --env-file,
or in .env in the configuration folder (~/.config/jarvis on Linux)."""
_VERSION = f"jarvis {__version__}"
_WIDEST = 32  # columns of what is explained; where it takes more, that begins on the next line


def show_help(call: Call, screen: Screen) -> int:
    """Print the page of the command that the words name; without words, the front page."""
    names = list(call.words)
    row = COMMANDS[names[0]] if names else None
    if isinstance(row, Group) and names[1:]:
        row = next(each for each in row.commands if each.name == names[1])
    return _print("\n".join(_page(row, names) if row else _front_page()))


def show_version(call: Call, screen: Screen) -> int:
    return _print(_VERSION)


def show_alone(option: str) -> int:
    """Print what *option* (--help, -h or --version) asks for where nothing else stands on the line."""
    return _print(_VERSION if option == VERSION.long else "\n".join(_front_page()))


def is_command(words: Sequence[str]) -> bool:
    return all(word in COMMANDS for word in words)


def _front_page() -> Iterator[str]:
    yield _HEAD
    yield from _listed("Options", [(_option(each), each.help) for each in (*REQUEST, VERSION, HELP)])
    yield ""
    yield from _listed("Commands", [(_usage(row), row.help) for row in COMMANDS.values()])
    yield _FOOT


def _page(row: Command | Group, names: Sequence[str]) -> Iterator[str]:
    name = " ".join(["jarvis", *names])
    if isinstance(row, Group):
        yield f"Usage: {name} COMMAND …"
    else:
        yield " ".join(["Usage:", name, "[OPTIONS]", *(each.shown for each in row.arguments)])
    yield f"\n{row.help[0].upper()}{row.help[1:]}."
    if row.about:
        yield row.about
    yield ""
    if isinstance(row, Group):
        yield from _listed("Commands", [(_usage(each), each.help) for each in row.commands])
        yield f"\n{name} COMMAND --help tells more of one."
        return
    if explained := [(each.shown, each.help) for each in row.arguments if each.help]:
        yield from _listed("Arguments", explained)
        yield ""
    yield from _listed("Options", [(_option(each), each.help) for each in (*row.options, HELP)])


def _usage(row: Command | Group) -> str:
    """Return how a command is typed: `threads list|show`, `why [TURN]`."""
    if isinstance(row, Group):
        return f"{row.name} {'|'.join(each.name for each in row.commands)}"
    return " ".join([row.name, *(each.shown for each in row.arguments)])


def _option(option: CommandOption) -> str:
    """Return how an option is typed: `-t, --thread NAME`."""
    return f"{f'{option.short}, ' if option.short else ''}{option.long} {option.takes}".rstrip()


def _listed(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield *rows* in two columns."""
    rows = list(rows)
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST), default=0)
    yield f"{title}:"
    for left, right in rows:
        if len(left) <= width:
            yield f"  {left:<{width}}  {right}"
        else:
            yield f"  {left}"
            yield f"  {'':<{width}}  {right}"


def _print(text: str) -> int:
    """Print *text*, which is ours, and return the exit status."""
    if not sys.stdout:
        return 1
    try:
        sys.stdout.write(f"{_fitted(text)}\n")
        sys.stdout.flush()
    except (UnicodeEncodeError, OSError) as error:
        from ...output.screen import Screen  # few need it: it would import `re` to clean foreign text

        screen = Screen()
        if isinstance(error, OSError):
            return screen.lost(error)
        screen.out(text)  # on a terminal without an ellipsis
    return 0


def _fitted(text: str) -> str:
    """Return *text* in lines that stdout has room for, where it is a terminal."""
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):  # no terminal
        return text
    if not width or max(map(len, text.split("\n"))) <= width:
        return text
    from ...output.results import broken  # a pipe and a wide terminal do without

    return broken(text, max(width, 20))
