"""Tells where a list is, to a person who asked for a line of one in a thread that has none."""

from __future__ import annotations

from ..core.errors import UsageError
from ..core.text import one_line
from ..core.types import TERMINALS, Address
from .history import History

_LONGEST = 60  # characters of a title


async def no_line(history: History, thread: str, number: int, *, lines: int, by: str) -> UsageError:
    """Return the error for a line that the list last shown in *thread* does not have.

    number: of the line; -1: the last one. lines: how many that list has; 0: there is none. by: the command
    that takes `-t NAME open NUMBER`.
    """
    where = "this thread" if thread.startswith(TERMINALS) else f"the thread {thread}"
    found = None if lines else await history.listed_last()
    if found:
        return UsageError(
            f"Nothing was listed in {where}. {told_list(*found)}",
            hint=f"{by} -t {found[0]} open {number if number > 0 else 'the last one'}",
        )
    if not lines:
        return UsageError(
            f"Nothing was listed in {where}.",
            hint="Ask something first; what is listed below the answer can be opened by its number.",
        )
    return UsageError(
        f"There is no line {number} in the list last shown in {where}.", hint=f"Its last line is {lines}."
    )


def no_page(address: Address, number: int, *, by: str) -> UsageError:
    """Return the error for a line whose offer has no page to open. by: the command that shows the line."""
    return UsageError(
        f"Line {number} has no page: {one_line(address.title, _LONGEST) or 'only what the list tells'}.",
        hint=f'{by} "show {number}"' if number > 0 else "",
    )


def told_list(thread: str, title: str) -> str:
    """Return a sentence on the thread that listed something last."""
    named = f"{thread} (“{one_line(title, _LONGEST)}”)" if title else thread
    return f"The list last shown is in the thread {named}."
