"""Offers of this thread: by their ids, by the lines of the list last shown, or the first of it by a rank."""

from __future__ import annotations

import re
from decimal import Decimal

from ...core.errors import UsageError
from ...core.follow_ups import SORTS, leading
from ...core.tables import BEST_RATED, COUNTING, FollowUp
from ...core.text import one_line
from ...core.types import Facts
from .unusable import Unusable
from .wording import numbers_in

_MOST = 10
_BETWEEN = r"[\s,;&\[\](){}\"'`#]+|\band\b"
_VERBS = "|".join(verb for verb in SORTS if verb != "sort")
_RANKED = rf"(?:the )?(?:top )?(?:([0-9]{{1,3}}) )?({_VERBS})(?: first)?|top (?:([0-9]{{1,3}}) )?by (.+)"
_BY = {"price": "cheapest", "rating": "best rated"}  # what "top by" means of these; else it is sorted by name


class Ranked(tuple[str, ...]):
    """The ids of the offers that lead by a rank."""

    by = ""  # the rank, as people read it


def parse(wire: str, words: str, facts: Facts) -> tuple[str, ...]:
    """Return the ids that *wire* means: o3 o7; 3, 7; cheapest; top 3 by rating. Raises Unusable."""
    ids = each_in(one_line(wire, 200), facts)
    if twice := [id_ for id_ in ids if ids.count(id_) > 1]:
        raise Unusable(f"`{twice[0]}` is named twice")
    return ids


def each_in(line: str, facts: Facts) -> tuple[str, ...]:
    """Return the ids that *line* means, as often as it names them. Raises Unusable for none, and too many."""
    ranked = re.fullmatch(_RANKED, line.casefold())
    ids = _leading(facts, *ranked.groups()) if ranked else _named(line, facts)
    if not ids:
        raise Unusable("it names no offer")
    if (different := len(set(ids))) > _MOST:
        raise Unusable(f"it names {different} offers: name {_MOST} at most")
    return ids


def is_said(value: tuple[str, ...], words: str, facts: Facts) -> bool:
    """Return whether each is named in *words* by its line."""
    lines = {id_: n for n, id_ in enumerate(facts.shown, 1)}
    said = numbers_in(words)
    return all(Decimal(lines.get(id_, 0)) in said for id_ in value)


def _named(line: str, facts: Facts) -> tuple[str, ...]:
    return tuple(_id(word, facts) for word in re.split(_BETWEEN, line) if word)


def _id(word: str, facts: Facts) -> str:
    """Return the id of the offer that *word* names by its id or its line."""
    at = int(word) if re.fullmatch(r"[0-9]{1,4}", word) else 0
    id_ = facts.shown[at - 1] if 0 < at <= len(facts.shown) else word.casefold()
    if all(row.id != id_ for table in facts.tables for row in table.rows):
        raise Unusable(f"`{one_line(word, 60)}` is no offer of this thread: name ids as they stand, as o3 o7")
    return id_


def _leading(
    facts: Facts, count: str | None, verb: str | None, first: str | None, column: str | None
) -> tuple[str, ...]:
    if facts.table is None:
        raise Unusable("there is no list to rank: name ids as they stand, as o3 o7")
    by = _BY.get(column, "sort") if column else verb or ""
    asked = FollowUp(by, word=column or "")
    try:
        rows = leading(facts.table, asked, int(count or first or 1))
    except UsageError as error:
        raise Unusable(error.message) from None
    ranked = Ranked(row.id for row in rows)
    ranked.by = COUNTING if by == BEST_RATED else f"by {column}" if by == "sort" else by
    return ranked
