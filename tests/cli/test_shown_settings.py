"""`jarvis config show` and `jarvis paths`: what counts, where it comes from, and where everything is."""

import json
import os

import pytest

from tests.twins.keyrings import NONE, using

pytestmark = pytest.mark.slow

TOML = """\
model = "of-toml"
thinking = "low"
database_url = "postgresql://me:pw@db.example/jarvis"

[budgets]
seconds = 12.5

[daily]
searches = "unlimited"

[packs]
on = ["shop", "tides"]

[packs.shop]
tax_rate = 8.875
"""


@pytest.fixture
def layered(shell):
    """A home in which every place sets something, and the stronger hides the weaker."""
    folder = shell.home / "jarvis/config"
    folder.mkdir(parents=True)
    for name, text in (("config.toml", TOML), (".env", "JARVIS_MODEL=of-env\nGEMINI_API_KEY=kept-key\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
    (folder / "in_keyring.txt").write_text("# names\nserpapi\n")
    (shell.home / "given").write_text("JARVIS_MODEL=of-file\n")
    shell.environment |= {
        **using(NONE),
        "SERPAPI_API_KEY": "",
        "GOOGLE_GEMINI_BASE_URL": "https://me:pw@gemini.example",
    }
    return shell


def shown(shell, *argv):
    return {each["name"]: each for each in json.loads(shell.jarvis(*argv, "config", "show", "--json").stdout)}


def test_each_setting_has_its_value_its_place_and_what_it_hides(layered):
    home = layered.home
    rows = shown(layered, "--env-file", str(home / "given"))

    toml, default = "config.toml", ("the default", [])
    expected = {
        "model": ("of-file", f"JARVIS_MODEL in {home}/given", ["JARVIS_MODEL in .env", f"model in {toml}"]),
        "google_api_key": ("set", "GOOGLE_API_KEY in the environment", ["GEMINI_API_KEY in .env"]),
        "serpapi_api_key": ("set", "the system keyring", []),
        "database_url": ("set", f"database_url in {toml}", []),
        "gemini_base_url": ("https://…@gemini.example", "GOOGLE_GEMINI_BASE_URL in the environment", []),
        "thinking": ("low", f"thinking in {toml}", []),
        "thread": ("default", *default),
        "budgets.seconds": (12.5, f"budgets.seconds in {toml}", []),
        "budgets.steps": (6, *default),
        "daily.searches": ("unlimited", f"daily.searches in {toml}", []),
        "packs.on": (["shop", "tides"], f"packs.on in {toml}", []),
        "packs.shop.tax_rate": ("8.875", f"packs.shop.tax_rate in {toml}", []),
    }
    for name, row in expected.items():
        told = json.loads(json.dumps(rows[name]).replace(f"{home}/jarvis/config/", ""))
        assert (told["value"], told["from"], told["hides"]) == row


def test_no_secret_is_shown_and_the_places_are_told_in_words_where_they_are_asked_for(layered):
    how = ([], ["--origin"], ["--json"])
    plain, told, as_json = (layered.jarvis("config", "show", *argv) for argv in how)

    for done in (plain, told, as_json):
        assert done.status == 0
        for secret in ("kept-key", "google-key-of-the-tests", "pw", "db.example"):
            assert secret not in done.stdout + done.stderr
    config = layered.home / "jarvis/config"
    lines, (model, hidden, *_) = plain.stdout.splitlines(), told.stdout.splitlines()
    assert lines[0].split() == ["model", "of-env"]
    assert ["packs.on", "shop,", "tides"] in [line.split() for line in lines]
    assert model.split(maxsplit=2) == ["model", "of-env", f"JARVIS_MODEL in {config}/.env"]
    assert hidden.strip() == f"hides model in {config}/config.toml"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_paths_are_those_that_are_used_and_none_is_made(shell):
    before = sorted(shell.home.rglob("*"))

    rows = json.loads(shell.jarvis("paths", "--json").stdout)

    assert sorted(shell.home.rglob("*")) == before
    assert not any(row["exists"] for row in rows)
    shell.configure('model = "m"\n')
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})
    shell.jarvis("hello")
    there = {row["path"] for row in json.loads(shell.jarvis("paths", "--json").stdout) if row["exists"]}
    kept = {"config/config.toml", "data/history.db", "data/inflight.db", "state/jarvis.log"}
    assert {os.path.join(shell.home, "jarvis", name) for name in kept} <= there
    assert f"history.db      {shell.home}/jarvis/data/history.db\n" in shell.jarvis("paths").stdout
