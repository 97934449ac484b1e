"""The settings of packs: what [packs.shop] says of where the person buys, else their locale."""

from __future__ import annotations

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.errors import SettingsError
from jarvis.packs.pack import Market, known, market, settings_of, warnings
from tests.twins.shop_pages import listed, shopping

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

    assert market(settings) == where
    assert settings_of(known()["shop"], settings) == {**where._asdict(), "tax_rate": tax_rate}


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
    with pytest.raises(SettingsError, match=rf"{said.split()[0]} in config\.toml's \[packs\.shop\]") as error:
        market(reading(said))
    assert hint in (error.value.hint or "")


def test_what_is_not_known_there_is_warned_of(reading):
    warned = warnings(reading("tax = 3\n[packs]\nfoo = 1\n[packs.trip]\nhome = 1"))

    told = [warning.rpartition(" ")[2] for warning in warned]
    assert told == [
        "packs.foo.",
        "packs.shop.tax.",
        "packs.trip.",
    ]


def test_shops_are_asked_there_and_the_tax_is_added(shell):
    shell.configure('[packs.shop]\ncountry = "ca"\ntax_rate = 10\n')
    shell.serpapi.sells(google_shopping=shopping(listed(1, price="$100.00")))
    find = {"action": "find_products", "queries": "lantern", "finish": False, "text": None}
    shell.gemini.plans(find, {"action": "receipt", "finish": True, "text": None})

    done = shell.jarvis("the price of a lantern, with all that comes upon it")

    assert [request.params["gl"] for request in shell.serpapi.requests] == ["ca"]
    assert "CA$110.00" in done.stderr, done.stderr
