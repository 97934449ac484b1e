"""Reads activities from a file: Ghostfolio's own export, or a CSV whose header names its columns.

Neither 1,234 nor 1/2/2026 is clear by itself: all cells of a file decide how it writes numbers and days. The
names of columns and kinds are in words.txt.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

from ...core.errors import UsageError
from ...core.money import CURRENCIES, currency_for_sign, number_of, read_decimal
from ...core.text import fold_case, one_line
from ..entries import entries_at, words_at
from .ghostfolio import KINDS, NUMBERS, Entry

Row: TypeAlias = Mapping[str, str]  # the cells of a line, by what they are

_KEYS = ["accountId", "comment", "currency", "dataSource", "date", "symbol", "type", *NUMBERS]
_NEEDED = ("date", "symbol", "quantity", "unitPrice")
_SIGN = re.compile(r"[^0-9.,'’()+−\s-]+")  # a currency's, or its code
_BESIDE = r"[^0-9.,'’()+−-]*+"  # such, and spaces
_NUMBER = re.compile(rf"{_BESIDE}([+−-]?){_BESIDE}([0-9.,](?:[0-9.,'’\s]*[0-9])?){_BESIDE}")
_FORMULA = re.compile(r"[=@]|\+(?! ?[$€£]?[0-9.,]+$)")  # +5 is none
_UNIT = re.compile(r"[(\[](?:in )?([A-Z]{3}|[$€£])[)\]]$")  # Price (EUR)
_DAY = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})[./-]([0-9]{4})")
_WORDS = [row.partition("|") for row in Path(__file__).with_name("words.txt").read_text("utf-8").splitlines()]
_HEADS = {word: thing.strip() for thing, _, words in _WORDS for word in words.split() if thing[0].islower()}
_KINDS = {word: kind.strip() for kind, _, words in _WORDS for word in words.split() if kind[0].isupper()}


def read_activities(data: bytes) -> tuple[dict[int, Entry], dict[int, str], dict[str, str]]:
    """Return a file's activities by line, the reasons against other lines, and the meanings of its columns.

    A line of JSON is its place in the list. Raises UsageError if the whole file is unreadable.
    """
    text = _decoded(data)
    names, records, usual = (_export if text.lstrip()[0] in "{[" else _table)(text)
    columns, units = _columns(names), [(*_UNIT.findall(name), "")[0] for name in names]
    rows, refused = dict[int, Row](), dict[int, str]()
    for line, cells in records.items():
        if len(cells) == len(names):
            triples = zip(columns, cells, units, strict=True)
            rows[line] = {thing: f"{cell} {unit if cell else ''}".strip() for thing, cell, unit in triples}
        else:
            refused[line] = "it has more or fewer cells than the header"
    numbers = {row.get(name, "") for row in rows.values() for name in (*NUMBERS, "amount")}
    mark = _way(numbers, _number, ",.") or usual
    order = _way({row["date"] for row in rows.values()}, _moment, "dm") or ("d" if usual == "," else "dm")
    found, lines = dict[int, Entry](), dict[tuple[object, ...], int]()
    for line, row in rows.items():
        activity = _activity(row, mark, order)
        if isinstance(activity, str):
            refused[line] = activity
        elif (first := lines.setdefault((*activity.values(),), line)) != line:
            refused[line] = f"the same as line {first}"
        else:
            found[line] = activity
    return found, refused, {name: thing for name, thing in zip(names, columns, strict=True) if name != thing}


def _decoded(data: bytes) -> str:
    """Return the text that these bytes are."""
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if text.strip() and "\0" not in text:
                return text
    raise UsageError("The file is empty, or isn't text.")


def _export(text: str) -> tuple[list[str], dict[int, list[str]], str]:
    """Return heads, records by their places, and the decimal mark, of Ghostfolio's own export."""
    export: object = None
    with suppress(ValueError, RecursionError):
        export = json.loads(text, parse_float=str, parse_int=str)
    names = {words_at(each, "id"): words_at(each, "name") for each in entries_at(export, "accounts")}
    cells = ([words_at(each, key) for key in _KEYS] for each in entries_at(export, "activities"))
    records = {place: [names.get(id_) or id_, *rest] for place, (id_, *rest) in enumerate(cells, 1)}
    if not records:
        raise UsageError("This JSON isn't an export of Ghostfolio: it has no activities.")
    return _KEYS, records, "."


def _table(text: str) -> tuple[list[str], dict[int, list[str]], str]:
    """Return heads, records by lines, and the usual decimal mark of such a CSV."""
    between = max(",;\t|", key=text.lstrip().partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, skipinitialspace=True, strict=True)
    try:
        (_, names), *records = [(reader.line_num, each) for each in reader if any(map(str.strip, each))]
    except csv.Error as error:
        message = f"Can't read it as CSV, somewhere up to line {reader.line_num}: {error}."
        raise UsageError(message) from None
    return names, dict(records), "," if between == ";" else "."


