"""Aliases as a person uses them: kept, listed, opened, filled in, forgotten; and what can be none."""

import json
import os

import pytest

from jarvis.core.errors import SettingsError, UsageError
from jarvis.launcher import aliases
from tests.house import understood

pytestmark = pytest.mark.quick

SEARCH = "https://github.com/search?q={query}"


@pytest.fixture
def file(house):
    return house.settings.folders.aliases


@pytest.fixture
def alias(shell):
    """Runs `jarvis alias ARGV…`."""
    return lambda *argv, **how: shell.jarvis("alias", *argv, **how)


def test_an_alias_with_a_query_is_filled_in_with_what_follows_it(alias, shell):
    saved = alias("add", "gh", SEARCH)
    done = shell.jarvis("open", "gh", "langgraph", "interrupt")

    assert saved.stdout == f"Saved gh  {SEARCH}   takes words (aliases.json)   undo: jarvis alias rm gh\n"
    assert (done.status, done.stdout) == (0, "https://github.com/search?q=langgraph+interrupt\n")
    assert shell.opened == ["https://github.com/search?q=langgraph+interrupt"]
    assert "your alias in request 1" in shell.jarvis("why").stdout
    assert shell.cost == (0, 0)


def test_what_is_removed_is_no_alias_any_more(alias, shell):
    alias("add", "docs", "localhost:3000/docs")
    listed = alias("list")
    changed = alias("add", "docs", "docs.example.com")
    restored = alias("add", "docs", "localhost:3000/docs")
    removed = alias("rm", "docs")

    assert listed.stdout == "docs  http://localhost:3000/docs\n"
    undo = "undo: jarvis alias add docs http://localhost:3000/docs\n"
    assert [each.stdout.endswith(undo) for each in (changed, restored, removed)] == [True, False, True]
    assert alias("list").stderr == "No aliases yet.\n"
    assert json.loads(alias("list", "--json").stdout) == []
    assert alias("rm", "docs").status == 2


@pytest.mark.parametrize(
    ("name", "target", "words", "opened"),
    [
        ("docs", "localhost:3000/docs", "please open my docs", "http://localhost:3000/docs"),
        ("github", "https://github.com/me", "open github", "https://github.com/me"),  # a known site
    ],
)
def test_an_alias_leads_where_the_person_points_it(house, file, name, target, words, opened):
    aliases.add(file, name, target)

    ended = house.plain(words).ended

    assert (house.desktop.opened, ended.status) == ([opened], "done")


@pytest.mark.parametrize(
    ("template", "words", "address"),
    [
        (SEARCH, "open gh", "https://github.com/search?q="),
        (
            SEARCH,
            "open gh C++ & Größe=1/../?x#y",
            "https://github.com/search?q=C%2B%2B+%26+Gr%C3%B6%C3%9Fe%3D1%2F..%2F%3Fx%23y",
        ),
        ("https://a.example/{query}/b", "open gh one two", "https://a.example/one%20two/b"),
        ("https://a.example/#/{query}", "Open GH for me", "https://a.example/#/"),
        (SEARCH, "open gh lofi, thanks", "https://github.com/search?q=lofi"),
        (SEARCH, "can you open gh lofi?", "https://github.com/search?q=lofi"),
        (
            "https://a.example/{query}",
            "could you go to gh @evil.example",
            "https://a.example/%40evil.example",
        ),
    ],
)
def test_what_is_filled_in_stays_where_it_is_put(house, file, template, words, address):
    aliases.add(file, "gh", template)

    house.plain(words)

    assert house.desktop.opened == [address]


@pytest.mark.parametrize(
    "words",
    ["open gh and take a screenshot", "open gh in chrome", "open gh then open gl",
     "open gh x and open the first one", "open gh x and take a screenshot", "open gh x, then summarize it",
     "open gh x in firefox", "open gh x in a new tab", "open gh or gl", "open gh tomorrow", "run gh pr list",
     "don't open gh", "gh x", "open gl x", "open the gh app", "open ghost", "open gh?",
     "show me gh x", "view gh", "display gh lofi", "switch to gh?"],  # who is only shown something
)  # fmt: skip
def test_anything_else_is_not_plain(house, file, words):
    aliases.add(file, "gh", SEARCH)
    aliases.add(file, "gl", "https://gitlab.com")

    assert understood(words, house.names) is None


@pytest.mark.parametrize(
    ("name", "target"),
    [
        *(("gh", "javascript:alert(1)"), ("gh", "https://{query}.example/"), ("gh", "https://a.example:{query}/")),
        *(("gh", "https://{query}"), ("gh", "https://{query}@a.example/"), ("gh", "not an address")),
        *(("2", "https://a.example"), ("", "https://a.example"), ("a.example", "https://a.example")),
        *(("one two three four", "https://a.example"), ("gh", "https://a.example/{query}{query}")),
        *(("gh", "file:///etc/passwd"), ("gh", "https://a.example{query}/"), ("gh", "/tmp")),
        *(("jarvis site", "https://a.example"), ("cash app app", "https://a.example")),
    ],
)  # fmt: skip
def test_what_could_lead_elsewhere_is_no_alias(file, name, target):
    with pytest.raises(UsageError):
        aliases.add(file, name, target)

    assert aliases.load(file) == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"gh": 1}', '{"gh": {"kind": "alias", "target": "file:///x"}}'])
def test_a_file_that_is_not_understood_is_an_error(shell, text):
    folder = shell.home / "jarvis" / "config"
    folder.mkdir(parents=True)
    (folder / "aliases.json").write_text(text)

    done = shell.jarvis("open", "github")

    assert (done.status, shell.opened) == (78, [])
    assert "aliases.json: " in done.stderr


def test_a_file_that_others_can_write_is_not_read(house, file):
    aliases.add(file, "gh", SEARCH)
    os.chmod(file, 0o666)

    with pytest.raises(SettingsError, match="Other users"):
        understood("open gh", house.names)
