"""Which packs there are, which are open for the words; and the settings of theirs, else the locale's."""

import pytest

from jarvis.config.settings import Budgets, Settings, read_settings
from jarvis.config.sources import Secret, folders_of
from jarvis.core.errors import SettingsError
from jarvis.packs import pack as packs
from jarvis.packs.pack import Market, OpenActions, Pack
from tests.twins.shop_pages import listed, shopping

SHOP = Pack("shop", "things for sale", {"en": "price cheap", "signs": "$ €"}, (), ("product", "receipt"))
TRIP = Pack("trip", "flights", {"en": "flight cheap", "de": "flüge", "hi": "हिंदी"}, (), ("flight",))
MONEY = Pack("money", "holdings", {"en": "shares cheap"}, (), ("holding",))
ALL = (SHOP, TRIP, MONEY)


@pytest.fixture
def settings(tmp_path):
    return Settings(folders=folders_of({"JARVIS_HOME": str(tmp_path)}), api_keys={"serpapi": Secret("key")})


@pytest.mark.parametrize(
    ("words", "tables", "open_now"),
    [
        ("what does it say?", "", ""),
        ("a flight to Lisbon", "", "trip"),
        ("the PRICE, please", "", "shop"),
        ("anything under $150", "", "shop"),
        ("Flu\u0308ge nach Rom", "", "trip"),
        ("हिंदी में", "", "trip"),
        ("priceless cheapskates", "", ""),
        ("the price of a flight", "", "shop trip"),
        ("a cheap flight", "", "trip shop"),  # most of its words first
        ("cheap", "", "shop trip"),  # two at most
        ("trip at a cheap price", "", "trip"),  # named by the first word: nothing else
        ("Shop: a flight", "", "shop"),
        ("a trip", "", ""),
        # Else those are whose tables were shown last.
        ("the first one", "flight", "trip"),
        ("the first one", "receipt product", "shop"),
        ("the first one", "holding flight product", "shop trip"),
        ("the first one", "of-a-pack-that-is-off", ""),
        ("and its price?", "flight", "shop trip"),
    ],
)
def test_words_open_the_packs_that_they_are_about(words, tables, open_now):
    assert OpenActions({}, ALL).packs_for(words, tuple(tables.split())) == tuple(open_now.split())


FOR_SALE = """find me a used Nintendo Switch under $150
what do reviews say about 3?
add 1 to my wishlist
a monitor, a keyboard and a mouse under $300 together
search mercari for DJ Sharpnel CDs under 4000 yen
shop for a desk"""
NOT_FOR_SALE = """open youtube
take a screenshot
who painted the Mona Lisa?
what is new in Python 3.14?"""


def test_the_shop_is_open_where_things_for_sale_are_meant():
    words = [*FOR_SALE.splitlines(), *NOT_FOR_SALE.splitlines()]
    opens = [each for each in words if OpenActions({}, [packs.all_packs()["shop"]]).packs_for(each, ())]

    assert opens == FOR_SALE.splitlines()


@pytest.mark.parametrize("key", [Secret(""), Secret("key"), Secret("", "the system keyring")], ids=bool)
def test_a_pack_is_ready_where_it_is_on_and_has_its_key(settings, key):
    for on in (None, (), ("shop",)):
        found = packs.states(settings._replace(packs=on, api_keys={"serpapi": key}))
        (state,) = [each for each in found if each.pack.name == "shop"]

        has_key = bool(key or key.origin)
        assert state.is_on == (on != ())
        assert state.is_ready == (state.is_on and has_key)
        assert (state.missing, state.hint) == (
            ("", "") if has_key else ("a SerpAPI key", "jarvis keys set serpapi")
        )


def test_a_name_that_no_pack_has_is_warned_of_and_stops_nothing(settings):
    settings = settings._replace(packs=("shpo", "shop", "x\x1b"), warnings=("first",))

    there = ", ".join(packs.pack_names())
    assert [pack.name for pack in packs.ready(settings)] == ["shop"]
    assert packs.warnings(settings) == (
        "first",
        f"config.toml turns on an unknown pack: shpo. Packs: {there}.",
        f"config.toml turns on an unknown pack: x. Packs: {there}.",
    )


