"""What each word of a line may become, with the names that this machine knows."""

from __future__ import annotations

import os

import pytest

from jarvis.cli.completion.answer import answer_shell
from jarvis.cli.completion.candidates import candidates
from jarvis.cli.completion.values import _OF_KIND
from jarvis.cli.registry import COMMANDS
from jarvis.cli.rows import KINDS
from jarvis.launcher import aliases
from jarvis.policy.rules_file import remember
from jarvis.store.sqlite import at_once
from tests.quick import Quick


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """That of a person with threads, an alias, a rule and two apps."""
    quick = Quick(tmp_path)
    quick.install("Calculator")
    quick.install("Tool Box")
    for host, thread in (("a.example", "default"), ("b.example", "work"), ("c.example", "work")):
        quick.settings = quick.settings._replace(thread=thread)
        quick.run(f"open {host}")
    at_once(quick.history.close())
    aliases.add(quick.settings.folders.aliases, "my docs", "https://docs.example.com")
    remember(quick.settings.folders.policy, "deny", "opens", "bad.example")
    apps = {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path / "none"), "LANG": "C.UTF-8"}
    environment = {"JARVIS_HOME": str(tmp_path), "PATH": os.defpath, "JARVIS_THREAD": "default", **apps}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


# What is typed after `jarvis`, the last word being begun → what it may become; `…`: and others.
TABLE = {
    "th": ["threads"],
    "op": ["open"],
    "nonesuch": [],
    "": [*COMMANDS, "…"],
    "threads sh": ["show"],
    "packs off s": ["shop"],
    "threads ": ["list", "…"],
    "threads show w": ["work"],
    "threads show ": ["work", "default"],  # the one used last first
    "threads show work ": [],
    "threads export work d": ["default"],
    "threads import ": [":files"],
    "-t w": ["work"],
    "--thread=w": ["--thread=work"],
    "-nt w": ["work"],
    "usage -t": [],
    "usage --d": ["--days"],
    "usage --days ": [],
    "--dry-run --dr": [],
    "-v --verb": ["--verbose"],
    "--env-file ": [":files"],
    "threads --": ["--help"],
    "threads list --j": ["--json"],
    "-- --j": [],
    "-- th": [],
    "alias rm my d": ["docs"],
    "alias rm ": ["my"],
    "help bra": ["brain"],
    "policy allow o": ["open"],
    "policy allow ": ["open", "launch", "screenshot", "search"],
    "policy allow open git": ["github.com", "gitlab.com"],
    "policy allow launch tool ": ["box"],
    "policy allow --for od": ["odd letters"],
    "policy rm ": ["1"],
    "policy test open githu": ["github", ":files"],
    "completion install f": ["fish"],
    "keys set ": ["google", "serpapi"],
    "why ": ["1"],
    "-t work why ": ["2", "1"],
    "why -t work ": ["2", "1"],
    "open githu": ["github", ":files"],
    "open google m": ["mail", "maps", "meet"],
    "open my ": ["docs"],
    "open calc": ["calculator", ":files"],
    "please open calc": ["calculator", ":files"],
    "launch tool": ["tool"],
    "launch githu": [],
    "visit calc": [],
    "tell me about githu": [],
    "why is the sky ": [],
}


@pytest.mark.parametrize(("line", "expected"), TABLE.items())
def test_a_word_becomes_what_the_registry_and_this_machine_know(line, expected, environment):
    found = [each.word for each in candidates(line.split(" "), environment)]

    if expected[-1:] == ["…"]:
        assert set(expected[:-1]) < set(found)
    else:
        assert found == expected


def test_every_kind_of_value_has_candidates_but_an_address():
    assert set(_OF_KIND) == set(KINDS) - {"", "address"}


@pytest.mark.parametrize("line", ["open d", "alias rm ", "policy rm ", "-t w", "why "])
def test_what_can_not_be_read_completes_nothing_and_says_nothing(line, environment, capsys, tmp_path):
    for name in ("aliases.json", "policy.toml", "config.toml"):
        (tmp_path / "config" / name).write_text("{ broken")
    (tmp_path / "data" / "history.db").write_text("no database")

    status = answer_shell(["--complete", "fish", *line.split(" ")])

    assert (status, capsys.readouterr()) == (0, ("", ""))


def test_nothing_is_written(environment, tmp_path, capsys):
    def kept():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    before = kept()
    for line in TABLE:
        answer_shell(["--complete", "zsh", *line.split(" ")])

    assert capsys.readouterr().out
    assert kept() == before


def test_a_server_is_not_asked(environment):
    environment = {**environment, "DATABASE_URL": "postgresql://me:password@127.0.0.1:1/jarvis"}

    assert [candidates(line.split(" "), environment) for line in ("-t w", "why ")] == [[], []]
