"""Which packs there are, which are open for the words, and what the model is told of the others."""

from __future__ import annotations

import pytest

from jarvis.config.settings import Budgets, Settings
from jarvis.config.sources import Secret, folders_of
from jarvis.packs import pack as packs
from jarvis.packs.pack import OpenActions, Pack

SHOP = Pack("shop", "things for sale", {"en": "price cheap", "signs": "$ €"}, (), ("product", "receipt"))
TRIP = Pack("trip", "flights", {"en": "flight cheap", "de": "flüge", "hi": "हिंदी"}, (), ("flight",))
MONEY = Pack("money", "holdings", {"en": "shares cheap"}, (), ("holding",))
ALL = (SHOP, TRIP, MONEY)


@pytest.fixture
def settings(tmp_path):
    return Settings(folders=folders_of({"JARVIS_HOME": str(tmp_path)}), api_keys={"serpapi": Secret("key")})


@pytest.mark.parametrize(
    ("words", "open_now"),
    [
        ("what does it say?", ()),
        ("a flight to Lisbon", ("trip",)),
        ("the PRICE, please", ("shop",)),
        ("anything under $150", ("shop",)),
        ("Flu\u0308ge nach Rom", ("trip",)),
        ("हिंदी में", ("trip",)),
        ("priceless cheapskates", ()),
        ("the price of a flight", ("shop", "trip")),
        ("a cheap flight", ("trip", "shop")),  # most of its words first
        ("cheap", ("shop", "trip")),  # two at most
        ("trip at a cheap price", ("trip",)),  # named by the first word: nothing else
        ("Shop: a flight", ("shop",)),
        ("a trip", ()),
    ],
)
def test_words_open_the_packs_that_they_are_about(words, open_now):
    assert OpenActions({}, ALL).opened(words, ()) == open_now


@pytest.mark.parametrize(
    ("words", "tables", "open_now"),
    [
        ("the first one", ("flight",), ("trip",)),
        ("the first one", ("receipt", "product"), ("shop",)),
        ("the first one", ("holding", "flight", "product"), ("shop", "trip")),
        ("the first one", ("of a pack that is off",), ()),
        ("and its price?", ("flight",), ("shop",)),
    ],
)
def test_else_those_whose_tables_were_shown_last_are(words, tables, open_now):
    assert OpenActions({}, ALL).opened(words, tables) == open_now


@pytest.mark.parametrize(
    ("words", "is_open"),
    [
        ("find me a used Nintendo Switch under $150", True),
        ("what do reviews say about 3?", True),
        ("add 1 to my wishlist", True),
        ("a monitor, a keyboard and a mouse under $300 together", True),
        ("search mercari for DJ Sharpnel CDs under 4000 yen", True),
        ("shop for a desk", True),
        ("open youtube", False),
        ("take a screenshot", False),
        ("who painted the Mona Lisa?", False),
        ("what is new in Python 3.14?", False),
    ],
)
def test_the_shop_is_open_where_things_for_sale_are_meant(words, is_open):
    assert OpenActions({}, [packs.known()["shop"]]).opened(words, ()) == (("shop",) if is_open else ())


@pytest.mark.parametrize("key", [Secret(""), Secret("key"), Secret("", "the system keyring")], ids=bool)
def test_a_pack_is_ready_where_it_is_on_and_has_its_key(settings, key):
    for on in (None, (), ("shop",)):
        state = packs.states(settings._replace(packs=on, api_keys={"serpapi": key}))[0]

        has_key = bool(key or key.origin)
        assert state.is_on == (on != ())
        assert state.is_ready == (state.is_on and has_key)
        assert (state.missing, state.cure) == (
            ("", "") if has_key else ("a SerpAPI key", "jarvis keys set serpapi")
        )


def test_a_name_that_no_pack_has_is_warned_of_and_stops_nothing(settings):
    settings = settings._replace(packs=("shpo", "shop", "x\x1b"), warnings=("first",))

    assert [pack.name for pack in packs.ready(settings)] == ["shop"]
    assert packs.warnings(settings) == (
        "first",
        "config.toml turns on a pack that is not there: shpo; there are: shop.",
        "config.toml turns on a pack that is not there: x; there are: shop.",
    )


def test_a_turn_has_the_largest_budget_of_its_packs_but_no_more_than_they_chose():
    some = [SHOP._replace(budgets={"searches": 6, "seconds": 90}), TRIP._replace(budgets={"searches": 8})]

    def budgets(*packs, own):
        return OpenActions({}, packs).budgets([pack.name for pack in packs], own)

    assert budgets(own=Budgets()) == Budgets()
    assert budgets(*some, own=Budgets()) == Budgets(searches=8, seconds=90)
    assert budgets(*some, own=Budgets(searches=1)) == Budgets(searches=1, seconds=90)
    assert budgets(SHOP._replace(budgets={"steps": 1}), own=Budgets()) == Budgets()
