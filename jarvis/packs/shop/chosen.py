"""Finds the offers that a plan names, in the tables at hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...actions.base import Field
from ...core.errors import Refused
from ...core.tables import Row
from ...core.text import one_line
from ...core.types import Facts
from .priced import title_of

_TITLE = 60  # characters of one that names an offer

# What the actions that work on offers share: the schema has one field for all of them.
OFFERS = Field(
    "offers",
    "ids or lines, with how many if not one: o3, 2 of o7; or by a rank: cheapest, top 3 by rating",
    kind="quantities",
)


class Chosen(NamedTuple):
    """An offer that was named."""

    row: Row
    seen_at: str  # when it was found, as ISO 8601 writes it
    line: int = 0  # of the list that the person saw last; 0: it is not in that

    @property
    def told(self) -> str:
        """What to call it: its number, by which they know it, or its title."""
        return str(self.line) if self.line else f"“{one_line(title_of(self.row), _TITLE)}”"


def target(named: Iterable[Chosen]) -> str:
    """Return which offers they are, without a word of who sells them: it is vetted as a query is."""
    return ", ".join(str(each.line) if each.line else each.row.id for each in named)


def chosen(ids: Iterable[str], facts: Facts, most: int) -> list[Chosen]:
    """Return the offers with these *ids*, each once. Raises Refused for one not at hand, and too many."""
    named = dict.fromkeys(ids)
    if len(named) > most:
        raise Refused(f"That is asked of {most} offers at most.", hint="Name fewer at once.")
    return [_found(id_, facts) for id_ in named]


def _found(id_: str, facts: Facts) -> Chosen:
    for table in facts.tables:
        for row in table.rows:
            if row.id == id_:
                return Chosen(row, table.seen_at, facts.shown.index(id_) + 1 if id_ in facts.shown else 0)
    raise Refused(f"{id_} is in no list at hand.")