def test_a_turn_has_the_largest_budget_of_its_packs():
    some = [SHOP._replace(budgets={"searches": 6, "seconds": 90}), TRIP._replace(budgets={"searches": 8})]

    def budgets(*packs, own):
        return OpenActions({}, packs).budgets([pack.name for pack in packs], own)

    assert budgets(own=Budgets()) == Budgets()
    assert budgets(*some, own=Budgets()) == Budgets(searches=8, seconds=90)
    assert budgets(*some, own=Budgets(searches=9)) == Budgets(searches=9, seconds=90)
    assert budgets(SHOP._replace(budgets={"steps": 1}), own=Budgets()) == Budgets()


GERMAN = {"LANG": "de_DE.UTF-8"}


@pytest.fixture
def reading(tmp_path):
    """Reads where one buys whose config.toml has this below [packs.shop]."""
    (tmp_path / "config").mkdir()

    def read(said, environment=()):
        (tmp_path / "config/config.toml").write_text(f"[packs.shop]\n{said}\n")
        return read_settings({"JARVIS_HOME": str(tmp_path), **dict(environment)})

    return read


@pytest.mark.parametrize(
    ("said", "environment", "where", "tax_rate"),
    [
        ("", {}, Market(), ""),
        ("", GERMAN, Market("de"), ""),
        ('country = "at"', GERMAN, Market("at"), ""),
        ('country = "GB"', {}, Market("uk"), ""),
        ('currency = "chf"', GERMAN, Market("de", "CHF"), ""),
        ("tax_rate = 8.875", {}, Market(), "8.875"),
        ("tax_rate = 0", {}, Market(), "0"),
        ('country = "us"\ncurrency = "USD"\ntax_rate = 7\n', GERMAN, Market("us", "USD"), "7"),
    ],
)
def test_what_config_toml_says_comes_before_the_locale(reading, said, environment, where, tax_rate):
    settings = reading(said, environment)

    assert packs.market(settings) == where
    assert packs.settings_of(packs.all_packs()["shop"], settings) == {**where._asdict(), "tax_rate": tax_rate}


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ('country = "Germany"', 'country = "de"'),
        ("country = 49", 'country = "de"'),
        ('currency = "$"', "USD"),
        ("currency = 1", "USD"),
        ('tax_rate = "7"', "tax_rate = 8.875"),
        ("tax_rate = -1", "tax_rate = 8.875"),
        ("tax_rate = 101", "tax_rate = 8.875"),
        ("tax_rate = nan", "tax_rate = 8.875"),
        ("tax_rate = true", "tax_rate = 8.875"),
    ],
)
def test_what_makes_no_sense_is_told_with_what_would(reading, said, hint):
    with pytest.raises(SettingsError, match=rf"packs\.shop\.{said.split()[0]} in \S+config\.toml ") as error:
        packs.market(reading(said))
    assert hint in (error.value.hint or "")


def test_a_wrong_variable_is_told_as_that(reading):
    settings = reading("", {"GHOSTFOLIO_URL": "http://a.example"})

    with pytest.raises(SettingsError, match=r"^GHOSTFOLIO_URL in the environment must be an https") as error:
        packs.market(settings)
    assert error.value.hint == "unset GHOSTFOLIO_URL"


def test_what_is_not_known_there_is_warned_of(reading):
    warned = packs.warnings(reading("tax = 3\n[packs]\nfoo = 1\n[packs.tides]\nhome = 1"))

    told = [warning.rpartition(" ")[2] for warning in warned]
    assert told == [
        "packs.foo.",
        "packs.shop.tax.",
        "packs.tides.",
    ]


def test_shops_are_asked_there_and_the_tax_is_added(shell):
    shell.configure('[packs.shop]\ncountry = "ca"\ntax_rate = 10\n')
    shell.serpapi.sells(google_shopping=shopping(listed(1, price="$100.00")))
    find = {"action": "find_products", "queries": "lantern", "finish": False, "text": None}
    shell.gemini.plans(find, {"action": "receipt", "finish": True, "text": None})

    done = shell.jarvis("the price of a lantern, with all that comes upon it")

    assert [request.params["gl"] for request in shell.serpapi.requests] == ["ca"]
    assert "CA$110.00" in done.stderr, done.stderr
