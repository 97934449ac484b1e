"""Bad luck, on the whole program: each ends in one clear line with a hint, the right status, words kept."""

import json
import re

import pytest

from tests.twins import gemini as g
from tests.twins import serpapi as s

SEARCH = {"action": "search", "query": "MIT"}
REPLY = {"action": "reply", "text": "From what I know: a university.", "finish": True}

# what the model's service does → (exit status, words of the line, words of the hint, how many calls)
GEMINI = {
    "400, a bad key": (g.bad_key(), 77, "refused the key", "aistudio.google.com", 1),
    "404": (g.unknown_model(), 78, "no model named", "gemini-3.5-flash", 1),
    "429 of the minute": (g.per_minute("370s"), 75, "this minute's quota is used up", "in 370 s", 1),
    "a block": (g.Blocked("PROHIBITED_CONTENT"), 1, "refused to answer", "other words", 1),
    "a stall": (g.Stall(30), 69, "did not answer within 1 s", "again", 1),
    "HTML instead of JSON": (g.Html(404), 69, "is not Gemini's", "HTTPS_PROXY", 1),
}


@pytest.mark.parametrize(("step", "status", "line", "hint", "calls"), GEMINI.values(), ids=GEMINI.keys())
def test_when_gemini_fails_it_is_told_and_the_words_are_kept(shell, step, status, line, hint, calls):
    if isinstance(step, g.Stall):  # a short limit for nothing else: a busy machine may be slow itself
        shell.configure("[budgets]\nfirst_token_seconds = 1\n")
    shell.gemini.plans(step, step)

    done = shell.jarvis("what", "is", "MIT?")
    asked = [request for request in shell.gemini.requests if request.method == "POST"]
    shell.gemini._script.clear()

    assert done.status == status
    assert_one_line_and_a_hint(done)
    assert line in done.stderr
    assert hint in done.stderr
    assert len(asked) == calls
    assert_words_are_kept(shell, "what is MIT?")


def test_what_may_pass_is_waited_for_told_once_a_cause_and_is_one_call(shell):
    busy = g.per_minute("0.4s")
    shell.gemini.plans(busy, busy, g.overloaded(), g.Stall(0), g.CutStream('{"action": "re'), REPLY)

    done = shell.jarvis("what is MIT?")

    assert (done.status, done.stdout) == (0, "From what I know: a university.\n")
    assert [line.partition(" Trying again until ")[0] for line in done.stderr.splitlines()] == [
        "Gemini: this minute's quota is used up.",
        "gemini-3.5-flash-lite is overloaded or down (503).",
    ]
    assert shell.cost == (6, 0)
    (used,) = shell.json("usage")["days"]
    assert used["model_calls"] == 1


@pytest.mark.parametrize("option", [("--timeout", "60"), ()], ids=["an option", "config.toml"])
def test_the_seconds_that_they_set_hold_for_a_trip_too(shell, option):
    shell.configure("" if option else "[budgets]\nseconds = 60\n")
    shell.gemini.plans(g.per_minute("64s"))

    done = shell.jarvis(*option, "find flights from Boston to Lisbon")

    assert done.status == 75  # at once, since that wait does not fit
    assert "in 64 s" in done.stderr


def test_at_a_terminal_the_end_of_the_waiting_is_told_and_ctrl_c_ends_it(shell):
    shell.gemini.plans(g.per_minute("50s"))

    with shell.program().start("what is MIT?", tty=True, size=(40, 24)) as running:
        running.wait_for("waiting… 2 s, Ctrl-C stops")
        running.write(b"\x03")
        done = running.finish()

    told = re.sub(r"[\d:]{8}", "12:00:00", " ".join(done.screen.decode().split()))
    assert "quota is used up. Trying again until 12:00:00. Ctrl-C stops." in told
    assert done.status == 130
    assert len(shell.gemini.requests) == 1
    assert [turn["status"] for turn in shell.turns()] == ["interrupted"]


# what the search does → (exit status, words of the line)
SERPAPI = {
    "401": (s.Status(401, error="Invalid API key."), 77, "refused the key"),
    "429": (s.Status(429, error="Your account has run out of searches."), 75, "run out of searches"),
    "5 MB": (s.Big(5_000_000), 1, "more than 3 MB came"),
    "a trickle": (s.Trickle(2000, 0.01), 69, "within 1 s"),
}


@pytest.mark.parametrize(("step", "status", "line"), SERPAPI.values(), ids=SERPAPI.keys())
def test_when_the_search_fails_it_is_told_and_the_model_may_still_answer(shell, step, status, line):
    if isinstance(step, s.Trickle):
        shell.configure("[budgets]\nsearch_seconds = 1\n")
    shell.serpapi.finds(step)
    shell.gemini.plans(SEARCH, REPLY)

    done = shell.jarvis("what is MIT?")

    assert done.status == status
    assert done.stdout == "From what I know: a university.\n"
    assert done.stderr.startswith("The search for “MIT” failed: ")
    assert line in done.stderr
    assert "hint: " in done.stderr
    assert shell.cost == (2, 1)
    assert_words_are_kept(shell, "what is MIT?")


def test_a_missing_model_key_is_told_before_anything_is_begun(shell):
    done = shell.jarvis("what is MIT?", environment={"GOOGLE_API_KEY": " "})

    assert (done.status, done.stdout) == (78, "")
    assert done.stderr.startswith("jarvis: No model key is set.")
    assert "hint: jarvis keys set " in done.stderr
    assert "aistudio.google.com/apikey" in done.stderr
    assert f"GOOGLE_API_KEY=… in {shell.home}/jarvis/config/.env" in done.stderr
    assert not (shell.home / "jarvis" / "data").exists()


def assert_one_line_and_a_hint(done):
    lines = done.stderr.splitlines()
    assert done.stdout == ""
    assert lines[0].startswith("jarvis: ")
    assert lines[1].startswith("  hint: ")
    assert len(lines) == 2


def assert_words_are_kept(shell, words):
    turns = json.loads(shell.jarvis("threads", "show", "--json").stdout)
    assert turns[-1]["goal"] == words
    assert turns[-1]["status"] != "open"
