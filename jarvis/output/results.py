"""Prints messages the same way everywhere: failures with their hints, in lines for a width, or as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.events import SCHEMA, Replied, Source, TurnEnded, TurnFailed, record
from ..core.text import HINT, cells, clean, hyperlink, one_line
from ..core.urls import host_of

BOLD, DIM, YELLOW, CYAN = "1", "2", "33", "36"  # how a terminal calls them
_LONGEST_TITLE = 80  # characters of a source's, on a pipe
_WIDE = "\ue000"  # stands beside a character that takes two columns, while lines are broken
_FIXED = "\xa0"  # a space at which no line is broken
_COLOUR = r"\x1b\[[0-9;]*m"
Changes = Callable[[str, str], bool]  # whether a text differs from what was told about the same before
# What a person says in plain words, of all that hints name behind `jarvis`; the rest are commands.
_WORDS = ("add", "back", "hello", "more", "open", "show")


class Surface(Protocol):
    """Where a turn is told: the streams of this process, or those of a client."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""

    @property
    def out_tty(self) -> bool: ...

    @property
    def err_tty(self) -> bool: ...

    @property
    def out_colour(self) -> bool: ...

    @property
    def err_colour(self) -> bool: ...

    @property
    def is_chat(self) -> bool:
        """Whether the person types at the prompt of a chat, where no `jarvis` stands before words."""

    def out(self, text: str, end: str = "\n") -> None:
        """Print to stdout: the answer, and nothing else."""

    def reply(self, text: str, links: Sequence[str] = ()) -> None:
        """Print the next piece of a reply to a terminal's stdout; out() ends the reply.

        links: with the first piece, the addresses that may become hyperlinks.
        """

    def err(self, text: str) -> None:
        """Print to stderr: everything else."""

    def passing(self, text: str) -> None:
        """Show a line until something else is printed; only where a person can see it."""

    def clear(self) -> None:
        """Remove the passing line."""


def dumped(value: Any) -> str:
    """Return *value* as JSON in which characters that would steer a terminal are escaped."""

    def spelt(match: re.Match[str]) -> str:
        return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]

    return re.sub(r"[^ -~]", spelt, json.dumps(value, ensure_ascii=False))


