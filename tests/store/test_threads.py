"""Threads as a whole: found by their words, and moved from one database to the other and back."""

from __future__ import annotations

import json

import pytest

from tests.conftest import BOTH

ASK = {"action": "search", "query": "x"}


def replied(text):
    return {"action": "reply", "text": text, "finish": True}


@pytest.fixture
def talked(shell):
    """Two threads: a question with its list and an opening; a greeting."""
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, replied("Größe matters [r1]."), replied("Good day, 100% _really_."))
    shell.jarvis("what size is it?")
    shell.jarvis("open", "1")
    shell.jarvis("-t", "other", "Hello there")
    return shell


@BOTH
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["size"], ["what size is it?"]),
        (["GRÖSSE"], ["what size is it?"]),
        (["hello", "good"], ["Hello there"]),
        (["browser"], ["open 1"]),
        (["100%"], ["Hello there"]),
        (["_really_"], ["Hello there"]),
        (["_"], ["Hello there"]),
        (["%size"], []),
        (["nonesuch"], []),
        (["-t", "other", "e"], ["Hello there"]),
    ],
    ids=str,
)
def test_turns_are_found_by_their_words(talked, words, found, database_url):
    if database_url and words == ["GRÖSSE"]:
        words = ["Größe"]  # what is a capital of what is the server's to know, by its locale

    listed = talked.json("threads", "search", *words)

    assert [match["goal"] for match in listed] == found


@BOTH
def test_a_search_is_told_to_people_with_thread_and_answer(talked):
    done = talked.jarvis("threads", "search", "size")

    assert "  default  what size is it?\n    Größe matters [1]." in done.stdout
    assert talked.jarvis("threads", "search", "nonesuch").stderr == "Nothing was found.\n"


def test_threads_move_to_postgres_and_back_without_loss(talked, postgres):
    url = postgres.schema()
    there = {"DATABASE_URL": url}
    exported = talked.jarvis("threads", "export").stdout
    (talked.home / "threads.jsonl").write_text(exported)

    moved = talked.jarvis("threads", "import", str(talked.home / "threads.jsonl"), environment=there)
    back = talked.jarvis("threads", "export", environment=there).stdout
    opened = talked.jarvis("-t", "other", "open", "a.example", environment=there)

    assert moved.stdout == "Imported default: 2 turns.\nImported other: 1 turn.\n"
    assert [json.loads(line) for line in back.splitlines()] == [
        json.loads(line) for line in exported.splitlines()
    ]
    assert opened.status == 0
    talked.jarvis("threads", "delete", "default")
    again = talked.jarvis("threads", "import", "-", stdin=back.splitlines()[0])
    assert again.stdout == "Imported default: 2 turns.\n"
    assert talked.jarvis("threads", "export").stdout == exported
    postgres.drop(url)


@BOTH
def test_a_thread_that_is_there_is_left_as_it_is(talked):
    exported = talked.jarvis("threads", "export", "default").stdout

    done = talked.jarvis("threads", "import", "-", stdin=exported)

    assert done.status == 1
    assert "There is a thread default already" in done.stderr
    assert talked.jarvis("threads", "export", "default").stdout == exported


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "[1, 2]",
        '{"schema": 2}',
        '{"schema": 1, "threads": [], "turns": [], "steps": [], "addresses": []}',
        '{"schema": 1, "threads": [["../x", 1, 1, 0, 0, 0]], "turns": [], "steps": [], "addresses": []}',
        '{"schema": 1, "threads": [["x", 1, 1, 0, 0, {}]], "turns": [], "steps": [], "addresses": []}',
        '{"schema": 1, "threads": [["x", 1, 1, 0, 0, 0]], "turns": [], "addresses": [],'
        ' "steps": [["t", 1, "a", "{}", "", "done", "", 1, 1]]}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_export_is_refused_whole(shell, text):
    done = shell.jarvis("threads", "import", "-", stdin=text)

    assert done.status in (1, 2)
    assert done.stderr.startswith("jarvis: ")
    assert "Traceback" not in done.stderr
    assert shell.json("threads", "list") == []
