"""`jarvis help`, `--help`, and `/help` in a chat: what there is to say, from the registry."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from ...core.stdlib import TYPE_CHECKING
from ..options import HELP, REQUEST, VERSION
from ..registry import (
    Argument,
    Call,
    ChatContext,
    Command,
    CommandOption,
    Group,
    Slash,
    command,
    commands,
    slashes,
)

if TYPE_CHECKING:
    from ...output.screen import Screen

_HEAD = """\
Usage: jarvis [OPTIONS] WORDS…

  jarvis open github.com
  jarvis "find the MIT website and open it"
  jarvis "who won the 2022 Fields medals?"     then: jarvis open 2
  jarvis "take a screenshot"
  jarvis                                        a chat, on a terminal

Say in plain words what you want. What was opened, started or saved is told from what happened.
"""
_FOOT = """\

After -- everything is words, but for a last - , which stands for what is piped in. Words may have 20,000
characters, what is piped in beside them 100,000; more is refused.
Keys: GOOGLE_API_KEY and SERPAPI_API_KEY, in the environment, in --env-file, or in .env in the configuration
folder (~/.config/jarvis on Linux)."""
_KEYS = "Ctrl-C stops what is under way, Alt-Enter begins a new line, Ctrl-R searches what was typed."
_WIDEST = 32  # columns of what is explained; where it takes more, that begins on the next line


def _run(call: Call, screen: Screen) -> int:
    """Print the page of the command that the words name, or the one of all."""
    names = list(call.words)
    row = command(names[0]) if names else None
    if isinstance(row, Group) and names[1:]:
        row = next(each for each in row.commands if each.name == names[1])
    return _print("\n".join(_page(row, names) if row else _front_page()), screen)


def _front_page() -> Iterator[str]:
    yield _HEAD
    yield from _listed("Options", [(_option(each), each.help) for each in (*REQUEST, VERSION, HELP)])
    yield ""
    yield from _listed("Commands", [(_usage(row), row.help) for row in commands()])
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
    """`threads list|show`, `why [TURN]`."""
    if isinstance(row, Group):
        return f"{row.name} {'|'.join(each.name for each in row.commands)}"
    return " ".join([row.name, *(each.shown for each in row.arguments)])


def _option(option: CommandOption) -> str:
    """`-t, --thread NAME`."""
    return f"{f'{option.short}, ' if option.short else ''}{option.long} {option.takes}".rstrip()


def _listed(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """*rows* in two columns."""
    rows = list(rows)
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST), default=0)
    yield f"{title}:"
    for left, right in rows:
        if len(left) <= width:
            yield f"  {left:<{width}}  {right}"
        else:
            yield f"  {left}"
            yield f"  {'':<{width}}  {right}"


def _print(text: str, screen: Screen) -> int:
    """Past the screen, which would import `re` to clean what is ours; the exit status."""
    if not sys.stdout:
        return 1
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except UnicodeEncodeError:  # a terminal without an ellipsis
        screen.out(text)
    except OSError as error:
        return screen.lost(error)
    return 0


async def _in_chat(chat: ChatContext, argument: str) -> None:
    chat.print("Say in plain words what you want, or:")
    for slash in slashes():
        words = f" (or: {', '.join(slash.words)})" if slash.words else ""
        chat.print(f"  {slash.shown:<16} {slash.help}{words}")
    chat.print(_KEYS)


COMMAND = Command(
    "help",
    "this, or what a command takes",
    _run,
    (Argument("command", least=0, kind="command"),),
    # Not heeded, but the wrapper, scripts/jarvis, always gives one.
    options=REQUEST,
    fits=lambda words: all(command(word) for word in words),
    near=0,
)
SLASH = Slash("help", "", "what can be said here", _in_chat, words=("help", "?"))
