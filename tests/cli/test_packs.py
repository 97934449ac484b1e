"""`jarvis packs …` as a person uses it: what is listed, what is turned on and off, what is told."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def packs(shell):
    """Runs `jarvis packs ARGV…`."""
    return lambda *argv, **how: shell.jarvis("packs", *argv, **how)


def toml(shell):
    return shell.home / "jarvis" / "config" / "config.toml"


def listed(packs, **how):
    return {each["name"]: each for each in json.loads(packs("list", "--json", **how).stdout)}


def test_the_shop_is_on_unless_config_toml_says_otherwise(packs, shell):
    assert packs("list").stdout.startswith("shop  on   find things for sale")
    assert listed(packs)["shop"].items() >= {"on": True, "ready": True, "missing": None}.items()

    done = packs("off", "shop")
    assert (done.status, done.stdout, done.stderr) == (
        0,
        "shop is off now (config.toml)   undo: jarvis packs on shop\n",
        "",
    )
    assert toml(shell).read_text() == "[packs]\non = []\n"
    assert packs("off", "shop").stdout == "shop was off already.\n"
    assert not listed(packs)["shop"]["on"]

    assert packs("on", "shop").stdout == "shop is on now (config.toml)   undo: jarvis packs off shop\n"
    assert toml(shell).read_text() == '[packs]\non = ["shop"]\n'
    assert shell.cost == (0, 0)


def test_without_its_key_it_tells_how_to_have_one(packs):
    missing = {"environment": {"SERPAPI_API_KEY": ""}}

    told = packs("list", **missing).stdout.splitlines()
    assert told[0].startswith("shop  on ")
    assert told[1].strip() == "It can't be used without a SerpAPI key: jarvis keys set serpapi"
    assert (
        listed(packs, **missing)["shop"].items()
        >= {
            "on": True,
            "ready": False,
            "missing": "a SerpAPI key",
            "cure": "jarvis keys set serpapi",
        }.items()
    )
    packs("off", "shop", **missing)
    on = packs("on", "shop", **missing)
    assert (on.status, "can't be used without a SerpAPI key" in on.stderr) == (0, True)


def test_what_else_stands_in_the_file_stays(packs, shell):
    shell.configure('model = "m"  # mine\n\n[packs]\n# those I know of\non = ["shop", "tides"]  # two\n')

    done = packs("--json", "off", "shop")

    assert [(each["name"], each["on"]) for each in json.loads(done.stdout)] == [("shop", False)]
    assert done.stderr == ("jarvis: config.toml turns on a pack that is not there: tides; there are: shop.\n")
    assert toml(shell).read_text() == (
        'model = "m"  # mine\n\n[packs]\n# those I know of\non = ["tides"]  # two\n'
    )


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('[packs]\non = "shop"\n', "config.toml must be a list of names."),
        ("[packs]\non = [1]\n", "config.toml must be a list of names."),
    ],
)
def test_a_setting_that_makes_no_sense_is_an_error(packs, shell, config, said):
    shell.configure(config)

    done = packs("on", "shop")

    assert (done.status, done.stdout) == (78, "")
    assert said in done.stderr
    assert toml(shell).read_text() == config


def test_a_name_that_no_pack_has_turns_nothing_on(packs, shell):
    done = packs("on", "shpo")

    assert (done.status, done.stdout) == (2, "")
    assert "There is no pack of the name “shpo”." in done.stderr
    assert "There are: shop." in done.stderr
    assert not toml(shell).exists()


@pytest.mark.parametrize("argv", [["hello"], ["packs", "list"], ["packs", "on", "shop"]], ids=" ".join)
def test_a_name_in_the_settings_that_no_pack_has_is_told_once_and_stops_nothing(shell, argv):
    shell.configure('[packs]\non = ["tides"]\n')
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})

    done = shell.jarvis(*argv)

    assert done.status == 0
    assert done.stdout
    assert done.stderr.count("turns on a pack that is not there: tides; there are: shop.") == 1


def test_such_a_name_can_be_turned_off(packs, shell):
    shell.configure('[packs]\non = ["shop", "tides"]\n')

    done = packs("off", "tides")

    assert (done.status, done.stdout, done.stderr) == (0, "tides is off now (config.toml)\n", "")
    assert toml(shell).read_text() == '[packs]\non = ["shop"]\n'
    assert packs("off", "tides").status == 2
