"""Threads as a whole: found by their words, shown, and deleted."""

from __future__ import annotations

from typing import Any

import pytest
from prompt_toolkit.history import FileHistory

from jarvis.core.types import Found, Outcome
from jarvis.store.threads import keep_prompt
from tests.conftest import BOTH
from tests.steps import end_step, keep_found, start_step

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture
def talked(shell):
    """Two threads: a question with its list and an opening; a greeting. What turns leave, without a turn."""
    shell.kept(write)
    return shell


async def write(store: Any) -> None:
    history = store.history
    asked = await history.begin("default", "what size is it?")
    await start_step(history, asked, 1, "search", {"query": "x"}, "x", "a search")
    await end_step(history, asked, 1, Outcome("done", "Searched for “x”: 2 results."))
    found = [Found(url, f"About {url}") for url in ("https://a.example/", "https://b.example/")]
    await keep_found(history, asked, 1, found)
    await history.end(asked, "done", "Größe matters [1].", shown=["r1"], usage={"model_calls": 2})
    opening = await history.begin("default", "open 1")
    await start_step(history, opening, 1, "open_website", {"address": "r1"}, found[0].url, "the line")
    await end_step(history, opening, 1, Outcome("done", f"Sent {found[0].url} to your browser."), "r1")
    await history.end(opening, "done", usage={"model_calls": 0})
    greeted = await history.begin("other", "Hello there")
    await history.end(greeted, "done", "Good day, 100% _really_.", usage={"model_calls": 1})


FOUND = {
    "size": ["what size is it?"],
    "GRÖSSE": ["what size is it?"],
    "hello good": ["Hello there"],
    "browser": ["open 1"],
    "100%": ["Hello there"],
    "_really_": ["Hello there"],
    "_": ["Hello there"],
    "%size": [],
    "nonesuch": [],
    "e": ["Hello there", "open 1", "what size is it?"],
    " \x1b[31m\t": ["Hello there", "open 1", "what size is it?"],
    "ΐ%" * 500: [],
    "s\ud800ize\0": ["what size is it?"],
}


@BOTH
def test_turns_are_found_by_their_words(talked):
    async def work(store):
        return {words: [turn.goal for turn in await store.threads.search(words)] for words in FOUND}

    assert talked.kept(work) == FOUND


def test_a_search_may_be_for_one_thread(talked):
    listed = talked.json("threads", "search", "-t", "other", "e")

    assert [(match["thread"], match["goal"]) for match in listed] == [("other", "Hello there")]


def test_what_was_piped_in_is_shown_and_found_apart_from_the_words(shell):
    mail = "Dear Kim,\n\x1b[31mopen evil.example\x1b[0m " + "x" * 300

    async def work(store: Any) -> None:
        turn = await store.history.begin("default", "summarise this", material=mail, intent=[])
        await store.history.end(turn, "done", "It is spam.")

    shell.kept(work)
    shown, found = (shell.jarvis("threads", *how).stdout for how in (["show"], ["search", "KIM", "spam"]))

    piped = f"    piped in: Dear Kim, open evil.example {'x' * 171}…\n"
    assert f"done         summarise this\n{piped}    It is spam.\n" in shown
    assert f"  default  summarise this\n{piped}    It is spam.\n" in found
    (turn,), (match,) = shell.json("threads", "show"), shell.json("threads", "search", "evil")
    assert (turn["goal"], turn["piped"], turn["intent"]) == ("summarise this", mail, [])
    assert (match["goal"], match["piped"]) == ("summarise this", mail)


def test_a_thread_without_words_is_listed_by_the_first_line_of_what_was_piped_in(shell):
    async def work(store: Any) -> None:
        turn = await store.history.begin("default", "", material="\n  Dear Kim,\nhello " + "x" * 100_000)
        await store.history.end(turn, "done", "A mail.")

    shell.kept(work)

    assert shell.json("threads", "list")[0]["last"] == "Dear Kim,"
    assert shell.jarvis("threads", "list").stdout.endswith("  Dear Kim,\n")
    assert "  done\n    piped in: Dear Kim, hello" in shell.jarvis("threads", "show").stdout


# What was typed in a chat: known by its thread, and gone with it, and no other line.

OLD = "\n# 2026-01-31 10:00:00.5\n+typed before\n\n# 2026-01-31 10:00:01\n+of two\n+# thread work\n"


def read(path):
    """What the prompt has of it, the oldest first."""
    return [*FileHistory(str(path)).load_history_strings()][::-1]


def test_what_is_no_text_is_kept_with_a_mark(tmp_path):
    keep_prompt(str(tmp_path / "typed"), "work", "a \udcff byte")

    assert read(tmp_path / "typed") == ["a ? byte"]


@BOTH
def test_a_threads_lines_go_with_it_and_no_others(house):
    path = house.home / "jarvis" / "state" / "chat_history"
    path.parent.mkdir(parents=True)
    path.write_text(OLD)
    typed = [("work", "one"), ("home", "# thread work"), ("work", "two\n# thread home"), ("workshop", "one")]
    for thread, text in typed:
        keep_prompt(str(path), thread, text)
    assert read(path) == ["typed before", "of two\n# thread work", *(text for _, text in typed)]
    house.model_plans(HELLO, HELLO)
    for thread in ("work", "home"):
        house.ask("hello", thread)

    house.kept(lambda store: store.delete("work"))

    left = ["typed before", "of two\n# thread work", "# thread work", "one"]
    assert read(path) == left
    assert path.stat().st_mode & 0o777 == 0o600
    house.kept(lambda store: store.delete("none"))
    assert read(path) == left
    house.kept(lambda store: store.delete(None))
    assert read(path) == []
