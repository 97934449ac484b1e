"""Do the words ask for something to be opened, and how many things? One, unless they name more."""

from __future__ import annotations

import re

from ..urls import typed_addresses

MOST = 6
_COUNTS = {"couple": 2, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MANY = ("seven", "eight", "nine", "ten", "all", "each", "every", "them", "these", "those")
_NUMBER = re.compile(rf"(?i)\b({'|'.join((*_COUNTS, *_MANY))}|[2-9]|10)\b")
_AND = re.compile(r"(?i)\s*(?:[,;&]\s|\band\b|\bplus\b|\bthen\b|\bas well as\b)\s*")
_POLITE = r"(?i)(?:(?:please|also|can you|could you|would you|now|jarvis)[\s,]+)*"
_OPEN = re.compile(rf"{_POLITE}(?:open|launch|start|run|visit|go to|bring up|pull up|take me to)\b")
_OTHER = re.compile(
    rf"{_POLITE}(?:find|search|look|tell|show|say|give|take|make|save|read|let|get|check|ask|send|write|"
    r"summari[sz]e|what|who|when|where|why|how|is|are|if|it|that|so|i|close|stop|screenshot|capture)\b"
)


def things_named(goal: str) -> int:
    """From 1 to MOST: what stands in a list after a verb that opens, and numbers said there."""
    opening, count = False, 0
    for part in _AND.split(goal):
        if _OPEN.match(part):
            opening = True
        elif _OTHER.match(part):
            opening = False
        if opening and part.strip():
            count += max(1, len(typed_addresses(part)), *map(_number, _NUMBER.findall(part)))
    return min(MOST, max(1, count))


def asks_to_open(goal: str) -> bool:
    """Whether a part of *goal* begins with a verb that opens."""
    return any(_OPEN.match(part) for part in _AND.split(goal))


def _number(word: str) -> int:
    word = word.lower()
    return _COUNTS.get(word) or (int(word) if word.isdigit() else MOST)
