"""The demo is the real program on recorded answers: it sends nothing, and leaves nothing of it behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jarvis.cli.recordings import BANNER, sessions
from tests.person import CTRL_C, CTRL_D, ENTER, Person
from tests.turns.test_tracing import spied

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
MIT, SWITCH, TICKETS = (
    "find the MIT website and open it",
    "find me a used Switch under 150 dollars",
    "find the ticket shop and open it",
)
SAID = {  # on a pipe
    MIT: ["Would open https://www.mit.edu."],
    "what is uv and how do I install it?": ["| `pipx install` | `uv tool install` |", "[1] uv", "Would open"],
    SWITCH: ["4\tNintendo Switch", "1\tNintendo Switch Lite, grey", "Would open https://www.google.com/"],
    "what is the tallest tree?": ["Hyperion"],
}


@pytest.fixture
def demo(shell, tmp_path):
    """The program of a person without keys, whose own settings would send prompts elsewhere, and deny all."""
    (tmp_path / "tmp").mkdir()
    config = shell.home / ".config/jarvis"
    config.mkdir(parents=True)
    (config / "policy.txt").write_text("deny open *\n")
    nobody = "http://127.0.0.1:9"
    own = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": "", "DATABASE_URL": "postgresql://me@127.0.0.1:9/x"}
    return {**own, "HTTPS_PROXY": nobody, "ALL_PROXY": nobody, "TMPDIR": str(tmp_path / "tmp")}


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


@pytest.mark.parametrize("words", SAID)
def test_a_request_is_played_on_a_pipe_without_a_trace(shell, demo, words):
    before = files(shell.home)

    done = shell.jarvis("demo", words, environment=demo, stdin="not to be read")

    assert (done.status, shell.opened, shell.cost) == (0, [], (0, 0))
    assert [told for told in SAID[words] if told not in done.stdout] == []
    assert BANNER in done.stderr
    assert files(shell.home) == before


def test_it_talks_to_nobody(shell, demo):
    spy, talks = spied(shell)
    with (shell.home / "spy" / "sitecustomize.py").open("a") as file:
        file.write("note('started')\n")

    done = shell.jarvis("demo", SWITCH, environment=demo | spy, cold=True)

    assert (done.status, talks.read_text()) == (0, "started\n")


def on_a_terminal(shell, demo, words):
    return Person(shell.program(**demo), "demo", words)


def test_enter_opens_what_was_found(shell, demo):
    with on_a_terminal(shell, demo, MIT) as person:
        person.see("Open it?")
        assert shell.opened == []
        person.type(ENTER)
        assert person.finish().status == 0

    assert shell.opened == ["https://www.mit.edu"]


@pytest.mark.parametrize(("keys", "status"), [(CTRL_D, 0), ("n" + ENTER, 0), (CTRL_C, 130)])
def test_nothing_is_opened_or_left_otherwise(shell, demo, keys, status):
    before = files(shell.home)
    with on_a_terminal(shell, demo, MIT) as person:
        person.see("Open it?")
        assert files(Path(demo["TMPDIR"])) != set()
        person.type(keys)
        assert person.finish().status == status

    assert (shell.opened, files(shell.home)) == ([], before)


def test_a_session_goes_on_line_by_line(shell, demo):
    with on_a_terminal(shell, demo, SWITCH) as person:
        for line in ("Next: jarvis cheapest first", "Next: jarvis open 1", "Open it?"):
            person.see(line)
            person.type(CTRL_D if line.startswith("Open") else ENTER)
        screen = person.finish().screen.decode()

    assert screen.count(BANNER[:40]) == 3


def test_the_guard_asks_its_question(shell, demo):
    with on_a_terminal(shell, demo, TICKETS) as person:
        person.see("letters that can imitate others")
        person.at_question()
        person.type("n")
        assert person.finish().status == 4
    done = shell.jarvis("demo", TICKETS, environment=demo)

    assert (done.status, done.stdout) == (3, "")
    assert "Try it on a terminal" in done.stderr


def test_its_requests_are_listed_and_others_are_told_how_to_set_a_key(shell, demo):
    listed = shell.jarvis("demo", environment=demo)
    other = shell.jarvis("demo", "find", "my", "house", environment=demo)

    assert re.findall(r'^jarvis demo "(.*)"$', listed.stdout, re.MULTILINE) == [*sessions()]
    assert (listed.status, other.status, shell.cost) == (0, 2, (0, 0))
    assert "no answers for “find my house”" in other.stderr
    assert "jarvis setup" in other.stderr


def test_the_blocks_of_the_readme_paste_and_each_quoted_request_in_them_can_be_seen():
    assert "\n$ " not in README
    asked = re.findall(r'^(?:scripts/)?jarvis (?:demo )?"(.*)"$', README, re.MULTILINE)

    assert len(asked) == 4
    assert {*asked} <= {*sessions()}
