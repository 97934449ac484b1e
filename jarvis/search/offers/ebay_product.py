"""Reads the one offer in an answer of the engine `ebay_product`.

Its prices are bare numbers with the code of a currency. A listing with variants has a price for each.
"""

from __future__ import annotations

from decimal import Decimal

from ...core.money import CURRENCIES, Money, price_in, price_of
from .condition import state_of
from .ebay import STORE
from .offer import AUCTION, MERCHANT, NO_SINGLE_PRICE, Offer, Offers, gathered, reason_against
from .pages import ebay_page
from .values import at, entries_at, notes_of, tokens, words_at


def ebay_offer(answer: object, country: str, asked: str = "") -> Offers:
    """Return what *answer* offers: one thing, or none with the reason.

    country: that of the eBay that was asked, of two letters; asked: the code of the currency there.
    """
    product = at(answer, "product_results")
    return gathered([product] if product else [], lambda entry: _read(entry, country, asked))


def _read(entry: dict[str, object], country: str, asked: str) -> Offer | str:
    title, said = words_at(entry, "title"), at(entry, "buy", "buy_it_now", "price")
    price, state = _price(said, country, asked), state_of(words_at(entry, "condition"))
    if not said and at(entry, "buy", "bid"):
        return AUCTION
    if at(entry, "variations", "combinations"):
        return NO_SINGLE_PRICE
    reason = reason_against(title, price, said, state, is_ad=False)
    if reason or not price:
        return reason
    url, item = _page(entry)
    shipping = entries_at(entry, "shipping", "options")
    return Offer(
        title,
        price,
        state=state,
        store=STORE,
        delivery=_delivery(shipping, price.currency),
        notes=notes_of(words_at(entry, "condition"), words_at(entry, "short_description")),
        url=url,
        link=MERCHANT if url else "",
        private=tokens(product_id=item),
    )


def _price(said: object, country: str, asked: str) -> Money | None:
    """Return the price, by its number and code, or as it is written."""
    currency = at(said, "currency")
    if isinstance(currency, str):
        return price_of(at(said, "amount"), currency)
    return price_in(at(said, "raw"), country, at(said, "extracted"), asked=asked)


def _page(entry: dict[str, object]) -> tuple[str, str]:
    pages = (ebay_page(entry.get(key)) for key in ("product_link", "link"))
    return next((page for page in pages if page[0]), ("", ""))


def _delivery(options: list[object], currency: str) -> Money | None:
    """Return what the first way costs, which is the one that a buyer gets by default."""
    first = options[0] if options else None
    if at(first, "free") is True:
        return Money(Decimal(0), currency) if currency in CURRENCIES else None
    code = at(first, "price", "currency")
    cost = price_of(at(first, "price", "amount"), code) if isinstance(code, str) else None
    return cost if cost and cost.currency == currency else None
