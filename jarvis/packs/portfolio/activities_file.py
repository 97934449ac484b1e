"""Reads activities out of a file: Ghostfolio's own export, or a CSV whose heads say what they are.

1,234 and 1/2/2026 don't say what they mean: all cells of a file decide how it writes numbers and days, and
what is not sure then is refused by its line. What heads and kinds are called stands in words.txt.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Context, Decimal
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ...core.errors import Unusable, UsageError
from ...core.money import CURRENCIES, currency_meant, read_decimal
from ...core.text import folded, one_line
from ..entries import entries_at, words_at
from .bodies import KINDS, Activity

_Readings: TypeAlias = Mapping[str, set[str]]  # what each cell may be
_FLOAT = Context(prec=15)  # of a quotient: Ghostfolio counts in floats, which give back so many digits
_KEYS = "accountId comment currency dataSource date symbol type fee quantity unitPrice".split()
_NUMBER = re.compile(r"([^0-9.,]*)([0-9.,](?:[0-9.,'’\s]{0,38}[0-9])?)([^0-9.,]*)")
_SIGN = re.compile(r"[^0-9.,'’()+−\s-]+")  # a currency's, or its code
_FORMULA = re.compile(r" *(?:[=@\t]|\+(?! ?[$€£]?[0-9.,]+$))")  # +5 is none
_UNIT = re.compile(rf"[ (\[]+(?:in )?({'|'.join(CURRENCIES)}|[$€£])[)\]]?$")  # Price (EUR)
_CLOCK = re.compile(r"[Tt ,;]+([0-9]{1,2}:[0-9]{2}.*|[0-9]{6})$")
_DAYS = ("%d.%m.%Y", "%d/%b/%Y", "%d %b %Y", "%b %d, %Y", "%B %d, %Y")
_WORDS = [row.partition("|") for row in Path(__file__).with_name("words.txt").read_text("utf-8").splitlines()]
_HEADS = {word: thing.strip() for thing, _, words in _WORDS for word in words.split() if thing.islower()}
_KINDS = {word: kind.strip() for kind, _, words in _WORDS for word in words.split() if kind.isupper()}


class ActivitiesFile(NamedTuple):
    """What a file has."""

    activities: tuple[Activity, ...]
    refused: Mapping[int, str]  # why, by line
    columns: Mapping[str, str]  # what each head was taken for


def read_activities(data: bytes) -> ActivitiesFile:
    """Return what a file of these bytes has; raises UsageError where it can't be read as a whole."""
    text = _decoded(data)
    names, records, delimiter = (_export if text.lstrip()[0] in "{[" else _table)(text)
    places, is_comma = _places(names), delimiter == ";"  # decimal commas, days first: where no cell tells
    rows = {line: _row(record, places) for line, record in records.items()}
    cells = {row.get(thing, "") for row in rows.values() for thing in ("quantity", "price", "amount", "fee")}
    numbers = _readings(cells, _number, ",.", "," if is_comma else ".")
    moments = _readings({row["date"] for row in rows.values()}, _moment, "dm", "d" if is_comma else "dm")
    lines, refused = dict[Activity, int](), dict[int, str]()
    for line, row in rows.items():
        try:
            if any(map(_FORMULA.match, records[line])):
                raise Unusable("one of its cells is a formula")
            if len(records[line]) > len(names):
                raise Unusable(f"it has {len(records[line])} cells below {len(names)} heads")
            if (first := lines.setdefault(_activity(row, numbers, moments), line)) != line:
                raise Unusable(f"the same as line {first}")
        except Unusable as reason:
            refused[line] = one_line(str(reason))
    activities = tuple(activity._replace(line=line) for activity, line in lines.items())
    return ActivitiesFile(activities, refused, {names[place]: thing for thing, (place, _) in places.items()})


def _decoded(data: bytes) -> str:
    """Return the text that these bytes are."""
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if text.strip() and "\0" not in text:
                return text
    raise UsageError("The file is empty, or no text.")


