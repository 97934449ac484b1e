"""What is read of Mercari's pages in a web search, and what is no price."""

from __future__ import annotations

import pytest

from jarvis.packs.shop.readers import mercari_offers
from tests.twins.shop_pages import index, on_mercari


def read(*entries):
    return mercari_offers(index(*entries), "jp")


def told(entry):
    """The price of *entry*, or why it is left out."""
    found = read(entry)
    return found.offers[0].price.told if found.offers else next(iter(found.left_out))


def written(title="ランタン", snippet="", **more):
    return {**on_mercari(1, title, price="", **more), "snippet": snippet}


def test_an_entry_is_read_whole():
    (offer,) = read(on_mercari(1, "真鍮ランタン")).offers

    assert (offer.title, offer.price.told, offer.state, offer.store) == (
        "真鍮ランタン", "¥3,500", "may be sold", "Mercari"
    )  # fmt: skip
    assert (offer.url, offer.link) == ("https://jp.mercari.com/item/m11111111112", "merchant")
    assert (offer.rating, offer.delivery, offer.private) == (None, None, {})


@pytest.mark.parametrize(
    ("entry", "price"),
    [
        (written(snippet="¥3,500 送料込み"), "¥3,500"),
        (written(snippet="￥３，５００"), "¥3,500"),
        (written(snippet="価格は3500円です"), "¥3,500"),
        (written("ランタン 3,500円"), "¥3,500"),
        (written("Lantern, 3,500 yen"), "¥3,500"),
        (written("ランタン ¥3,500", "¥3,500 · 在庫あり"), "¥3,500"),  # twice the same
        (written("ランタン 2024年 12個", "¥3,500"), "¥3,500"),  # other numbers are none
        (written(snippet="¥3,500 送料¥500"), "¥3,500"),
        (written(snippet="¥3,500 定価5,000円"), "¥3,500"),
        (written(snippet="¥3,500 500円引き"), "¥3,500"),
        (on_mercari(1, "定価5,000円のランタン 9,000円", price="¥3,500"), "¥3,500"),  # its own mark counts
    ],
)
def test_the_one_amount_is_the_price(entry, price):
    assert told(entry) == price


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (written(), "without a price"),
        (written("ランタン 3500"), "without a price"),
        (written(snippet="定価3,500円"), "without a price"),
        (written(snippet="3,500円以上で送料無料"), "without a price"),
        (written(snippet="¥3,500〜"), "without a price"),
        (written(snippet="¥3,500 ¥4,500"), "without a single price"),
        (written("ランタン 3,500円", "4,500円"), "without a single price"),
        (written(snippet="$35.00"), "without a price"),
        (written(snippet="¥3,500.50"), "without a price"),
        (written(snippet="¥0"), "without a price"),
        (written("", snippet="¥3,500"), "without a title"),
        (on_mercari(1, "【売り切れ】ランタン"), "sold"),
        (on_mercari(1, "ランタン SOLD OUT"), "sold"),
        (on_mercari(1, link="https://jp.mercari.com/search?keyword=x"), "other pages"),
        (on_mercari(1, link="https://jp.mercari.com.evil.example/item/m11111111112"), "other pages"),
        (on_mercari(1, link="https://evil.example/?https://jp.mercari.com/item/m11111111112"), "other pages"),
        (on_mercari(1, link=None), "other pages"),
    ],
)
def test_what_is_no_price_or_nothing_for_sale_is_counted_with_its_reason(entry, reason):
    if reason == "without a title":
        entry["title"] = " - メルカリ"
    assert told(entry) == reason
