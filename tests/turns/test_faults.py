"""Bad luck, on the whole program: each ends in one clear line with a hint, the right status, words kept."""

from __future__ import annotations

import json
import socket

import pytest

from tests.twins import gemini as g
from tests.twins import serpapi as s

SEARCH = {"action": "search", "query": "MIT"}
REPLY = {"action": "reply", "text": "From what I know: a university.", "finish": True}

# what the model's service does → (exit status, words of the line, words of the hint, how many calls)
GEMINI = {
    "400, a bad key": (g.bad_key(), 77, "refused the key", "aistudio.google.com", 1),
    "400": (
        g.Status(400, message="Request contains an invalid argument."),
        1,
        "refused the request (400)",
        "",
        2,  # once more without the choice of addresses
    ),
    "401": (g.unauthenticated(), 77, "refused the key", "aistudio.google.com", 1),
    "403": (g.forbidden(), 77, "does not allow this key", "aistudio.google.com", 1),
    "404": (g.unknown_model(), 78, "no model named", "gemini-3.5-flash", 1),
    "429 of the minute": (g.per_minute("370s"), 75, "for this minute is used up", "in 370 s", 1),
    "429 of the day": (g.per_day("2s"), 75, "daily quota", "JARVIS_FALLBACK_MODEL", 1),
    "a block": (g.Blocked("PROHIBITED_CONTENT"), 1, "refused to answer", "other words", 1),
    "a refused answer": (g.Finish("", "SAFETY"), 1, "refused to answer", "other words", 1),
    "a stall": (g.Stall(30), 69, "did not answer within 1 s", "again", 1),
    "HTML instead of JSON": (g.Html(404), 69, "was not Gemini", "HTTPS_PROXY", 1),
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


def test_what_may_pass_is_waited_for_in_silence_on_a_pipe_and_is_one_call(shell):
    shell.gemini.plans(g.per_minute("0.4s"), g.overloaded(), g.Stall(0), g.CutStream('{"action": "re'), REPLY)

    done = shell.jarvis("what is MIT?")

    assert (done.status, done.stdout, done.stderr) == (0, "From what I know: a university.\n", "")
    assert shell.cost == (5, 0)
    (used,) = shell.json("usage")["days"]
    assert used["model_calls"] == 1


def test_at_a_terminal_the_seconds_are_counted_down_and_ctrl_c_ends_them(shell):
    shell.gemini.plans(g.per_minute("50s"))

    with shell.program().start("what is MIT?", tty=True) as running:
        running.wait_for("trying again in 4")  # after the first second
        running.write(b"\x03")
        done = running.finish()

    assert done.status == 130
    assert len(shell.gemini.requests) == 1
    assert [turn["status"] for turn in shell.turns()] == ["interrupted"]


@pytest.mark.slow
def test_nothing_is_done_again_for_a_model_that_is_overloaded_after_it(house):
    plan = {"action": "open_website", "address": "u1"}
    house.model_plans(plan, g.overloaded(), g.Reset(), g.CutStream('{"action": "op'), REPLY)

    asked = house.ask("please go and open https://a.example, then tell me of MIT")

    assert asked.status == ("done", 0)
    assert house.desktop.opened == ["https://a.example"]
    assert len(house.gemini.requests) == 5


def test_a_fallback_takes_over_for_the_rest_of_the_turn_and_that_is_told_once(shell):
    shell.gemini.plans(g.per_day(), SEARCH, REPLY)
    shell.search_finds("https://mit.example/")

    done = shell.jarvis("what is MIT?", environment={"JARVIS_FALLBACK_MODEL": "gemini-3.5-flash"})

    assert done.status == 0
    told = "The daily quota of gemini-3.5-flash-lite is used up: answered by gemini-3.5-flash."
    assert done.stderr.count(told) == 1
    assert [request.model[11:] for request in shell.gemini.requests] == ["flash-lite", "flash", "flash"]
    assert [day["model_calls"] for day in shell.json("usage")["days"]] == [2]


def test_no_network_is_told(shell):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"

    done = shell.jarvis("what is MIT?", environment={"GOOGLE_GEMINI_BASE_URL": nobody})

    assert done.status == 69
    assert "can't be reached" in done.stderr
    assert_words_are_kept(shell, "what is MIT?")


# what the search does → (exit status, words of the line)
SERPAPI = {
    "an error field": (s.Status(200, error="Something of ours broke."), 1, "Something of ours broke"),
    "401": (s.Status(401, error="Invalid API key."), 77, "refused the key"),
    "429": (s.Status(429, error="Your account has run out of searches."), 75, "plan are used up"),
    "503": (s.Status(503, error="Busy."), 69, "503"),
    "HTML": (s.Html(404), 69, "a web page came instead of SerpAPI's answer (404 from 127.0.0.1:"),
    "5 MB": (s.Big(5_000_000), 1, "more than 3 MB came"),
    "a slow answer": (s.SlowBody(30), 69, "within 1 s"),
    "a trickle": (s.Trickle(2000, 0.01), 69, "within 1 s"),
    "a reset": (s.Reset(), 69, "can't be reached"),
}


@pytest.mark.parametrize(("step", "status", "line"), SERPAPI.values(), ids=SERPAPI.keys())
def test_when_the_search_fails_it_is_told_and_the_model_may_still_answer(shell, step, status, line):
    if isinstance(step, s.SlowBody | s.Trickle):
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


def test_no_results_are_no_failure(shell):
    shell.serpapi.finds(s.NoResults())
    shell.gemini.plans(SEARCH, REPLY)

    assert shell.jarvis("what is MIT?").status == 0
    assert shell.cost == (2, 1)


def test_a_missing_model_key_is_told_before_anything_is_begun(shell):
    done = shell.jarvis("what is MIT?", environment={"GOOGLE_API_KEY": " "})

    assert (done.status, done.stdout) == (78, "")
    assert done.stderr.startswith("jarvis: No model key is set.")
    assert "hint: jarvis keys set google " in done.stderr
    assert "aistudio.google.com/apikey" in done.stderr
    assert f"GOOGLE_API_KEY=… in {shell.home}/jarvis/config/.env" in done.stderr
    assert not (shell.home / "jarvis" / "data").exists()


def test_without_a_search_key_no_search_is_offered_and_the_answer_says_so(shell):
    shell.gemini.plans(REPLY)

    done = shell.jarvis("what is MIT?", environment={"SERPAPI_API_KEY": ""})

    assert (done.status, done.stdout) == (0, f"{REPLY['text']}\n")
    assert "search" not in shell.gemini.requests[0].enum("action")
    assert "From the model's memory: nothing was looked up." in done.stderr
    assert "Web search is off until: jarvis keys set serpapi" in done.stderr


def test_no_key_is_needed_for_what_needs_none(shell):
    keyless = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}

    assert shell.jarvis("open", "example.org", environment=keyless).status == 0


