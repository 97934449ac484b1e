"""What is probably another model, or an accessory."""

from __future__ import annotations

import pytest

from jarvis.packs.shop.plausible import is_far_below, words_missing
from tests.packs.shop.baskets import offer, offers


@pytest.mark.parametrize(
    ("query", "title", "missing"),
    [
        ("samsung galaxy S24 FE 128GB", "Samsung Galaxy S24 FE - 128 GB, Unlocked", []),
        ("samsung galaxy S24 FE 128GB", "Samsung Galaxy S24 Ultra 256GB", ["S24 FE", "128GB"]),
        ("samsung galaxy s24 fe", "Samsung Galaxy S24 Ultra", []),  # in small letters it may be any word
        ("WH-1000XM5", "Sony WH1000 XM5 headphones", []),
        ("WH-1000XM5", "Sony WH-1000XM4 headphones", ["WH-1000XM5"]),
        ("iPhone 15", "Apple iPhone 15, 128GB", []),
        ("iPhone 15", "Apple iPhone 14", ["15"]),
        ("iPhone 15", "iPhone case V15, 150 colours, 1.15 m", ["15"]),
        ('24" monitor', "Dell 24″ monitor", []),
        ("1.5 l kettle", "Kettle 1.5L", []),
        ("2.5l pot", "Pot of 12.5 l", ["2.5l"]),
        ("任天堂 Switch 32GB", "任天堂スイッチ本体３２ＧＢ", []),
        ("kettle", "Anything", []),
        ("", "", []),
        ("٣ things", "x" * 10_000, []),
        ("S24", "", ["S24"]),
    ],
)
def test_a_title_has_the_words_for_the_model_that_was_searched_for(query, title, missing):
    assert words_missing(query, title) == missing


@pytest.mark.parametrize(
    ("prices", "is_below"),
    [
        ([399, 1_000, 1_000, 1_000, 1_000], True),
        ([400, 1_000, 1_000, 1_000, 1_000], False),  # 40 % is no less than that
        ([401, 900, 1_105, 1_200], False),  # of so few nothing is usual
        ([400, 500, 900, 1_105, 1_200, 1_300], True),  # the usual price lies between two
        ([401, 500, 900, 1_105, 1_200, 1_300], False),
    ],
)
def test_far_below_is_less_than_two_fifths_of_the_median(prices, is_below):
    want = offers(*(offer(n, price) for n, price in enumerate(prices)))

    assert is_far_below(want[0], want) is is_below


def test_each_search_and_each_currency_has_its_own_usual_price():
    monitors = [offer(n, 20_000, query="monitor") for n in range(5)]
    in_yen = [offer(n, 30_000, query="mouse", currency="JPY") for n in range(5, 10)]
    mouse = offer(10, 900, query="mouse")
    all_of_them = offers(*monitors, *in_yen, mouse)

    assert not is_far_below(all_of_them[-1], all_of_them)
