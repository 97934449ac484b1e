"""Offers and lists of them for the tests."""

from __future__ import annotations

from decimal import Decimal

from jarvis.core.money import Money
from jarvis.core.tables import EXTRA, MONEY, RATING, STATE, Cell, Column, Row, Table
from jarvis.packs.shop.offers import Offer, offers_in

SEEN_AT = "2026-11-22T14:02:10+00:00"
DIGITS = {"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "KWD": 3, "JOD": 3}
COLUMNS = (
    Column("product", "product", rank=0),
    Column("price", "price", MONEY, 0),
    Column("state", "state", STATE, 2),
    Column("store", "store", rank=1),
    Column("rating", "rating", RATING, 3),
    Column("delivery", "delivery", MONEY, 4, EXTRA),
    Column("for", "for", rank=1),
)


def money(minor: int, currency: str = "USD") -> Money:
    """Return so many of the smallest coins."""
    return Money(Decimal(f"{minor}E-{DIGITS[currency]}"), currency)


def offer(
    n: int, price: int, delivery: int | None = 0, query: str = "", currency: str = "USD", **cells: Cell
) -> Row:
    """Return an offer at *price*, in the smallest coins."""
    known: dict[str, Cell] = {
        "product": f"Thing {n}",
        "price": money(price, currency),
        "state": "new",
        "store": "Walmart",
        "rating": None,
        "delivery": None if delivery is None else money(delivery, currency),
        "for": query or None,
    }
    page = f"https://shop.example/{n}"
    return Row(f"o{n}", {**known, **cells}, page, "merchant", {"page_token": f"t{n}"})


def sold(title: str, price: int = 500, currency: str = "USD", **cells: Cell) -> Offer:
    """Return what a service has for sale at *price*, in the smallest coins."""
    row = Row("", {"product": title, "price": money(price, currency), **cells})
    (offer,) = offers_in(found(row, seen_at=""))
    return offer


def found(*rows: Row, seen_at: str = SEEN_AT) -> Table:
    return Table("product", COLUMNS, rows, seen_at=seen_at)


def offers(*rows: Row) -> list[Offer]:
    return offers_in(found(*rows))
