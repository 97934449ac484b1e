"""Whether a reading that somebody wrote down keeps the grammar of `wants`, and fits its words."""

from __future__ import annotations

import re

from jarvis.core.urls import typed_addresses

ROLES = ("browser", "mail", "files", "terminal", "editor", "settings")
_PART = re.compile(
    r"(?:open u(?P<typed>[1-9]\d*)|open line [1-9]\d*|open lines|open site (?P<site>\S.*?)"
    r"|open found [1-6]|start (?P<app>\S.*?)|picture)(?P<unsure>\?)?"
)


def faults(reading: str, words: str, said_before: str = "") -> list[str]:
    """What is wrong with *reading*; empty: nothing. said_before: own words of earlier turns."""
    if reading == "nothing":
        return []
    return [why for part in reading.split("; ") if (why := _fault(part, words, said_before))]


def _fault(part: str, words: str, said_before: str) -> str:
    found = _PART.fullmatch(part)
    if not found:
        return f"“{part}” is no part of the grammar"
    if found["typed"] and int(found["typed"]) > len(typed_addresses(words)):
        return f"“{part}”: so many addresses were not typed"
    heard = f"{words} {said_before}".casefold()
    app = (found["app"] or "").casefold()
    if app and app not in ROLES and app not in heard and not found["unsure"]:
        return f"“{part}”: nobody said that name"
    return ""
