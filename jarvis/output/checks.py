"""What was looked at in a table that was worked out, as it stands below it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.tables import Check
from ..core.text import cells_in, one_line
from .lines import broken
from .runs import BOLD, Line, joined

_SIGNS = {True: "✓", False: "✗", None: "!"}  # met, not met, can't be told
_BETWEEN = "   "
_LONGEST = 400  # characters of one


def told_checks(checks: Sequence[Check], width: int) -> list[Line]:
    """Return *checks* beside each other, in as few lines as *width* has room for."""
    lines: list[Line] = []
    for check in checks:
        first, *more = broken(told_check(check), width).split("\n")
        run = (first, BOLD if check.is_met is False else "")
        room = width - (sum(cells_in(text) for text, _ in lines[-1]) if lines else width)
        if lines and not more and cells_in(_BETWEEN + first) <= room:
            lines[-1] = joined([*lines[-1], (_BETWEEN, ""), run])
        else:
            lines += [[run], *([(line, run[1])] for line in more)]
    return lines


def told_check(check: Check) -> str:
    """Return a check in words, behind a sign that says whether it is met."""
    name, said = one_line(check.name, _LONGEST), one_line(check.said, _LONGEST)
    words = said if said.startswith(name) else f"{name}: {said}" if said else name
    return f"{_SIGNS[check.is_met]} {words}"
