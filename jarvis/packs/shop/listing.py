"""Makes one table of what the services have for sale: nothing twice, and each search gets its share of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from ...core.money import Money
from ...core.tables import DELIVERY, MONEY, RATING, STATE, Column, Row, Table
from ...core.text import one_line
from ...search.entries import BEYOND, MOST
from ...search.offers.offer import MERCHANT, Offer, Offers, within
from .priced import COUNTRY, FOR, QUERY, STATES, tax_in

KIND = "product"
TWICE = "found twice"
_T = TypeVar("_T")
_COLUMNS = (
    Column("product", "product", rank=0),
    Column("price", "price", MONEY, 0),
    Column("was", "was", MONEY, 5),
    Column("state", "state", STATE, 2),
    Column("store", "store", rank=1),
    Column("rating", "rating", RATING, 3),
    Column(DELIVERY, "delivery", MONEY, 4),
)
_FOR = Column(FOR, "for", rank=1)


class Limits(NamedTuple):
    """What the person wants the offers to be."""

    most: Money | None = None
    least: Money | None = None
    states: Collection[str] = ()  # none: any


ANY = Limits()


class Searched(NamedTuple):
    """What one service has for one query."""

    query: str
    found: Offers


def product_table(
    answers: Sequence[Searched], seen_at: str, limits: Limits = ANY, country: str = ""
) -> Table:
    """Return the table of what *answers* hold within the *limits*; its rows have no ids yet.

    The answers to one query take turns, and so do the queries.
    seen_at: when they came, as ISO 8601 writes it. country: where was asked, of two letters.
    """
    groups = _groups(answers, limits)
    is_one_of = len(groups) > 1
    rows = tuple(
        in_turn(
            [_row(offer, group.query, limits, country, is_one_of=is_one_of) for offer in group.offers]
            for group in groups
        )
    )
    left_out = sum((group.left_out for group in groups), Counter[str]())
    left_out[BEYOND] += len(rows[MOST:])
    return Table(
        KIND,
        (*_COLUMNS, _FOR) if is_one_of else _COLUMNS,
        rows[:MOST],
        left_out=dict((+left_out).most_common()),  # with what there is none of left out itself
        note=_note(answers, country),
        seen_at=seen_at,
    )


class _Group(NamedTuple):
    """What there is for one query."""

    query: str
    offers: list[Offer]  # each once
    left_out: Counter[str]


def _groups(answers: Iterable[Searched], limits: Limits) -> list[_Group]:
    by_query: dict[str, list[Offers]] = {}
    for query, found in answers:
        by_query.setdefault(query, []).append(within(found, *limits))
    return [_group(query, found) for query, found in by_query.items()]


def _group(query: str, found: Sequence[Offers]) -> _Group:
    offers = list(in_turn([each.offers for each in found]))
    once = _once(offers)
    left_out = Counter[str]()
    for each in found:
        left_out.update(each.left_out)
    left_out[TWICE] += len(offers) - len(once)
    return _Group(query, once, left_out)


def in_turn(lists: Iterable[Iterable[_T]]) -> Iterator[_T]:
    """Return what is in *lists*: the first of each, then the second of each, and so on."""
    for round_ in zip_longest(*lists):
        yield from (each for each in round_ if each is not None)


def _once(offers: Iterable[Offer]) -> list[Offer]:
    """Return *offers*, with those that are one made one: it has all that is known of it."""
    kept: list[Offer] = []
    places: dict[object, int] = {}
    for offer in offers:
        marks = _marks(offer)
        place = next((places[mark] for mark in marks if mark in places), len(kept))
        if place < len(kept):
            kept[place] = _completed(kept[place], offer)
        else:
            kept.append(offer)
        for mark in marks:
            places.setdefault(mark, place)
    return kept


def _marks(offer: Offer) -> list[object]:
    """Return what tells *offer* from others: its page, or who sells what. At another price it is another.

    A shop's page with variants may have a price for each. A page of a service's is about many shops' offers.
    """
    store, price = one_line(offer.store).casefold(), offer.price
    marks: list[object] = [(store, one_line(offer.title).casefold(), price)]
    return [*marks, (offer.url, price)] if offer.url and offer.link == MERCHANT else marks


def _completed(offer: Offer, same: Offer) -> Offer:
    """Return *offer*, with what is known of it by the *same* one, found elsewhere."""
    page = offer if offer.url else same
    return offer._replace(
        old_price=offer.old_price or same.old_price,
        state=offer.state or same.state,
        rating=offer.rating or same.rating,
        delivery=offer.delivery or same.delivery,
        notes=tuple(dict.fromkeys((*offer.notes, *same.notes))),
        url=page.url,
        link=page.link,
        private={**same.private, **offer.private},
    )


def _row(offer: Offer, query: str, limits: Limits, country: str, *, is_one_of: bool) -> Row:
    asked = {QUERY: query, COUNTRY: country.lower(), STATES: " ".join(sorted(limits.states))}
    cells = {**offer.cells, FOR: query} if is_one_of else offer.cells
    private = {**offer.private, **{name: said for name, said in asked.items() if said}}
    return Row("", cells, offer.url, offer.link, private)


def _note(answers: Iterable[Searched], country: str) -> str:
    """Return what is to be known of all the prices, and where other words were searched for."""
    where = f"{country.upper()} prices" if country else "Prices"
    tax = " before sales tax" if tax_in(country).is_apart else ""
    other = {
        f"Searched for “{found.searched_as}” instead of “{query}”."
        for query, found in answers
        if found.searched_as and found.searched_as.casefold() != query.casefold()
    }
    return " ".join([f"{where}{tax}, delivery apart.", *sorted(other)])
