"""A file is read where this turn's words name it, and what is open is judged before the model sees it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jarvis.core.types import NamedFile
from jarvis.policy.guard import why_unsafe
from jarvis.policy.rules import remember
from tests.lying import plan

SECRET = "the vault opens at nine"
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n"
SO = plan("reply", text="So.")
HOME = "/home/kim"
DATA = Path(__file__).parents[1] / "data"
SECRETS, HARMLESS = (
    (DATA / name).read_text(encoding="utf-8").splitlines()
    for name in ("secret_names.txt", "harmless_names.txt")
)
HOLDING = (
    PEM,
    '{"type": "service_account", "private_key": "x"}',
    "aws_secret_access_key = abc",
    "the key is AKIAIOSFODNN7EXAMPLE",
    f"use ghp_{'a1' * 18} for it",
    "db: postgres://kim:pa55w0rd@db.example/main",
    "export MAIL_PASSWORD=hunter2hunter2",
)
SPEAKING = (
    "Your PRIVATE KEY stays with you.",
    "max_tokens = 4096",
    "token = tokenizer.next2(x)",
    "API_KEY=your_key_here",
    "password: <your password>",
    "secret: ${API_KEY_2024}",
    "password = os.environ['DB_PASSWORD1']",
    "http://example.com:8080/x and me@b.example",
)


def read(id_):
    return plan("read", address=id_, finish=False)


@pytest.fixture
def lying(house, tmp_path):
    """Puts a file there, which the words name; another file holds what is no one's business."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private/notes.md").write_text(SECRET)

    def put(name: str, text: str) -> Path:
        path = tmp_path / "named" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        house.files = [str(path)]
        return path

    return put


def sent(house, text=SECRET):
    """Whether the model saw it."""
    return any(text in prompt for prompt in house.prompts)


