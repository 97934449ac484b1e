"""Checks the tables of an exported turn: anybody may have written them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..core.urls import found
from .tables import listed_in, packed

# More of them is not ours, and would take long to be read.
_MOST_TABLES = 50
_MOST_ROWS = 500
_MOST_OTHERS = 50  # columns, sums, checks, and what was asked of it
_MOST_LINES = 999_999_999
_OFFER = re.compile(r"o[1-9][0-9]{0,8}")
_KEPT_OF_A_ROW = 3  # before its cells: id, address, whose page that is


def are_tables(records: object) -> bool:
    """Return whether *records* are tables as `kept_tables` writes them."""
    return isinstance(records, list) and len(records) <= _MOST_TABLES and all(map(_is_table, records))


def believed_tables(text: str | None) -> bytes | None:
    """Return tables that were checked, to be kept: without the names by which a service finds rows again."""
    if text is None:
        return None
    return packed(json.dumps([{**record, "private": []} for record in json.loads(text)], ensure_ascii=False))


def _is_table(record: object) -> bool:
    if not isinstance(record, Mapping) or not _is_short(record):
        return False
    width = _KEPT_OF_A_ROW + len(record["columns"])
    are_rows = all(_is_row(row, width) for row in record["rows"]) and all(map(_is_sum, record["foot"]))
    return are_rows and _is_line(record.get("first")) and _is_read(record)


def _is_short(record: Mapping[str, Any]) -> bool:
    most = dict.fromkeys(("columns", "foot", "asked"), _MOST_OTHERS) | {"rows": _MOST_ROWS}
    return all(_is_list(record.get(name), count) for name, count in most.items())


def _is_list(value: object, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most


def _is_line(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_LINES


def _is_row(row: object, width: int) -> bool:
    if not isinstance(row, list) or len(row) != width:
        return False
    id_, url, link, *_ = row
    return _is_empty_or(_is_id, id_) and _is_empty_or(_is_page, url) and _is_empty_or(_is_word, link)


def _is_sum(row: object) -> bool:
    return isinstance(row, Mapping) and not row.get("id") and not row.get("url")


def _is_empty_or(check: Callable[[str], bool], value: object) -> bool:
    return value is None or (isinstance(value, str) and check(value))


def _is_id(value: str) -> bool:
    return bool(_OFFER.fullmatch(value))


def _is_page(value: str) -> bool:
    """Return whether a search could have found that address."""
    address = found(value)
    return bool(address and address.url == value)


def _is_word(value: str) -> bool:
    return value in ("merchant", "service")


def _is_read(record: Any) -> bool:
    try:
        listed_in(record)
    except (ValueError, TypeError, KeyError):
        return False
    return True
