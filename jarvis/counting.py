"""Do the words ask for something to be opened, and how many things? One, unless they name more."""

from __future__ import annotations

import re

from .urls import typed_addresses

MOST = 6
_LONGEST = 1000  # characters that are looked at
_COUNTS = {"couple": 2, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MANY = ("seven", "eight", "nine", "ten", "all", "each", "every", "them", "these", "those")
# A number counts before a plural or at the end: not in “Windows 10 page”, nor in “a page with all recipes”.
_NUMBER = re.compile(
    rf"(?i)(?<!with )(?<!about )(?<!for )(?<!on )\b({'|'.join((*_COUNTS, *_MANY))}|[2-9]|10)\b"
    r"(?= (?:of|all|the|first|last|top|best|other|\w+s|result|link)\b|\W*\Z)"
)
_AND = re.compile(r"(?i)[,;&\n]|[.!?] |\band\b|\bplus\b|\bthen\b|\bas well as\b|\bund\b|\bet\b|\by\b")
_POLITE = (
    r"(?i)(?:(?:please|also|can you|could you|would you|i want you to|let's|first|next|now|just|quickly|"
    r"jarvis)[ ,]+)*"
)
_OPEN = re.compile(rf"{_POLITE}(?:open|launch|start|run|visit|go to|bring up|pull up|take me to)\b")
_OTHER = re.compile(
    rf"{_POLITE}(?:find|search|look|tell|show|say|give|take|make|save|read|let|get|check|ask|send|write|play|"
    r"summari[sz]e|what|who|when|where|why|how|is|are|if|it|that|so|i|close|stop|screenshot|capture|"
    r"please|thanks?|thank you|now|quickly|for me)\b"
)


def things_named(goal: str) -> int:
    """From 1 to MOST: what stands in a list after a verb that opens, numbers said there, typed addresses."""
    opening, count = False, 0
    for part in map(str.strip, _AND.split(goal[:_LONGEST])):
        if _OPEN.match(part):
            opening = True
        elif _OTHER.match(part):
            opening = False
        if opening and part:
            count += max(1, *map(_number, _NUMBER.findall(part)), 1)
    return min(MOST, max(1, count, len(typed_addresses(goal))))


def asks_to_open(goal: str) -> bool:
    """Whether a part of *goal* begins with a verb that opens."""
    return any(_OPEN.match(part.strip()) for part in _AND.split(goal[:_LONGEST]))


def _number(word: str) -> int:
    word = word.lower()
    return _COUNTS.get(word) or (int(word) if word.isdigit() else MOST)