def _export(text: str) -> tuple[Sequence[str], Mapping[int, Sequence[str]], str]:
    """Return heads, records by their places and a delimiter, of Ghostfolio's own export."""
    export: object = None
    with suppress(ValueError, RecursionError):
        export = json.loads(text, parse_float=str, parse_int=str)
    names = {words_at(each, "id"): words_at(each, "name") for each in entries_at(export, "accounts")}
    cells = ([words_at(each, key) for key in _KEYS] for each in entries_at(export, "activities"))
    records = {place: [names.get(id_) or id_, *rest] for place, (id_, *rest) in enumerate(cells, 1)}
    if not records:
        raise UsageError("This JSON is no export of Ghostfolio: it has no activities.")
    return _KEYS, records, ","


def _table(text: str) -> tuple[Sequence[str], Mapping[int, Sequence[str]], str]:
    """Return heads, records by lines and the delimiter of a CSV: the heads are what says most at its top."""
    lines = io.StringIO(text, newline="").readlines()
    tops = [
        (len({_word(name)[0] for name in names} & _HEADS.keys()), delimiter, top, names)
        for delimiter in ",;\t|"
        for top, line in enumerate(lines[:11], 1)
        for names in csv.reader([line[:9_999]], delimiter=delimiter, skipinitialspace=True)
    ]
    _, delimiter, top, names = max(tops, key=lambda each: each[0])
    reader = csv.reader(lines[top:], delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        records = [(top + reader.line_num, each) for each in reader if any(map(str.strip, each))]
    except csv.Error:
        raise UsageError(f"The quotes don't match, somewhere up to line {top + reader.line_num}.") from None
    return [one_line(name, 99) for name in names], dict(records), delimiter


def _word(cell: str) -> tuple[str, str]:
    """Return what *cell* says without case, accents, spaces and signs, and the currency behind it."""
    words, unit, *_ = [*_UNIT.split(cell.strip()), ""]
    return re.sub(r"[^a-z0-9]", "", folded(words)), unit


def _places(names: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return where each thing stands, and in which currency: under the first of its words that is a head."""
    heads, places = [*map(_word, names)], dict[str, tuple[int, str]]()
    for word, thing in _HEADS.items():
        found = [(place, unit) for place, (head, unit) in enumerate(heads) if head == word]
        if len(found) > 1:
            raise UsageError(f"Two columns are the {thing}: {', '.join(names[at] for at, _ in found)}.")
        if found:
            places.setdefault(thing, found[0])
    needed = (("date", "time"), ("symbol",), ("quantity",), ("price", "amount"))
    if missing := [things[0] for things in needed if not places.keys() & things]:
        raise UsageError(f"No column is the {' or the '.join(missing)}. The heads: {', '.join(names):.500}")
    return places


def _row(record: Sequence[str], places: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    """Return the cells of a record, each with the currency of its column, and the date with its time."""
    row = dict.fromkeys(("date", "time", *places), "")
    for thing, (place, unit) in places.items():
        cell = record[place].strip() if place < len(record) else ""
        row[thing] = f"{cell} {unit}".strip() if cell else ""
    return row | {"date": f"{row['date']} {row['time']}".strip()}


def _readings(cells: set[str], read: Callable[[str, str], str | None], ways: str, unsure: str) -> _Readings:
    """Return what each cell is in those *ways* to *read* that are the only one for some, or *unsure* ones."""
    read_as = {cell: {way: found for way in ways if (found := read(cell, way))} for cell in cells}
    sure = {way for each in read_as.values() if len(each) == 1 for way in each} or {*unsure}
    return {cell: {found for way, found in each.items() if way in sure} for cell, each in read_as.items()}


def _activity(row: Mapping[str, str], numbers: _Readings, moments: _Readings) -> Activity:
    """Return the activity that a row says. Raises Unusable, with the reason in words."""
    day, clock = _only("date", row["date"], moments).split()
    if row.get("status") and _KINDS.get(_word(row["status"])[0]) != "DONE":
        raise Unusable(f"it is “{row['status']:.40}”")
    things = ("quantity", "price" if row.get("price") else "amount", "fee")
    said = {thing: Decimal(_only(thing, row[thing], numbers)) for thing in things if row.get(thing)}
    quantity = said.get("quantity", Decimal(0))
    kind = _kind(row.get("type", "SELL" if quantity < 0 else "BUY"), quantity)
    currency = _currency(" ".join([row.get("currency", ""), *(row[thing] for thing in said)]))
    words = (one_line(row.get(thing, ""), 200) for thing in ("symbol", "source", "account", "comment"))
    symbol, source, account, comment = words
    quantity, price, fee = _sums(kind, said)
    if not symbol:
        raise Unusable("no symbol")
    return Activity(kind, symbol, quantity, price, day, fee, currency, source, account, clock, comment)


def _only(thing: str, cell: str, readings: _Readings) -> str:
    """Return the one thing that *cell* is."""
    said = sorted(readings[cell])
    if len(said) != 1:
        raise Unusable(f"“{cell:.40}” may be {' or '.join(said)}" if said else f"no {thing} in “{cell:.40}”")
    return said[0]


def _number(cell: str, mark: str) -> str | None:
    """Return the number in *cell*, by its decimal *mark*; None: none. In brackets it is negative."""
    parts = _NUMBER.fullmatch(cell)
    number = read_decimal(parts[2], mark) if parts else None
    signs = "".join(_SIGN.sub(" ", parts[1] + parts[3]).split()) if parts else ""
    if number is None or signs not in ("", "+", "-", "−", "()"):
        return None
    return ("" if signs in ("", "+") else "-") + f"{number:f}".removesuffix(".0")  # 5, not 5.0


def _moment(cell: str, order: str) -> str | None:
    """Return the day and time in *cell* as written there, in any zone; None: none. order: d or m is first."""
    day, clock, *_ = [*_CLOCK.split(cell), ""]
    for form in () if day[:4].isdecimal() else ("%d/%m/%Y" if order == "d" else "%m/%d/%Y", *_DAYS):
        with suppress(ValueError):
            day = str(datetime.strptime(day.replace("-", "/"), form).date())
    with suppress(ValueError):
        clock = re.sub("^(?=.:)", "0", clock) or "00:00"
        return f"{datetime.fromisoformat(f'{day}T{clock}'.replace('/', '-')):%Y-%m-%d %H:%M:%S}"
    return None


def _kind(word: str, quantity: Decimal) -> str:
    """Return the kind that its *word* says."""
    kind = _KINDS.get(_word(word.partition("(")[0])[0])
    if kind not in KINDS:
        raise Unusable(f"“{word:.40}” is none of {', '.join(KINDS)}")
    if quantity < 0 and kind != "SELL":
        raise Unusable(f"“{word:.40}” of a negative quantity")
    return kind


def _sums(kind: str, numbers: Mapping[str, Decimal]) -> tuple[Decimal, Decimal, Decimal]:
    """Return quantity, price of one and fee, none negative."""
    quantity, fee = (numbers.get(thing, Decimal(0)).copy_abs() for thing in ("quantity", "fee"))
    paid = numbers.get("price", numbers.get("amount"))
    if paid is None:
        raise Unusable("no price")
    if paid < 0 and ("price" in numbers or kind in ("DIVIDEND", "INTEREST")):
        raise Unusable("what was paid is negative")
    if kind == "FEE" and not numbers.get("price"):
        return Decimal(0), Decimal(0), fee or paid.copy_abs()  # as Ghostfolio keeps one
    if "amount" in numbers and kind not in ("BUY", "SELL"):
        quantity = quantity or Decimal(1)  # all that was paid out is one thing
    if not quantity:
        raise Unusable("no quantity")
    return quantity, paid if "price" in numbers else _FLOAT.divide(paid.copy_abs(), quantity), fee


def _currency(cells: str) -> str:
    """Return the code of what all signs in *cells* mean; empty where none is sure, as $ is not."""
    signs = [sign.lower() if sign.isupper() else sign for sign in _SIGN.findall(cells)]  # GBp is no GBP
    sure = next(filter(None, (currency_meant(sign, "") for sign in signs)), None)
    for sign in signs:
        if not any(currency.has(sign) for currency in ([sure] if sure else CURRENCIES.values())):
            raise Unusable(f"its currency is not sure: {', '.join(_SIGN.findall(cells))}")
    return sure.code if sure else ""
