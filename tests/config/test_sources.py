"""What is written into config.toml leaves all else there as it is."""

import os
import tomllib

import pytest

from jarvis.cli.commands.config import keep_setting, write
from jarvis.config.settings import SETTABLE, read_settings
from jarvis.core.errors import SettingsError, UsageError
from jarvis.packs.pack import pack_settings

LISTED = 'on = ["shop", "trip"]'
CHANGED = [
    ("", f"[packs]\n{LISTED}\n"),
    ('model = "m"  # mine\n', f'model = "m"  # mine\n\n[packs]\n{LISTED}\n'),
    ("[packs]\non = []\n", f"[packs]\n{LISTED}\n"),
    (
        '[packs]  # those I like\n# few\non = ["x"]  # why\n\n[daily]\nsearches = 3\n',
        f"[packs]  # those I like\n# few\n{LISTED}  # why\n\n[daily]\nsearches = 3\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_a_list_is_put_in_its_place_and_comments_stay(tmp_path, before, after):
    path = tmp_path / "config.toml"
    path.write_text(before)

    for _ in range(2):
        write(str(path), ["packs", "on"], ["shop", "trip"])
        assert [line.rstrip() for line in path.read_text().split("\n")] == after.split("\n")


@pytest.mark.parametrize("text", ["packs = 3\n", '[[packs]]\non = ["x"]\n', "not = toml = at all\n"])
def test_what_can_not_be_changed_is_told_and_left(tmp_path, text):
    path = tmp_path / "config.toml"
    path.write_text(text)

    with pytest.raises(SettingsError, match=r"Can't change .*config\.toml"):
        write(str(path), ["packs", "on"], ["shop"])

    assert path.read_text() == text


def test_a_setting_is_kept_as_what_it_is(tmp_path):
    path = tmp_path / "config" / "config.toml"
    for name, value, kept in (
        *(("model", "gemini-x", "gemini-x"), ("thread", "7", "7")),  # a text, though it looks like a number
        *(("daily.searches", "50", 50), ("daily.model_calls", "unlimited", "unlimited")),
        ("budgets.seconds", "2.5", 2.5),
        *(("packs.shop.country", "de", "de"), ("packs.shop.tax_rate", "8.875", 8.875)),
        ("packs.on", '["shop"]', ["shop"]),
    ):
        assert keep_setting(str(path), name, value) == kept
        said = tomllib.loads(path.read_text())
        for part in name.split("."):
            said = said[part]
        assert said == kept
    assert read_settings({"JARVIS_HOME": str(tmp_path)}).warnings == ()


def test_one_that_makes_no_sense_is_refused_with_the_reason(tmp_path):
    for name, value, why in (
        ("daily.serches", "5", r"No setting is called daily\.serches\. Did you mean daily\.searches\?"),
        ("google_api_key", "AIza", "Jarvis asks for keys, so that your shell doesn't keep them."),
        ("budgets.steps", "none", r"budgets\.steps in config\.toml must be a whole number above 0\."),
        ("daily.searches", "-1", r"daily\.searches in config\.toml must be a whole number from 0"),
        ("thinking", "a lot", "isn't one of minimal, low, medium, high"),
        ("database_url", "mysql://x", "is not the address of a Postgres database"),
        ("searxng_url", "http://a.example", "must be an https address, or an http one of this machine"),
        ("serpapi_base_url", "http://nas:8080", "must be an https address, or one of this machine"),
        ("packs.shop.country", "Atlantis", r"packs\.shop\.country in config\.toml isn.t a known"),
    ):
        with pytest.raises(UsageError, match=why):
            keep_setting(str(tmp_path / "config.toml"), name, value)
    assert not (tmp_path / "config.toml").exists()


def test_every_setting_that_is_offered_can_be_kept(tmp_path):
    fitting = {"thinking": "low", "editing": "vi", "database_url": "postgresql://me@localhost/jarvis"}
    fitting |= {"gemini_base_url": "https://a.example", "searxng_url": "http://nas:8080"}
    fitting |= {"packs.shop.country": "de", "packs.shop.currency": "EUR", "packs.shop.tax_rate": "19"}
    fitting |= {
        "packs.portfolio.url": "http://nas:3333",
        "packs.portfolio.model_sees": "all",
        "packs.on": "[]",
    }

    for name, setting in (SETTABLE | pack_settings()).items():
        typed = fitting.get(name) or str(setting.default) or "text"
        keep_setting(str(tmp_path / "config.toml"), name, typed)


def test_it_is_for_its_owner_alone_and_a_link_is_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    target = tmp_path / "mine/dotfile.toml"
    target.write_text("# mine\n")
    (tmp_path / "config").mkdir()
    link = tmp_path / "config/config.toml"
    link.symlink_to(target)

    write(str(link), ["packs", "on"], ["shop"])

    assert link.is_symlink()
    assert "# mine" in target.read_text()
    assert os.stat(target).st_mode & 0o777 == 0o600
    assert read_settings({"JARVIS_HOME": str(tmp_path)}).packs == ("shop",)
