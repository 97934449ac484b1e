"""Edits the text of policy.toml: finds the line of a key, adds and removes rules, leaves the rest as it
is.

It reads the common way to write them only. Who changes a file by it parses the result, and keeps it only
if that says what it was to say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_RULE = re.compile(r"\s*\[\[\s*rule\s*\]\]")
_TABLE = re.compile(r"\s*\[")
_KEEPS = re.compile(r"\s*(#|$)")  # a comment or an empty line: below a rule, it belongs to what follows
_LAST = re.compile(r"\s*last\s*=")
_HEAD = "# What Jarvis may do unasked, asks about, and may not do: jarvis policy --help"


class RulesText:
    def __init__(self, text: str) -> None:
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._lines = text.split("\n")

    def __str__(self) -> str:
        return "\n".join(self._lines)

    def line_of(self, key: str, rule: int | None = None) -> int:
        """Return the number of the line that sets *key*, in the rule at that place if any; 0: not found.

        Without a key, where the rule begins.
        """
        first, end = self._rules()[rule] if rule is not None and rule < len(self._rules()) else (0, None)
        if rule is not None and end is None:
            return 0
        sets = re.compile(
            rf"\s*[\"']?{re.escape(key)}[\"']?\s*=|\s*\[+\s*{re.escape(key)}\s*\]" if key else ""
        )
        lines = enumerate(self._lines[first:end], first + 1)
        return next((number for number, line in lines if sets.match(line)), 0)

    def changed(self, gone: Collection[int], new: Sequence[str], last: int) -> RulesText:
        """Return the text without the rules at the places *gone*, with the *new* ones below all others.

        last: the highest number that was given, to be noted where no rule is left that has it; 0: not.
        """
        rules = self._rules()
        cut = {line for place in gone if place < len(rules) for line in range(*rules[place])}
        lines = [line.rstrip("\r") for at, line in enumerate(self._lines) if at not in cut]
        while lines and not lines[-1].strip():
            lines.pop()
        if last:
            lines = _noted(lines, f"last = {last}  # the highest number that was ever given")
        for table in new:
            lines += [*([""] if lines else [_HEAD, ""]), *table.splitlines()]
        return RulesText(self._end.join([*lines, ""]))

    def _rules(self) -> list[tuple[int, int]]:
        """Return where each rule begins, and where what belongs to it ends."""
        starts = [at for at, line in enumerate(self._lines) if _RULE.match(line)]
        return [(at, self._end_of(at)) for at in starts]

    def _end_of(self, start: int) -> int:
        after = range(start + 1, len(self._lines))
        end = next((at for at in after if _TABLE.match(self._lines[at])), len(self._lines))
        while _KEEPS.match(self._lines[end - 1]) and end - 1 > start:
            end -= 1
        return end


def _noted(lines: Sequence[str], note: str) -> list[str]:
    """Return *lines* with *note* in place of the one they have, or above all."""
    first = next((at for at, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    at = next((at for at in range(first) if _LAST.match(lines[at])), None)
    return [note, *lines] if at is None else [*lines[:at], note, *lines[at + 1 :]]
