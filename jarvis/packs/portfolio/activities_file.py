"""Reads activities out of a file: Ghostfolio's own export, or a CSV whose heads say what they are.

1,234 and 1/2/2026 don't say what they mean: all cells of a file decide how it writes numbers and days, and
what is not sure then is refused by its line. What heads and kinds are called stands in words.txt.
"""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, time
from decimal import Context, Decimal
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple, TypeAlias, TypeVar

from ...core.errors import UsageError
from ...core.money import CURRENCIES, currency_meant, read_decimal
from ...core.text import folded, one_line
from .activity import KINDS, Activity

_T = TypeVar("_T")
_Row: TypeAlias = Mapping[str, str]  # cells, by what they are
_Record: TypeAlias = list[str] | str  # cells, or why there are none
_Sheet: TypeAlias = tuple[list[str], Mapping[int, _Record], str]  # heads, what is below by lines, a delimiter

_MOST = 20_000_000  # bytes
_LONGEST, _TOLD = 200, 40  # characters of a cell, and of what is told of one; digits of a number
_TOP = 11  # lines, one of which has the heads
_FLOAT = Context(prec=15)  # of a quotient: Ghostfolio counts in floats, which give back so many digits
_KEYS = "accountId comment currency dataSource date symbol type fee quantity unitPrice".split()
_MONEY = ("price", "amount", "fee")
_SIGN = r"([^0-9.,()+−-]{0,9})"
_NUMBER = re.compile(
    rf"(\(?)([-−+]?){_SIGN}([-−+]?) ?([0-9.,](?:[0-9.,'’ \xa0\u2009\u202f]*[0-9])?)(?:[eE]-([0-9]{{1,2}}))?"
    rf"{_SIGN}(\)?){_SIGN}"
)
_FORMULA = re.compile(r" *(?!\+ ?[$€£]? ?[0-9.,][0-9.,'’ ]*([A-Z]{3}|[$€£])?\s*$)[=+@\t]")  # +5 is none
_UNIT = re.compile(r"(.*?) *(?:\((.*)\)|\[(.*)\]|\bin ([A-Z]{3}|\W))")
_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = (
    r"(?P<year>\d{4})(?P<mark>[-/.]?)(?P<month>\d\d)(?P=mark)(?P<day>\d\d)",
    r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})",
    r"(?P<first>\d\d?)(?P<mark>[-/])(?P<second>\d\d?)(?P=mark)(?P<year>\d{4})",
    r"(?P<day>\d\d?)[ -](?P<month>[a-z]{3,9})[ -](?P<year>\d{4})",
    r"(?P<month>[a-z]{3,9}) (?P<day>\d\d?),? (?P<year>\d{4})",
)
_DAY = [re.compile(rf"{pattern}(?:[t ,;]+\d.*)?", re.ASCII) for pattern in _DAYS]
_CLOCK = re.compile(
    r"(?:.*[t ,;])?(?!\d{4}$)(\d\d?):?(\d\d):?(\d\d)?(?:[.,]\d+)? ?(?:z|utc|[+-][\d:]+)?", re.ASCII
)


class ActivitiesFile(NamedTuple):
    """What a file has."""

    activities: tuple[Activity, ...]
    refused: Mapping[int, str]  # why, by line
    columns: Mapping[str, str]  # what each head was taken for


class _Refusal(Exception):
    """Why a line is refused, as a person would say it."""


class _Head(NamedTuple):
    rank: int  # 0: nothing says it closer
    place: int
    thing: str
    name: str
    unit: str  # the currency of its column; empty: not said


class _Writing(NamedTuple):
    """How a file writes; several ways, where some cells have one for certain and some another."""

    marks: str  # decimal ones
    orders: str  # what comes first in 1/2/2026: d, m
    owes: bool  # fees are negative
    units: Mapping[str, str]  # currencies, by columns


def read_activities(data: bytes) -> ActivitiesFile:
    """Return what a file of these bytes has; raises UsageError where it can't be read as a whole."""
    text = _decoded(data)
    names, records, delimiter = (_export if text.lstrip()[0] in "{[" else _table_in)(text)
    heads = _heads(names)
    rows, refused = dict[int, _Row](), dict[int, str]()
    for line, record in records.items():
        if isinstance(record, str):
            refused[line] = record
        else:
            rows[line] = {thing: record[head.place].strip() for thing, head in heads.items()}
    if "price" in heads and all(row["price"] for row in rows.values()):
        heads.pop("amount", None)
    read, not_read = _activities(rows, _writing_of(heads, [*rows.values()], delimiter))
    columns = {head.name: thing for thing, head in heads.items()}
    columns |= {heads["amount"].name: "price = amount / quantity"} if "amount" in heads else {}
    return ActivitiesFile(read, dict(sorted((refused | not_read).items())), columns)


