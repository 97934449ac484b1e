"""What is kept of an offer: what it is, what it costs where, and what finds it again."""

from __future__ import annotations

from ...core.errors import UsageError
from ...core.money import Money
from ...core.tables import Row
from ...core.text import one_line
from ...store.kept import Item, Kept, Seen
from .priced import title_of

WISHLIST = "wishlist"  # where they name no list
FOUND_BY = "found_by"  # the key of what a service finds it again by; never shown
_KIND = "product"
_WORDS = ("store", "state")  # the keys of what else is kept of it
_LONGEST = 120  # characters of a title, where it is told
_LONGEST_NAMED = 60  # characters of what was said


def called(row: Row) -> str:
    """Return what the offer in *row* is called."""
    return one_line(title_of(row), _LONGEST) or row.id


def thing_of(row: Row) -> Item:
    """Return what is to be kept of the offer in *row*."""
    price, store = row.cells.get("price"), _text(row.cells.get("store"))
    cells: dict[str, object] = {key: said for key in _WORDS if (said := _text(row.cells.get(key)))}
    if row.private:
        cells[FOUND_BY] = dict(row.private)
    paid = Seen(0.0, price, store) if isinstance(price, Money) else None  # noted as of when it is kept
    return Item(_KIND, title_of(row) or row.id, cells, row.url, paid)


def told(item: Item) -> str:
    """Return what was kept, as it was written down: its title, its price and the store."""
    price = f", {item.price.money.told}" if item.price else ""
    store = f" at {one_line(item.price.source)}" if item.price and item.price.source else ""
    return f"{one_line(item.title, _LONGEST)}{price}{store}"


def found_by(item: Item) -> dict[str, str]:
    """Return what a service finds *item* again by; empty: nothing was kept."""
    kept = item.cells.get(FOUND_BY)
    pairs = kept.items() if isinstance(kept, dict) else ()
    return {str(key): value for key, value in pairs if isinstance(value, str)}


def store_of(item: Item) -> str:
    """Return where *item* was offered; empty: that is not known."""
    return _text(item.cells.get("store"))


def state_of(item: Item) -> str:
    """Return the state in which *item* was offered; empty: that is not known."""
    return _text(item.cells.get("state"))


async def thing_meant(kept: Kept, named: str) -> Item:
    """Return the only thing on a list that is meant by its id, its page, or words of its title.

    Raises UsageError where there is none, or several.
    """
    words = named.casefold().split()
    found = [
        item
        for item in (await kept.items() if words else [])
        if named in (item.id, item.url) or all(word in item.title.casefold() for word in words)
    ]
    if len(found) == 1:
        return found[0]
    several = "Several things on your lists are" if found else "Nothing on your lists is"
    hint = "jarvis shop list, then: jarvis shop rm LINE"
    raise UsageError(f"{several} called “{one_line(named, _LONGEST_NAMED)}”.", hint=hint)


def _text(cell: object) -> str:
    return one_line(cell) if isinstance(cell, str) else ""
