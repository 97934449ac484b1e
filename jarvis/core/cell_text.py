"""What a cell of a table says: to people, and to programs that read lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from .currencies import CURRENCIES
from .money import Money, exact
from .tables import CHANGE, DELIVERY, DURATION, LINK, PERCENT, TIME, Cell, Column, Price, Rating, money_in
from .text import cells, one_line
from .urls import host_of

UNKNOWN = "-"
_LONGEST = 400  # characters: more than a line of a terminal has
_MOST = 2_000  # characters that are looked at for them
_LONGEST_BASIS = 20
_MOST_MARKS = 4  # over or under one letter
_BEHIND = ("each", "a night")  # a basis that stands behind its amount
# Terminals disagree on how wide pictures are that were put together of several signs, and what stands behind
# them would stand elsewhere: so each stands by itself, without its colour of skin, and flags are letters.
_PIECES = [0xFE0F, *range(0x1F3FB, 0x1F400)]
_APART = {**dict.fromkeys(_PIECES), **{0x1F1E6 + at: 0x41 + at for at in range(26)}}
_JOINED_PICTURES = "\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])"


def told_cell(cell: Cell, column: Column) -> str:
    """Return what *cell* says to people, on one line, cleaned."""
    if cell is None or cell == "":
        return "unknown" if column.key == DELIVERY else UNKNOWN
    return told_text(_told(cell, column)) or UNKNOWN


def told_text(text: str) -> str:
    """Return foreign words on one line, cleaned, no longer than a line of a terminal can be."""
    text = one_line(text[:_MOST], _LONGEST)
    return text if text.isascii() else _apart(text)


def _apart(text: str) -> str:
    """Return *text* with its pictures beside each other, and without marks that would tower over its line."""
    text = text.translate(_APART)
    text = re.sub(_JOINED_PICTURES, "", text) if "\u200d" in text else text
    kept, marks = [], 0
    for character in text:
        marks = 0 if cells(character) else marks + 1
        kept += [character] if marks <= _MOST_MARKS else []
    return "".join(kept)


def coded_cell(cell: Cell) -> str:
    """Return what *cell* says to programs, whole, on one line, cleaned; empty: it is not known."""
    if (money := money_in(cell)) and isinstance(cell, Price):
        return one_line(f"{cell.basis} {money.coded}")
    if money:
        return money.coded
    if isinstance(cell, Rating):
        return f"{cell.value:f}" if cell.raters is None else f"{cell.value:f} ({cell.raters})"
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return "" if cell is None else one_line(str(cell))


def told_reason(reason: str, count: int) -> str:
    """Return why so many were left out, with amounts as people read them."""
    words = one_line(reason, _LONGEST).split(" ")
    if count == 1 and reason.isalpha():  # of things, such as ads
        return reason.removesuffix("s")
    for at in range(len(words) - 1, 0, -1):
        if words[at] in CURRENCIES and (amount := exact(words[at - 1])) is not None:
            words[at - 1 : at + 1] = [Money(amount, words[at]).told]
    return " ".join(words)


def told_reasons(left_out: Mapping[str, int]) -> str:
    """Return how many were left out for which reason."""
    return ", ".join(f"{count:,} {told_reason(reason, count)}" for reason, count in left_out.items())


def _told(cell: Cell, column: Column) -> str:
    if money := money_in(cell):
        if column.key == DELIVERY and not money.amount:
            return "free"
        return _based(cell.basis, money) if isinstance(cell, Price) else money.told
    if isinstance(cell, Rating):
        return f"{cell.value:f}" if cell.raters is None else f"{cell.value:f} ({cell.raters:,})"
    if isinstance(cell, Decimal):
        sign = "+" if column.key == CHANGE and cell > 0 else ""
        return f"{sign}{cell:,f} %" if column.kind == PERCENT else f"{cell:,f}"
    if isinstance(cell, int):
        return _lasting(cell) if column.kind == DURATION else f"{cell:,}"
    text = str(cell)
    if column.kind == LINK:
        return host_of(text) or text
    return text.replace("T", " ") if column.kind == TIME else text


def _based(basis: str, money: Money) -> str:
    basis = one_line(basis, _LONGEST_BASIS)
    return f"{money.told} {basis}" if basis in _BEHIND else f"{basis} {money.told}"


def _lasting(minutes: int) -> str:
    """Return how long so many *minutes* are: 40 min, 2 h, 14 h 20 min."""
    hours, left = divmod(minutes, 60)
    parts = [f"{hours:,} h"] if hours else []
    parts += [f"{left} min"] if left or not hours else []
    return " ".join(parts)