def _columns(names: list[str]) -> list[str]:
    """Return the meaning of each column, or its name. The first of several words for it counts."""
    columns, heads = [*names], [_word(_UNIT.sub("", name)) for name in names]
    for word, thing in _HEADS.items():
        if heads.count(word) > 1:
            raise UsageError(f"Two columns could be the {thing}.", hint="Remove one.")
        if word in heads and thing not in columns:
            columns[heads.index(word)] = thing
    if "date" not in columns and "time" in columns:  # which has both then
        columns[columns.index("time")] = "date"
    if missing := [thing for thing in _NEEDED if thing not in columns]:
        message = f"No column is the {missing[0]}. Columns: {one_line(', '.join(names), 200)}"
        raise UsageError(message, hint="Name it in the first line.")
    return columns


def _word(cell: str) -> str:
    """Return *cell* without case, accents, spaces, and signs."""
    return re.sub(r"[^a-z0-9]", "", fold_case(cell))


def _way(cells: set[str], read: Callable[[str, str], object], ways: str) -> str:
    """Return the one of two *ways* that reads the *cells*, or "" if both do. Raises UsageError."""
    first, second = ({cell for cell in cells if read(cell, way) not in (None, "")} for way in ways)
    if first - second and second - first:
        message = f"“{min(first - second):.40}” and “{min(second - first):.40}” use different formats."
        raise UsageError(message, hint="Write all numbers as 1234.5, and all days as 2026-01-31.")
    return "" if first == second else ways[first < second]


def _activity(row: Row, mark: str, order: str) -> Entry | str:
    """Return the activity in *row*, or the reason against it. order: d, m, or both if it isn't clear."""
    label = row.get("type", "SELL" if row["quantity"].startswith(("-", "−")) else "BUY")
    kind = _KINDS.get(_word(label.partition("(")[0]))
    if kind in ("DIVIDEND", "INTEREST") and not row["unitPrice"]:
        row = {**row, "quantity": "1", "unitPrice": row.get("amount", "")}  # all that was paid is one thing
    cells = {name: row.get(name) or "0" for name in NUMBERS}
    numbers = {name: _number(cell, mark) for name, cell in cells.items()}
    unread = [cells[name] for name, number in numbers.items() if number is None]
    quantity, price, fee = (number or Decimal(0) for number in numbers.values())
    moments = {_moment(f"{row['date']} {row.get('time', '')}", first) for first in order} - {""}
    signs = _SIGN.findall(" ".join([row.get("currency", ""), *cells.values()]))
    currency, status = _currency(signs), row.get("status", "")
    words = {
        name: one_line(row.get(name, ""), 200) for name in ("symbol", "dataSource", "accountId", "comment")
    }
    wrong = {
        "one of its cells is a formula": any(map(_FORMULA.match, row.values())),
        f"“{row['date']:.40}” could be two dates": len(moments) > 1,
        f"no date in “{row['date']:.40}”": not moments,
        f"“{label:.40}” isn't one of {', '.join(KINDS)}": kind not in KINDS,
        f"it is “{status:.40}”": status and _KINDS.get(_word(status)) != "DONE",
        f"no number in “{''.join(unread[:1]):.40}”": unread,
        "no symbol": not words["symbol"],
        "no quantity": not quantity and kind != "FEE",
        "no price": not row["unitPrice"],
        "its quantity is negative": quantity < 0 and kind != "SELL",
        "its price is negative": price < 0,
        f"its currency isn't clear: {', '.join(signs)}": currency is None,
    }
    amounts = {"quantity": quantity.copy_abs(), "unitPrice": price, "fee": fee.copy_abs()}
    activity = {"type": kind, **words, **amounts, "currency": currency, "date": "".join(moments)}
    return next((one_line(why) for why, is_so in wrong.items() if is_so), activity)


def _number(cell: str, mark: str) -> Decimal | None:
    """Return the number in *cell*, by its decimal *mark*, or None."""
    parts = _NUMBER.fullmatch(cell)
    number = number_of(read_decimal(parts[2], mark)) if parts else None
    return number.copy_negate() if parts and number and parts[1] in ("-", "−") else number


def _moment(cell: str, first: str) -> str:
    """Return the day and time in *cell*, or "". first: d or m, the first part of 1/2/2026."""
    day, clock, *_ = [*re.split(r"[Tt ,;]+", cell.strip(), maxsplit=1), ""]
    if parts := _DAY.fullmatch(day):
        one, sign, other, year = parts.groups()
        number, month = (one, other) if sign == "." or first == "d" else (other, one)
        day = f"{year}-{month:0>2}-{number:0>2}"
    with suppress(ValueError):
        clock = re.sub("^(?=.:)", "0", clock) or "00:00"
        return f"{datetime.fromisoformat(f'{day}T{clock}'.replace('/', '-')):%Y-%m-%dT%H:%M:%S.000Z}"
    return ""


def _currency(signs: list[str]) -> str | None:
    """Return the currency code of all *signs*, "" if unclear, as for $, or None if no currency fits."""
    signs = [sign.lower() if sign.isupper() else sign for sign in signs]  # GBp is no GBP
    may_be = [each for each in CURRENCIES.values() if all(map(each.has, signs))]
    sure = [each.code for each in may_be if any(currency_for_sign(sign, "") == each for sign in signs)]
    return next(iter(sure), "") if may_be else None
