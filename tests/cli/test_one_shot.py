"""The program as a process: what stdout, stderr and the exit status say."""

import json
import re
import signal
import threading

import pytest

from jarvis.core.urls import LONGEST
from tests.running import seen
from tests.shell import wait_until
from tests.twins.gemini import Slow, Stall

MIT = "https://web.mit.edu/"
SEARCH = {"action": "search", "query": "MIT official website", "text": "I need its address."}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.mark.parametrize(
    ("words", "url"),
    [
        (["go to https://Example.org/A%20b#c"], "https://example.org/A%20b#c"),
        (["Please", "open", "example.org."], "https://example.org"),
        (["open http://192.168.1.1/admin?a=b&c='d'%20"], "http://192.168.1.1/admin?a=b&c='d'%20"),
        (["ask", "open", "example.org"], "https://example.org"),
        (["--", "open", "example.org"], "https://example.org"),
        (["open", "bücher.example"], "https://xn--bcher-kva.example"),
        # A polite word in an address is part of it; so is what looks like a key.
        (["open example.com/now please"], "https://example.com/now"),
        (["open", "https://a.example/?monkey=1&api_key=mine"], "https://a.example/?monkey=1&api_key=mine"),
    ],
)
def test_a_typed_address_opens_without_a_key_or_a_call(shell, words, url):
    done = shell.jarvis(*words, environment={"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""})

    assert (done.status, done.stdout, done.stderr) == (0, f"{url}\n", "")
    assert shell.opened == [url]
    assert shell.cost == (0, 0)


def test_a_key_in_the_words_breaks_no_json(shell):
    text = 'Write "https://x/?api_key=YOURS" in it. google-key-of-the-tests'
    shell.gemini.plans({"action": "reply", "text": text})

    whole = shell.json('what does "key=abc" mean?')

    assert whole["goal"] == 'what does "key=abc" mean?'
    assert whole["reply"] == 'Write "https://x/?api_key=YOURS" in it. [key]'


def test_what_did_not_work_leaves_the_pipe_to_what_did(shell):
    first, second = ({"action": "open_website", "address": f"u{n}", "finish": n == 2} for n in (1, 2))
    (shell.home / "opener").write_text("#!/bin/sh\ncase $1 in *bad*) exit 4 ;; esac\n")
    shell.gemini.plans(first, second)

    done = shell.jarvis("show me https://good.example and https://bad.example for once")

    assert (done.status, done.stdout) == (1, "https://good.example\n")
    assert done.stderr.startswith("Did not open https://bad.example: ")


def test_json_has_the_shape_of_the_contract(shell):
    shell.search_finds(MIT)
    shell.gemini.plans(SEARCH, OPEN)

    whole = shell.json("-t", "work", "find the MIT website and open it")

    names = "schema status thread turn goal reply steps sources tables result intent unmet unverified unkept"
    assert list(whole) == [*names.split(), "question", "usage", "error", "notices"]
    assert (whole["schema"], whole["status"], whole["thread"]) == (1, "done", "work")
    assert whole["goal"] == "find the MIT website and open it"
    assert whole["reply"] == f"Sent {MIT} to your browser."
    assert [(step["n"], step["action"], step["state"]) for step in whole["steps"]] == [
        (1, "search", "done"),
        (2, "open_website", "done"),
    ]
    assert whole["steps"][1]["arguments"] == {"address": "r1"}
    counts = {"model_calls": 2, "searches": 1, "credits": 1, "searches_left": 99}
    assert set(whole["usage"]) == {*counts, "input_tokens", "output_tokens", "seconds"}
    assert {name: whole["usage"][name] for name in counts} == counts
    assert (whole["intent"], whole["unverified"]) == (["open found 1"], [])
    assert whole["question"] is None
    assert whole["error"] is None


def test_json_parses_for_every_failure(shell):
    for argv, status, code in (
        (["hello"], 78, "no_key"),
        (["-t", "no/slash", "hello"], 2, "usage"),
        ([""], 2, "usage"),
        (["open 7"], 2, "usage"),
        (["--nonsense"], 2, "usage"),
        (["--env-file", "/nonexistent", "hello"], 78, "settings"),
        (["threads", "show", "nonesuch"], 2, "usage"),
    ):
        done = shell.jarvis("--json", *argv, environment={"GOOGLE_API_KEY": ""})

        whole = json.loads(done.stdout)
        assert (done.status, whole["error"]["code"], whole["status"]) == (status, code, "failed")
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ("find MIT and open it", "turn_started planned outcome planned acting outcome turn_ended"),
        ("open example.org", "turn_started planned acting outcome turn_ended"),
    ],
)
def test_ndjson_tells_each_thing_as_it_happens(shell, words, events):
    shell.search_finds(MIT)
    shell.gemini.plans(SEARCH, OPEN)

    records = [json.loads(line) for line in shell.jarvis("--ndjson", words).stdout.splitlines()]

    assert [record["event"] for record in records] == events.split()
    assert {record["schema"] for record in records} == {1}
    assert len({(record["thread"], record["turn"]) for record in records}) == 1
    assert records[-1]["summary"]["status"] == "done"


