"""What was looked at in a table that was worked out, as it stands below it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.cell_text import told_text
from ..core.tables import Check
from ..core.text import cells_in
from .lines import cut
from .runs import BOLD, Line, joined, length

_SIGNS = {True: "✓", False: "✗", None: "!"}  # met, not met, can't be told
_BETWEEN = "   "


def told_checks(checks: Sequence[Check], width: int) -> list[Line]:
    """Return *checks* beside each other, in as few lines as *width* has room for."""
    lines: list[Line] = []
    for check in checks:
        texts, style = cut(told_check(check), width), BOLD if check.is_met is False else ""
        room = width - length(lines[-1]) if lines else 0
        if len(texts) == 1 and cells_in(_BETWEEN + texts[0]) <= room:
            lines[-1] = joined([*lines[-1], (_BETWEEN, ""), (texts[0], style)])
        else:
            lines += [[(text, style)] for text in texts]
    return lines


def told_check(check: Check) -> str:
    """Return a check in words, behind a sign that says whether it is met; ! warns of one that is soft."""
    sign = _SIGNS[check.is_met if check.is_hard or check.is_met else None]
    return f"{sign} {told_text(check.said) or told_text(check.name)}"
