"""The columns of an exported thread, and what each may hold: anybody may have written the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from ..core.errors import BadTarget
from ..core.urls import canon
from .foreign_tables import are_tables

_MOST = 999_999_999  # of whatever is counted: ids have nine digits, and a column has room to count on
_LATEST = 4e9  # seconds since the epoch: the year 2096
_LONGEST = 1_000_000  # characters of one text
_MOST_SHOWN = 500  # lines of a list: a statement takes a limited number of values
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what one of the databases refuses
_THREAD = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TURN = re.compile(r"[0-9a-f]{16}")
_ADDRESS = re.compile(r"[urs][1-9][0-9]{0,8}")
_LINE = re.compile(r"[urso][1-9][0-9]{0,8}")  # of a list

Check = Callable[[object], bool]


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_number(value: object) -> bool:
    return _is_count(value) and value != 0


def _is_truth(value: object) -> bool:
    return type(value) is int and value in (0, 1)


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _LATEST


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST and not _NO_TEXT.search(value)


def _is_canonical(value: object) -> bool:
    try:
        return isinstance(value, str) and canon(value).url == value
    except BadTarget:
        return False


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MOST_SHOWN and all(map(_is_text, value))


def _is_list_of_ids(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MOST_SHOWN and all(map(_like(_LINE), value))


def _like(pattern: re.Pattern[str]) -> Check:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


def _one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _json(check: Check) -> Check:
    """Return the check that a text is JSON whose value passes *check*, and can be written again."""

    def is_held(value: object) -> bool:
        if not isinstance(value, str) or not _is_text(value):
            return False
        try:
            held = json.loads(value)
            json.dumps(held, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            return False
        return check(held)

    return is_held


# Parents first.
COLUMNS: Mapping[str, Mapping[str, Check]] = {
    "threads": {
        "id": _like(_THREAD),
        "created_at": _is_time,
        "used_at": _is_time,
        "turns": _is_count,
        "typed": _is_count,
        "found": _is_count,
        "title": _is_text,
        "offers": _is_count,
    },
    "turns": {
        "id": _like(_TURN),
        "thread": _like(_THREAD),
        "n": _is_number,
        "goal": _is_text,
        "status": _one_of("open", "done", "failed", "needs_answer", "refused", "interrupted"),
        "reply": _is_text,
        "shown": _or_none(_json(_is_list_of_ids)),
        "error": _or_none(_is_text),
        "usage": _or_none(_json(_is_object)),
        "started_at": _is_time,
        "ended_at": _or_none(_is_time),
        "piped": _is_text,
        "intent": _or_none(_json(_is_list_of_texts)),
        "own": _is_truth,
        "tables": _or_none(_json(are_tables)),
    },
    "steps": {
        "turn": _like(_TURN),
        "n": _is_number,
        "action": _is_text,
        "arguments": _json(_is_object),
        "target": _is_text,
        "state": _one_of("started", "done", "failed", "declined", "refused", "unknown"),
        "outcome": _is_text,
        "started_at": _is_time,
        "ended_at": _or_none(_is_time),
        "rule": _is_text,
        "why": _is_text,
    },
    "addresses": {
        "thread": _like(_THREAD),
        "id": _like(_ADDRESS),
        "url": _is_canonical,
        "title": _is_text,
        "source": _one_of("typed", "piped", "found", "site", "alias"),
        "official": _is_text,
        "turn": _is_number,
        "step": _is_count,
        "opened": _or_none(_is_number),
        "shown": _or_none(_is_number),
        "place": _is_count,
        "official_name": _is_text,
    },
}
# What stands in the columns, the last of their table, that exports of earlier versions lack some or all of.
# A question is not among them: who carries out its answer must know that it was asked here.
ADDED: Mapping[str, tuple[object, ...]] = {
    "threads": ("", 0),
    "turns": ("", None, 0, None),
    "steps": ("", ""),
    "addresses": (0, ""),
}