def test_the_time_budget_ends_a_turn(shell):
    shell.gemini.plans(g.Slow(REPLY, chunks=40, delay=0.1))

    done = shell.jarvis("--timeout", "1", "what is MIT?")

    assert done.status == 124
    assert "more than 1 s" in done.stderr
    assert_words_are_kept(shell, "what is MIT?")


def test_no_browser_is_told(shell):
    shell.opener_exits(3)

    done = shell.jarvis("open", "example.org")

    assert done.status == 1
    assert done.stdout.startswith("Did not open https://example.org: ")
    assert shell.opened == ["https://example.org"]


def test_no_display_is_told_with_the_address(shell):
    done = shell.jarvis("open", "example.org", environment={"BROWSER": ""})

    assert done.status == 1
    assert "no screen" in done.stdout
    assert "https://example.org" in done.stderr


def test_no_display_for_a_screenshot_is_told(shell):
    shell.gemini.plans({"action": "take_screenshot", "finish": True}, REPLY)

    done = shell.jarvis("i need a picture of my screen, now")

    assert done.status == 1
    assert done.stdout.startswith("Did not take a screenshot: ")
    assert not (shell.home / "Pictures").exists()


def test_an_unknown_app_is_told(shell):
    shell.gemini.plans({"action": "open_app", "app": "nonesuch", "finish": True}, REPLY)

    done = shell.jarvis("start nonesuch")

    assert done.status == 1
    assert done.stdout.startswith("Did not start nonesuch: ")


def test_history_that_can_not_be_written_keeps_a_plain_command_from_nothing(shell):
    (shell.home / "jarvis").write_text("a file where the folder should be")

    done = shell.jarvis("open", "example.org")

    assert (done.status, shell.opened) == (0, ["https://example.org"])
    assert done.stderr.startswith("This is not in history. The folder ")


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