@pytest.mark.parametrize("source", ["typed", "piped", "found", "site", "alias", "file"])
def test_a_row_is_a_page_or_nothing_whatever_it_says_it_is(house, lying, tmp_path, source):
    house.model_plans(SO)
    house.ask("hello")
    row = ("default", "r9", str(tmp_path / "private/notes.md"), "Notes", source, "", "", 1, 1, 1, 1, 1)
    columns = "thread, id, url, title, source, official, official_name, turn, step, place, opened, shown"
    house.rows(f"INSERT INTO addresses ({columns}) VALUES ({', '.join('?' * 12)})", *row)
    house.rows("UPDATE turns SET shown = ?", json.dumps(["r9"]))
    house.model_plans(read("r9"), read("r9"), SO)

    house.ask("what does it say?")

    assert house.rows("SELECT count(*) FROM addresses") == [(1,)]
    assert (sent(house), house.questions) == (False, [])


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("moment", range(1, 11))
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(
    house, lying, tmp_path, monkeypatch, moment, what
):
    """At the first moment the model plans to read it; at the others one more folder on its way was opened."""
    named = lying("a/b/c/notes.md", "plums")
    old = named if what == "file" else named.parents[1]
    (tmp_path / "private/c").mkdir()
    (tmp_path / "private/c/notes.md").write_text(SECRET)
    swaps = [lambda: old.rename(tmp_path / "away"), lambda: old.symlink_to(tmp_path / "private")]
    moments, system_opens = [], os.open

    def pass_one(request=None):
        moments.append(request)
        while len(moments) >= moment and swaps:
            swaps.pop(0)()
        return read("f1")

    def opening(name, flags, mode=0o777, *, dir_fd=None):
        if moments and dir_fd:
            pass_one()
        return system_opens(name, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", opening)
    house.model_plans(pass_one, SO)

    house.ask("sum up notes.md")

    assert (tmp_path / "away").exists()
    assert not sent(house)


def test_a_pipe_is_not_waited_for(house, lying):
    path = lying("notes.md", "")
    path.unlink()
    os.mkfifo(path)
    house.model_plans(read("f1"), SO)

    assert house.ask("sum up notes.md").status == ("failed", 1)


def test_secrets_are_known_by_where_they_lie_and_what_they_are_called(tmp_path):
    unsafe = [name for name in SECRETS if why_unsafe(NamedFile(f"{HOME}/{name}", name))]
    harmless = [name for name in HARMLESS if why_unsafe(NamedFile(f"{HOME}/docs/{name}", name))]

    assert (len(SECRETS), len(HARMLESS)) == (28, 60)
    assert (unsafe, harmless) == (SECRETS, [])


@pytest.mark.parametrize("text", [*HOLDING, *SPEAKING])
def test_what_stands_in_a_file_is_judged_before_the_model_sees_it(house, lying, text):
    lying("notes.txt", f"{SECRET}\n{text}\n")
    house.answers = ["n"] if text in HOLDING else []
    house.model_plans(read("f1"), SO)

    house.ask("sum up notes.txt")

    assert len(house.questions) == (text in HOLDING)
    assert sent(house) == (text not in HOLDING)


def test_a_yes_sends_what_was_judged_and_not_what_lies_there_by_then(house, lying):
    path = lying("notes.txt", PEM)

    def yes(question):
        path.write_text(SECRET)
        return "y"

    house.otherwise = yes
    house.model_plans(read("f1"), SO)

    house.ask("sum up notes.txt")

    assert (sent(house, PEM.split()[-1]), sent(house)) == (True, False)
    assert house.questions[0].text == f"Read?\n{path}"
    assert house.questions[0].reason == "notes.txt holds a private key, which would go to the model"


def test_a_folder_that_others_can_write_to_is_told_until_a_rule_allows_it(house, lying):
    path = lying("notes.txt", SECRET)
    path.parent.chmod(0o1777)
    house.answers = ["n"]
    house.model_plans(read("f1"), read("f6"), SO)

    house.ask("sum up notes.txt")
    (question,) = house.questions
    refused = sent(house)
    remember(house.settings.folders.policy, "allow", "reads_file", str(path.parent))
    house.ask("sum up notes.txt")

    assert f"others can write to {path.parent}" in question.reason
    assert (refused, sent(house), len(house.questions)) == (False, True, 1)


def test_what_is_denied_by_its_folder_is_not_read_and_a_test_says_so(shell):
    (shell.home / "diary").mkdir()
    (shell.home / "diary/may.txt").write_text(SECRET)
    saved = shell.jarvis("policy", "deny", "read", "diary")
    shell.gemini.plans(read("f1"), SO)

    tested, other = (
        shell.jarvis("policy", "test", f"sum up {name}") for name in ("diary/may.txt", "may.txt")
    )
    done = shell.jarvis("sum up diary/may.txt")
    given = shell.jarvis("-f", "diary/may.txt", "sum it up")

    assert saved.stdout.startswith(f"Saved rule 1: deny read path={shell.home}/diary (policy.txt)")
    assert f"deny (rule 1: read path={shell.home}/diary" in tested.stdout
    assert "No rule would deny or ask." in other.stdout
    assert f"deny   read path={shell.home}/diary" in shell.jarvis("policy", "list").stdout
    assert "policy rule 1 denies it" in done.stderr
    assert (given.status, "policy rule 1 denies it" in given.stderr) == (4, True)
    assert not any(SECRET in request.prompt for request in shell.gemini.requests)


@pytest.mark.parametrize("name", [".env", "notes.txt", "link.txt"])
def test_what_follows_f_is_judged_likewise_and_nothing_of_it_stays(shell, name):
    (shell.home / ".env").write_text(f"A={SECRET}")
    (shell.home / "notes.txt").write_text(f"{PEM}{SECRET}")
    (shell.home / "link.txt").symlink_to(".env")
    shell.gemini.plans(read("f1"), SO)

    asked = shell.json("-f", name, "sum this up")
    seen = [SECRET in request.prompt for request in shell.gemini.requests]
    done = shell.jarvis("--answer", f"{asked['question']['id']}=y")

    told = "notes.txt holds a private key" if name == "notes.txt" else ".env may hold a secret"
    assert told in asked["question"]["reason"]
    assert (seen, SECRET in shell.gemini.requests[-1].prompt, done.status) == ([False], True, 0)
    files = [path for path in (shell.home / "jarvis").rglob("*") if path.is_file()]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("other", [False, True])
def test_a_late_yes_is_to_that_very_file(house, lying, tmp_path, other):
    """What waits may be changed by who writes the database: then the question is another one."""
    lying(".env", "A=plums")
    house.model_plans(read("f1"), SO)
    asked = house.ask("sum up .env")
    house.files = []

    def tamper(state):
        state["files"][0][1] = str(tmp_path / "private/notes.md")

    if other:
        house.change_checkpoint(tamper)

    told = house.answer(asked, "y")

    assert asked.status == ("needs_answer", 3)
    assert (told.status, sent(house, "A=plums")) == (
        (("needs_answer", 3), False) if other else (("done", 0), True)
    )
    assert not sent(house)