def styled(text: str, style: str, *, colour: bool) -> str:
    """Return *text* in a *style*, where the terminal has colours."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and style and colour else text


def always(_about: str, _text: str) -> bool:
    """Return that a text is to be told, whatever was told about the same before."""
    return True


def changes_in(thread: str, screen: Surface, state_folder: str) -> Changes:
    """Return what tells a text from what *thread* was told about the same before.

    A pipe is told all of it each time, as is a person where nothing is remembered: in no *state_folder*.
    """
    if not (screen.err_tty and state_folder):
        return always
    from ..core.told import ToldBefore  # few turns have something to tell beside the answer

    return ToldBefore(state_folder, thread).changes


def told_unverified(replied: Replied, changes: Changes = always) -> str:
    """Return a line on the hosts in a reply that nothing vouches for, if it is new; empty where none is."""
    hosts = [clean(host) for host in dict.fromkeys(map(host_of, replied.unverified))]
    told = ", ".join(host for host in hosts if changes(f"host {host}", "told"))
    return f"Not from your words nor from a search: {told}" if told else ""


def source_line(number: int, source: Source, screen: Surface) -> str:
    """Return a source on one line: its title is cut for its address, which never is."""
    address, colour = clean(source.url), screen.out_colour
    room = max(12, screen.width - len(address) - 8) if screen.out_tty else _LONGEST_TITLE
    title = one_line(source.title, room) or "(no title)"
    link = styled(hyperlink(address), CYAN, colour=colour) if screen.out_tty else address
    return f"{styled(f'[{number}]', BOLD, colour=colour)} {title}  {link}"


def fitted(text: str, screen: Surface) -> str:
    """Return *text*, which is of few words, in lines that stdout has room for, where it is a terminal."""
    if not screen.out_tty or len(text) <= screen.width // 2:
        return text
    return broken(text, screen.width)


def broken(text: str, width: int) -> str:
    """Return *text* with its lines broken at spaces, none longer than *width* but for a word that is.

    So an address stays whole, and the terminal itself wraps one that is longer: it can be copied. So does a
    command at the end of a line, which would do something else if it were pasted in two.
    """
    wide = text if text.isascii() else "".join(each + _WIDE * (cells(each) - 1) for each in text)
    return "\n".join(each for line in wide.split("\n") for each in _lines(line, width)).replace(_WIDE, "")


def _lines(line: str, width: int) -> list[str]:
    import textwrap  # most messages are short

    if len(re.sub(_COLOUR, "", line)) <= width:
        return [line]
    indent = min(len(line) - len(line.lstrip(" ")), width // 2)
    left, gap, right = line.strip(" ").partition("  ")
    column = indent + len(left) + len(gap) + len(right) - len(right.lstrip(" "))
    if gap and column > width // 2:  # its second column begins too far to the right
        return [*_lines(" " * indent + left, width), *_lines(" " * (indent + 4) + right.lstrip(" "), width)]
    begin = " " * indent + (left.ljust(column - indent) if gap else "")
    hang = column if gap else indent + 2 * bool(indent)
    wrapper = textwrap.TextWrapper(width, begin, " " * hang, break_long_words=False, break_on_hyphens=False)
    return [each.replace(_FIXED, " ") for each in wrapper.wrap(_fixed((right if gap else left).lstrip(" ")))]


def _fixed(text: str) -> str:
    """Return *text* with the command at its end as one word."""
    head, sign, last = text.rpartition(": ")
    # A hint that ends with a full stop is a sentence, or a list.
    is_command = last.startswith("jarvis ") or (text.startswith(HINT.strip()) and not last.endswith("."))
    return f"{head}{sign}{last.replace(' ', _FIXED)}" if sign and is_command else text


def show_failure(screen: Surface, message: str, hint: str = "") -> None:
    screen.err(f"jarvis: {one_line(message)}")
    show_hint(screen, hint)


def show_hint(screen: Surface, hint: str) -> None:
    if hint:
        screen.err(f"{HINT}{as_typed_at(screen, one_line(hint))}")


def as_typed_at(screen: Surface, text: str) -> str:
    """Return *text*, which is ours, with commands as a chat takes them: words alone, or behind a slash."""

    def typed(match: re.Match[str]) -> str:
        quoted, name = match[1], match[2]
        return quoted or (name if name in _WORDS else f"/{name}")

    # What a shell alone can do stays as it is: `jarvis -t …`, `jarvis threads export > FILE`.
    is_shells = not screen.is_chat or re.search(r"[<>|]", text)
    return text if is_shells else re.sub(r'(?:^|(?<=: ))jarvis (?:"([^"]+)"|([a-z]+)\b)', typed, text)


def show_error(screen: Surface, error: JarvisError, *, as_json: bool, as_records: bool) -> int:
    """Tell an error that kept a turn from beginning; return its exit status."""
    failed = TurnFailed(error.code, error.message, error.hint)
    status = "interrupted" if isinstance(error, (Interrupted, Terminated)) else "failed"
    whole: dict[str, Any] = {**_NOTHING, "status": status, "error": failed._asdict()}
    if as_json:
        screen.out(dumped(whole))
    elif as_records:
        for event in (failed, TurnEnded(status, error.exit_status, whole)):
            screen.out(dumped(record(event, "", "")))
    else:
        show_failure(screen, error.message, error.hint)
    return error.exit_status


# The object of the contract where there is no turn.
_NOTHING: Mapping[str, Any] = {
    "schema": SCHEMA,
    "status": "failed",
    "thread": None,
    "turn": None,
    "goal": None,
    "reply": "",
    "steps": [],
    "sources": [],
    "tables": [],
    "result": None,
    "intent": None,
    "unverified": [],
    "unkept": None,
    "question": None,
    "usage": {
        "model_calls": 0,
        "searches": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "seconds": 0,
        "credits": 0,
        "searches_left": None,
    },
    "error": None,
}