def _activities(rows: Mapping[int, _Row], writing: _Writing) -> tuple[tuple[Activity, ...], dict[int, str]]:
    """Return the activities in *rows*, each once, and why others are refused."""
    lines, refused = dict[Activity, int](), dict[int, str]()
    for line, row in rows.items():
        try:
            first = lines.setdefault(_activity(row, writing), line)
            if first != line:
                raise _Refusal(f"the same as line {first}")
        except _Refusal as reason:
            refused[line] = str(reason)
    return tuple(activity._replace(line=line) for activity, line in lines.items()), refused


def _decoded(data: bytes) -> str:
    """Return the text that these bytes are; the last encoding counts that fits."""
    if len(data) > _MOST:
        raise UsageError("The file has more than 20 MB.", hint="Split it.")
    text = "\0"
    for encoding in ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("cp1252", "utf-8-sig"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
    if "\0" in text or not text.strip():
        raise UsageError("The file is no text." if text.strip() else "The file is empty.")
    return text


def _export(text: str) -> _Sheet:
    """Return Ghostfolio's own export: its activities, by their places."""
    export: object = None
    with suppress(ValueError, ArithmeticError, RecursionError):
        export = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    if not isinstance(export, dict) or not isinstance(export.get("activities"), list):
        raise UsageError("This JSON is no export of Ghostfolio: it has no list of activities.")
    listed = export["accounts"] if isinstance(export.get("accounts"), list) else []
    names = {str(each.get("id")): str(each.get("name") or "") for each in listed if isinstance(each, dict)}
    return _KEYS, {line: _entry(each, names) for line, each in enumerate(export["activities"], 1)}, ""


def _entry(entry: object, names: Mapping[str, str]) -> _Record:
    """Return the cells of an activity in an export. names: of the accounts, by their ids."""
    values = [entry.get(key) for key in _KEYS] if isinstance(entry, dict) else [False]
    if not all(isinstance(value, str | Decimal | None) for value in values):
        return "no activity stands there"
    account, *others = ("" if value is None else str(value) for value in values)
    return [names.get(account) or account, *others]


def _table_in(text: str) -> _Sheet:
    """Return a CSV: of its first lines that one is the heads which says most."""
    tops = [
        (len({head.thing for head in _known(record)}), delimiter, line, record)
        for delimiter in ",;\t|"
        for line, record in takewhile(lambda each: each[0] <= _TOP, _records(text, delimiter))
        if not isinstance(record, str)
    ]
    _, delimiter, top, names = max(tops, key=lambda each: each[0], default=(0, ",", 0, [""]))
    records = (each for each in _records(text, delimiter) if each[0] > top and any(map(str.strip, each[1])))
    return names, {line: _filled(record, len(names)) for line, record in records}, delimiter


def _records(text: str, delimiter: str) -> Iterator[tuple[int, _Record]]:
    """Yield what each line has; of a record whose quotes are amiss all lines are refused."""
    file = io.StringIO(text, newline="")
    reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield from (
                (each, "its quotes don't match, or a cell has no end")
                for each in range(line, reader.line_num + 1)
            )


def _filled(record: _Record, width: int) -> _Record:
    """Return the cells of a record as many as there are heads, or why it is refused."""
    if isinstance(record, str):
        return record
    if formula := next(filter(_FORMULA.match, record), ""):
        return f"“{_told(formula)}” is a formula"
    more = f"it has {len(record)} cells below {width} heads"
    return record + [""] * (width - len(record)) if len(record) <= width else more


def _heads(names: Iterable[str]) -> dict[str, _Head]:
    """Return the closest head of each thing; raises UsageError where two are, or one is missing."""
    heads = dict[str, _Head]()
    for head in _known(names):
        first = heads.setdefault(head.thing, head)
        if first is not head and first.rank == head.rank:
            raise UsageError(f"Two columns are the {head.thing}: “{first.name}” and “{head.name}”.")
    if "time" in heads:
        heads.setdefault("date", heads["time"])  # a moment
    known = {*heads} | ({"price"} if "amount" in heads else set())
    if missing := [thing for thing in ("date", "symbol", "quantity", "price") if thing not in known]:
        told = ", ".join(f"“{_told(name)}”" for name in names if name.strip())
        raise UsageError(f"No column is the {' or the '.join(missing)}. The heads: {one_line(told, 500)}")
    return heads


def _known(names: Iterable[str]) -> list[_Head]:
    """Return the heads that say what they are, the closest first."""
    heads = (_head(place, one_line(name, _LONGEST)) for place, name in enumerate(names))
    return sorted(filter(None, heads))


def _head(place: int, name: str) -> _Head | None:
    """Return what a head says as a whole, or else without the unit behind it."""
    parts = _UNIT.fullmatch(name)
    for less, words in enumerate([name, parts[1]] if parts else [name]):
        thing, rank = _HEADS.get(_squeezed(words), ("", 0))
        if thing:
            unit = parts[parts.lastindex or 1] if parts and less and thing in _MONEY else ""
            return _Head(2 * rank + less, place, thing, name, unit if len(unit) <= len("EUR") else "")
    return None


def _squeezed(words: str) -> str:
    """Return *words* without case, accents, spaces and signs."""
    return re.sub(r"[^a-z0-9]", "", folded(words))


def _told(cell: str) -> str:
    return one_line(cell, _TOLD)


def _writing_of(heads: Mapping[str, _Head], rows: Sequence[_Row], delimiter: str) -> _Writing:
    """Return how a file writes. Where none of its cells tells, a ; means decimal commas, these days first."""
    cells = (row.get(thing, "") for row in rows for thing in ("quantity", *_MONEY))
    marks = _sure((cell for cell in cells if "," in cell or "." in cell), _number, ",.")
    marks = marks or ("," if delimiter == ";" else ".")
    orders = _sure((row["date"] for row in rows), _day, "dm")
    orders = orders or ("d" if delimiter == ";" or marks == "," else "dm")
    owes = any(row.get("fee", "").startswith(("-", "−", "(")) for row in rows)
    return _Writing(marks, orders, owes, {thing: head.unit for thing, head in heads.items()})


def _sure(cells: Iterable[str], read: Callable[[str, str], object], ways: str) -> str:
    """Return those of the *ways* to *read* that are the only one for some cell."""
    fits = {"".join(way for way in ways if read(cell, way) is not None) for cell in cells}
    return "".join(way for way in ways if way in fits)


def _activity(row: _Row, writing: _Writing) -> Activity:
    """Return the activity that a row says."""
    day, status = _only("date", row["date"], _day, writing.orders), row.get("status")
    if status and _meant(status) != "DONE":
        raise _Refusal(f"it is “{_told(status)}”")
    things = ("quantity", "price" if row.get("price") else "amount", "fee")
    numbers = {thing: _only(thing, row[thing], _number, writing.marks) for thing in things if row.get(thing)}
    kind = _kind(row.get("type"), numbers)
    words = (one_line(row.get(thing, ""), _LONGEST) for thing in ("symbol", "source", "account", "comment"))
    symbol, source, account, comment = words
    if not symbol:
        raise _Refusal("no symbol")
    quantity, price, fee = _sums(kind, numbers, owes=writing.owes)
    currency = _currency(_signs(row, [thing for thing in numbers if fee or thing != "fee"], writing))
    clock = _clock(row.get("time") or row["date"])
    return Activity(kind, symbol, quantity, price, day, fee, currency, source, account, clock, comment)


def _only(thing: str, cell: str, read: Callable[[str, str], _T | None], ways: str) -> _T:
    """Return what *cell* is in all *ways* to *read* it."""
    readings = {reading for way in ways if (reading := read(cell, way)) is not None}
    if not readings:
        raise _Refusal(f"no {thing} in “{_told(cell)}”" if cell else f"no {thing}")
    if len(readings) > 1 and thing == "date":
        raise _Refusal("it is not sure which is the day and which the month: write dates as 2026-01-31")
    if len(readings) > 1:
        raise _Refusal(f"it is not sure which mark in “{_told(cell)}” is the decimal one")
    return readings.pop()


@lru_cache(1 << 16)
def _number(cell: str, mark: str) -> Decimal | None:
    """Return the exact number in *cell*, by its decimal *mark*; None: none. In brackets it is negative."""
    parts = _NUMBER.fullmatch(cell) if len(cell) <= _LONGEST else None
    if not parts or bool(parts[1]) != bool(parts[8]) or len(parts[1] + parts[2] + parts[4]) > 1:
        return None
    number = read_decimal(parts[5], mark)
    if number is None or sum(map(str.isdigit, parts[5])) > _TOLD:
        return None
    number = number if mark in parts[5] else number.to_integral_value()  # 5, not 5.0
    number = Decimal(f"{number:f}E-{parts[6] or 0}")
    return number.copy_negate() if {"(", "-", "−"} & {*parts.group(1, 2, 4)} else number


@lru_cache(1 << 16)
def _day(cell: str, order: str) -> str | None:
    """Return the day in *cell* as written there, in any zone; None: none. order: what is first, d or m."""
    matches = (pattern.fullmatch(cell.lower()) for pattern in _DAY if len(cell) <= _TOLD)
    for parts in filter(None, matches):
        known = parts.groupdict()
        if "first" in known:
            day, month = ("first", "second") if order == "d" else ("second", "first")
            known |= {"day": known[day], "month": known[month]}
        months = (number for number, name in enumerate(_MONTHS, 1) if name.startswith(known["month"]))
        with suppress(ValueError):
            found = date(int(known["year"]), next(months, 0) or int(known["month"]), int(known["day"]))
            return str(found) if 1970 <= found.year <= 2100 else None
    return None


def _clock(cell: str) -> str:
    """Return the time of day in *cell*; empty for none, and for midnight, which says none."""
    parts = _CLOCK.fullmatch(cell.lower()) if len(cell) <= _TOLD else None
    with suppress(ValueError):
        found = time(int(parts[1]), int(parts[2]), int(parts[3] or 0)) if parts else time()
        return str(found) if found != time() else ""
    return ""


def _kind(word: str | None, numbers: Mapping[str, Decimal]) -> str:
    """Return the kind that its *word* says; where no column has one, the sign of the quantity does."""
    is_negative = numbers.get("quantity", Decimal(0)) < 0
    if word is None:
        return "SELL" if is_negative else "BUY"
    kind = _meant(word)
    if kind not in KINDS:
        raise _Refusal(f"“{_told(word)}” is none of {', '.join(KINDS)}" if word else "no type")
    if is_negative and kind != "SELL":
        raise _Refusal(f"“{_told(word)}” of a negative quantity")
    return kind


def _meant(word: str) -> str:
    """Return what a *word* in a cell means, of words.txt; empty: nothing there."""
    return _KINDS.get(_squeezed(one_line(word, _LONGEST).partition("(")[0]), ("", 0))[0]


def _sums(kind: str, numbers: Mapping[str, Decimal], *, owes: bool) -> tuple[Decimal, Decimal, Decimal]:
    """Return quantity, price of one and fee, none negative. owes: fees are."""
    quantity, fee = (numbers.get(thing, Decimal(0)).copy_abs() for thing in ("quantity", "fee"))
    if fee and (numbers["fee"] < 0) != owes:
        raise _Refusal("its fee has another sign than others")
    paid, is_trade = numbers.get("price", numbers.get("amount")), kind in ("BUY", "SELL")
    if paid is None:
        raise _Refusal("no price")
    if paid < 0 and ("price" in numbers or kind in ("DIVIDEND", "INTEREST")):
        raise _Refusal("what was paid is negative")
    if not quantity and (is_trade or ("price" in numbers and (paid or kind != "FEE"))):
        raise _Refusal("no quantity")
    if "price" in numbers:
        return quantity, paid, fee
    if kind == "FEE":  # as Ghostfolio keeps one
        return Decimal(0), Decimal(0), fee or paid.copy_abs()
    quantity = quantity or Decimal(1)  # all that was paid out is one thing
    return quantity, _FLOAT.divide(paid.copy_abs(), quantity), fee


def _signs(row: _Row, things: Iterable[str], writing: _Writing) -> Iterator[str]:
    """Yield the currencies that a row says, by itself, beside its numbers and in their heads."""
    yield row.get("currency", "")
    for thing in things:
        parts = _NUMBER.fullmatch(row[thing])
        yield from (writing.units[thing], *" ".join(parts.group(3, 7, 9) if parts else ()).split())


def _currency(signs: Iterable[str]) -> str:
    """Return the code of what all *signs* mean; empty where none is sure, as $ is not."""
    keys = {
        sign: "" if re.match("[A-Z]+[a-z]$", sign) else sign.lower() for sign in signs if sign
    }  # GBp: pence
    sure = next(filter(None, (currency_meant(key, "") for key in keys.values())), None)
    for sign, key in keys.items():
        if not any(currency.has(key) for currency in ([sure] if sure else CURRENCIES.values())):
            told = f"“{_told(sign)}”"
            raise _Refusal(f"{sure.code} and {told} don't agree" if sure else f"{told} is no currency")
    return sure.code if sure else ""


def _words() -> tuple[dict[str, tuple[str, int]], dict[str, tuple[str, int]]]:
    """Return what words mean in heads and in cells, and how many others are closer."""
    heads, kinds = dict[str, tuple[str, int]](), dict[str, tuple[str, int]]()
    with open(os.path.join(os.path.dirname(__file__), "words.txt"), encoding="utf-8") as file:
        for thing, *tiers in (map(str.strip, row.split("|")) for row in file if "|" in row):
            known = kinds if thing.isupper() else heads
            known.update((word, (thing, rank)) for rank, words in enumerate(tiers) for word in words.split())
    return heads, kinds


_HEADS, _KINDS = _words()
