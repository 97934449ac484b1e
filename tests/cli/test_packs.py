"""`jarvis packs …` as a person uses it: what is listed, what is turned on and off, what is told."""

import json
import re

import pytest

from jarvis.packs.pack import pack_names

TIDES = f"turns on an unknown pack: tides. Packs: {', '.join(pack_names())}."


@pytest.fixture
def packs(shell):
    """Runs `jarvis packs LINE`."""
    return lambda line, **how: shell.jarvis("packs", *line.split(), **how)


def toml(shell):
    return shell.home / "jarvis" / "config" / "config.toml"


def listed(packs, **how):
    """What `list` says of the shop."""
    return next(each for each in json.loads(packs("list --json", **how).stdout) if each["name"] == "shop")


def test_the_shop_is_on_unless_config_toml_says_otherwise(packs, shell):
    assert re.search(r"(?m)^shop +on   find things for sale", packs("list").stdout)
    assert listed(packs).items() >= {"on": True, "ready": True, "missing": None}.items()

    off = packs("off shop")
    assert (off.status, off.stderr) == (0, "")
    assert off.stdout == "shop is off now (config.toml)   undo: jarvis packs on shop\n"
    assert toml(shell).read_text() == '[packs]\non = ["trip"]\n'
    assert not listed(packs)["on"]

    assert packs("on shop").stdout == "shop is on now (config.toml)   undo: jarvis packs off shop\n"
    assert toml(shell).read_text() == '[packs]\non = ["trip", "shop"]\n'
    assert shell.cost == (0, 0)


def test_without_its_key_it_tells_how_to_have_one(packs):
    without = {"environment": {"SERPAPI_API_KEY": ""}}
    unusable = "It needs a SerpAPI key: jarvis keys set serpapi"

    assert unusable in packs("list", **without).stdout
    state = {"ready": False, "missing": "a SerpAPI key", "cure": "jarvis keys set serpapi"}
    assert listed(packs, **without).items() >= {"on": True, **state}.items()
    on = packs("on shop", **without)
    assert (on.status, unusable in on.stderr) == (0, True)


def test_a_setting_that_makes_no_sense_is_an_error(packs, shell):
    text = '[packs]\non = "shop"\n'
    shell.configure(text)

    done = packs("on shop")

    assert (done.status, done.stdout) == (78, "")
    assert "config.toml must be a list of names." in done.stderr
    assert toml(shell).read_text() == text


def test_a_name_that_no_pack_has_turns_nothing_on(packs, shell):
    done = packs("on shpo")

    assert (done.status, done.stdout) == (2, "")
    assert "No pack is called “shpo”." in done.stderr
    assert f"Choose from: {', '.join(pack_names())}" in done.stderr
    assert not toml(shell).exists()


def test_one_in_the_settings_is_told_once_and_stops_nothing(shell):
    shell.configure('[packs]\non = ["tides"]\n')
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})

    for argv in (("hello",), ("packs", "list"), ("packs", "on", "shop")):
        done = shell.jarvis(*argv)
        assert (done.status, bool(done.stdout), done.stderr.count(TIDES)) == (0, True, 1)