def test_verbose_tells_each_step_and_its_reason_on_stderr(shell):
    shell.search_finds(MIT)
    shell.gemini.plans(SEARCH, OPEN)

    done = shell.jarvis("-v", "find the MIT website and open it")

    assert done.stdout == f"{MIT}\n"
    assert "1 search MIT official website\n  I need its address.\n" in done.stderr
    assert "1 Searched for “MIT official website”: 1 result\n" in done.stderr
    assert f"2 open website {MIT}  result 1\n" in done.stderr
    assert "default · 2 steps · " in done.stderr
    assert "2 model calls · 1 search (99 left today)" in done.stderr


def test_a_dry_run_opens_nothing_and_is_in_history_like_any_turn(shell):
    done = shell.jarvis("-n", "open example.org")

    assert (done.status, done.stdout) == (0, "Would open https://example.org.\n")
    assert shell.opened == []
    (turn,) = shell.turns()
    assert (turn["goal"], turn["steps"][0]["target"]) == ("open example.org", "https://example.org")


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        ("  ", None, "There are no words"),
        ("\x1b[31m", None, "There are no words"),
        ("word " * 20_000, None, "99,999 characters. The limit is 20,000."),
        ("-", "word " * 20_000, "99,999 characters. The limit is 20,000."),
    ],
    ids=["blank", "no words", "too many", "too many on a pipe"],
)
def test_no_words_and_too_many_are_a_usage_error(shell, words, stdin, told):
    done = shell.jarvis(words, stdin=stdin)

    assert (done.status, told in done.stderr) == (2, True)
    assert shell.gemini.requests == []


def test_control_characters_in_the_words_go_no_further(shell):
    shell.gemini.plans(HELLO)

    done = shell.jarvis("-", stdin="who\x02 are \x1b[31myou\x1b]0;title\a\x9b1m?")

    assert done.status == 0
    asked = shell.gemini.requests[0].prompt
    assert "who are you\ufffd?" in asked  # something was hidden within that word
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", asked)


def test_on_a_terminal_the_reply_is_written_as_it_comes(shell):
    shell.gemini.plans(
        Slow({"action": "reply", "text": "One two three four five six.", "finish": True}, 12, 0.2)
    )

    with shell.program().start("tell me", tty=True) as running:
        running.wait_for("One two")
        assert b"six" not in running.finish().screen.split(b"One two")[0]
    assert len(shell.gemini.requests) == 1


def test_quiet_prints_the_answer_once_and_nothing_of_a_passing_line_is_left(shell):
    shell.gemini.plans(Slow({"action": "reply", "text": "Hello there.\n\n", "finish": True}, 8, 0.01))

    assert seen(shell.jarvis("-q", "hi", tty=True).screen.decode()) == ["Hello there."]


@pytest.mark.parametrize("how", ["--quiet", "--json"])
def test_what_was_done_before_ctrl_c_is_told(shell, how):
    """On a pipe, and as an object."""
    shell.gemini.plans({"action": "open_website", "address": "u1"}, Stall(20))
    with shell.program().start(how, "-t", "work", "open https://a.example and tell me a joke") as running:
        wait_until(lambda: len(shell.gemini.requests) == 2)
        running.send(signal.SIGINT)
        done = running.finish()

    assert done.status == 130
    if how == "--json":
        whole = json.loads(done.stdout)
        assert (whole["status"], whole["error"]["code"]) == ("interrupted", "interrupted")
        assert [step["state"] for step in whole["steps"]] == ["done"]
    else:
        assert done.stdout == "https://a.example\n"
        assert done.stderr.startswith("jarvis: Interrupted.")
        assert "hint: Your progress is saved: jarvis threads show work\n" in done.stderr
        assert shell.jarvis("threads", "show", "work").stdout


def test_two_at_once_in_one_thread_take_turns(shell):
    may_answer = threading.Event()
    shell.gemini.plans(lambda asked: HELLO if may_answer.wait(60) else {}, HELLO)

    with shell.program().start("-v", "one") as first:
        wait_until(lambda: shell.gemini.requests)
        with shell.program().start("-v", "two") as second:
            second.wait_for("Another process is using the conversation default: waiting")
            may_answer.set()
            assert (first.finish().status, second.finish().status) == (0, 0)

    assert "Person: one" in shell.gemini.requests[1].prompt


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_plain_command_that_is_told_to_end_tells_that_too(shell, number, status):
    (shell.home / "opener").write_text('#!/bin/sh\necho "$1" >> "$HOME/opened"\nsleep 3\n')
    with shell.program().start("--json", "open", "a.example") as running:
        wait_until(lambda: shell.opened)
        running.send(number)
        done = running.finish()

    whole = json.loads(done.stdout)
    assert done.status == status
    assert whole["status"] == "interrupted"
    assert [step["state"] for step in whole["steps"]] == ["unknown"]
    (turn,) = json.loads(shell.jarvis("threads", "show", "--json").stdout)
    assert (turn["status"], turn["steps"][0]["state"]) == ("interrupted", "unknown")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_reason_to_fail(shell, closed):
    done = shell.scripted(f'"$@" {closed}').run("open", "example.org")

    assert "Traceback" not in done.stderr
    assert shell.opened == ["https://example.org"]
    assert done.status == 1
    if closed == ">&-":
        assert done.stderr == "jarvis: Can't print the answer: stdout is closed.\n"


def test_a_reader_that_leaves_does_not_undo_the_turn(shell):
    shell.gemini.plans({"action": "reply", "text": "word " * 20_000, "finish": True})

    done = shell.scripted('"$@" | head -c 1').run("tell me a lot")

    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr
    (turn,) = json.loads(shell.jarvis("threads", "show", "--json").stdout)
    assert turn["status"] == "done"


# Addresses of up to 8,000 characters are opened whole; a longer one is refused, and no model sees either.


OPENING = {"action": "open_website", "address": "u1", "finish": True}
ANSWER = {"action": "reply", "text": "It is long."}


def address(length):
    return "https://a.example/cb?state=".ljust(length, "x")


@pytest.mark.parametrize("length", [2_049, LONGEST])
def test_a_long_address_opens_alone_in_words_and_from_a_pipe(length, shell):
    url = address(length)

    assert shell.jarvis("open", url).stdout.strip() == url
    assert shell.jarvis(f"please open {url} now").status == 0
    assert shell.jarvis(stdin=f"{url}\n").status == 0
    assert (shell.opened, shell.cost) == ([url] * 3, (0, 0))


@pytest.mark.parametrize("words", ["open {}", "{}", "tell me what {} is for, please", "({})."])
def test_one_that_is_too_long_is_refused_with_the_reason(words, shell):
    ended = shell.jarvis("--json", words.format(address(LONGEST + 1)))

    assert f"{LONGEST + 1:,} characters" in ended.stdout
    assert (ended.status, shell.opened, shell.cost) == (1, [], (0, 0))


def test_the_model_is_shown_the_beginning_and_opens_it_by_its_id(house):
    url = address(LONGEST)
    house.gemini.reading = "open u1"
    house.model_plans(OPENING, ANSWER, ANSWER)

    asked = house.ask(f"could you do me a favour: {url} is what I want to see")
    house.ask("what was that?")
    house.ask("and this?", piped=f"see {url}")

    assert (asked.status, house.desktop.opened) == (("done", 0), [url])
    assert len(house.gemini.requests) == 3
    for request in house.gemini.requests:
        assert "https://a.example/cb?state=" in request.prompt
        assert "x" * 200 not in request.prompt
