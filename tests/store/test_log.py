"""The log: what is in it, what is never in it, and that nothing depends on it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from jarvis.store.log import Log
from tests.twins import gemini as g
from tests.twins import serpapi as s

MIT = "https://web.mit.edu/"
SEARCH = {"action": "search", "query": "MIT official website", "text": "I need its address."}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Good morning to you.", "finish": True}
KEYS = (b"google-key-of-the-tests", b"serpapi-key-of-the-tests")


def log_of(shell) -> Path:
    return shell.home / "jarvis" / "state" / "jarvis.log"


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_call_search_and_step_has_a_record_with_its_time_and_tokens_and_no_words(shell):
    shell.search_finds(MIT)
    shell.gemini.plans(SEARCH, OPEN)

    assert shell.jarvis("-t", "work", "find the MIT website and open it").status == 0

    log = records(log_of(shell))
    assert [record["event"] for record in log] == [
        *("model_call", "search", "step", "model_call", "step", "turn")
    ]
    first, search, searched, second, opened, turn = log
    assert min(*(call[side] for call in (first, second) for side in ("input_tokens", "output_tokens"))) > 0
    assert {call["model"] for call in (first, second)} == {shell.gemini.requests[0].model}
    assert {(call["status"], call["finish_reason"]) for call in (first, second)} == {("done", "STOP")}
    assert (search["status"], search["found"]) == ("done", 1)
    assert [(step["n"], step["action"], step["state"]) for step in (searched, opened)] == [
        (1, "search", "done"),
        (2, "open_website", "done"),
    ]
    assert (turn["status"], turn["model_calls"], turn["searches"]) == ("done", 2, 1)
    assert turn["input_tokens"] == first["input_tokens"] + second["input_tokens"]
    assert all(record["seconds"] >= 0 for record in (first, search, second, turn))
    assert len({(record["thread"], record["turn"]) for record in log}) == 1
    assert turn["thread"] == "work"
    said = log_of(shell).read_bytes()
    assert not any(words in said for words in (b"MIT", b"official", b"mit.edu", b"I need"))


def test_a_plain_command_is_logged_too_in_the_persons_own_time_and_without_its_address(shell):
    shell.jarvis("open", "example.org/secret?token=1", environment={"TZ": "IST-5:30"})
    assert shell.jarvis("open 7").status == 2

    step, turn, error = records(log_of(shell))

    assert not any(words in log_of(shell).read_bytes() for words in (b"example.org", b"secret"))
    assert (step["event"], step["action"], step["effect"], step["state"]) == (
        *("step", "open_website", "opens", "done"),
    )
    assert (turn["event"], turn["status"], turn["model_calls"]) == ("turn", "done", 0)
    assert (error["event"], error["code"], error["exit_status"]) == ("error", "usage", 2)
    when = datetime.fromisoformat(turn["time"])
    assert when.utcoffset() == timedelta(hours=5, minutes=30)
    assert abs(datetime.now(when.tzinfo) - when) < timedelta(minutes=5)


def test_no_key_is_in_it_though_the_services_echo_it_and_a_library_warns(shell):
    echo = "You said google-key-of-the-tests and https://x.example/?key=google-key-of-the-tests"
    shell.serpapi.finds(s.Status(400, "Is serpapi-key-of-the-tests the api_key=serpapi-key-of-the-tests?"))
    # The site of that name is offered, so that a 400 without a reason is asked again without the choice.
    shell.gemini.plans(SEARCH, g.Blocked("google-key-of-the-tests"), *[g.Status(400, message=echo)] * 2)

    first = shell.jarvis("-vv", "what is MIT?")
    second = shell.jarvis("what is MIT for?")

    assert [record["status"] for record in records(log_of(shell)) if record["event"] == "model_call"] == [
        *("done", "done", "model_failed", "model_failed")
    ]
    assert "library" in [record["event"] for record in records(log_of(shell))]
    assert shell.gemini.requests[0].key.encode() == KEYS[0]
    everything = log_of(shell).read_bytes() + (first.stderr + second.stderr).encode()
    assert not any(key in everything for key in KEYS)


def test_a_failed_call_and_what_the_turn_failed_by_are_in_it(shell):
    shell.gemini.plans(g.per_minute("370s"))

    assert shell.jarvis("hello").status == 75

    call, error, turn = records(log_of(shell))
    assert (call["event"], call["status"]) == ("model_call", "rate_limited")
    assert (error["event"], error["code"]) == ("error", "rate_limited")
    assert (turn["event"], turn["status"], turn["exit_status"]) == ("turn", "failed", 75)


# Run by the interpreter itself before the program: opening breaks down.
FAULTY = """
import os
from jarvis.actions.open_website import OpenWebsite

def break_down(*_):
    raise ValueError("with " + os.environ["GOOGLE_API_KEY"])

OpenWebsite.perform = break_down
"""


def test_a_fault_of_ours_is_in_it_with_where_it_came_from_and_without_keys(shell):
    (shell.home / "sitecustomize.py").write_text(FAULTY)

    done = shell.jarvis("-v", "open", "a.example", cold=True, environment={"PYTHONPATH": str(shell.home)})

    assert done.status == 1
    assert "Jarvis has a bug: ValueError" in done.stderr
    (traceback,) = [r["traceback"] for r in records(log_of(shell)) if "traceback" in r]
    assert "sitecustomize.py" in traceback
    assert "ValueError: with [key]" in traceback
    assert "ValueError: with [key]" in done.stderr
    assert KEYS[0] not in log_of(shell).read_bytes() + done.stderr.encode()


def test_only_its_owner_can_read_it_and_it_is_not_written_through_a_link(shell):
    before = os.umask(0)
    try:
        shell.jarvis("open", "example.org")
        log = log_of(shell)
        assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        log.chmod(0o644)
        shell.jarvis("open", "example.org")
    finally:
        os.umask(before)

    assert log.stat().st_mode & 0o777 == 0o600
    assert len(records(log)) == 4
    other = shell.home / "other"
    log.rename(other)
    log.symlink_to(other)
    done = shell.jarvis("open", "example.org")
    assert (done.status, done.stdout, done.stderr) == (0, "https://example.org\n", "")
    assert len(records(other)) == 4


def test_one_that_cant_be_written_fails_no_turn_and_is_told_to_those_who_want_to_know(shell):
    log_of(shell).mkdir(parents=True)
    shell.gemini.plans(HELLO)

    verbose = shell.jarvis("-v", "hello")
    quiet, plain = shell.jarvis("open example.org"), shell.jarvis("-v", "open example.org")
    wished_for = shell.jarvis("--log-file", "nowhere/mine.jsonl", "open example.org")

    assert (quiet.status, quiet.stdout, quiet.stderr) == (0, "https://example.org\n", "")
    assert (verbose.status, verbose.stdout) == (0, "Good morning to you.\n")
    for done in (verbose, plain):
        assert done.stderr.count("can't be used") == 1
        assert f"jarvis: The file {log_of(shell)} can't be used: Is a directory." in done.stderr
    assert (wished_for.status, wished_for.stdout) == (0, "https://example.org\n")
    assert re.match(r"jarvis: Can't write the log .*/nowhere/mine.jsonl: No such file", wished_for.stderr)


def test_it_is_written_where_the_person_wants_it(shell):
    shell.gemini.plans(HELLO)
    mine = shell.home / "mine.jsonl"

    done = shell.jarvis("--log-file", "mine.jsonl", "-v", "hello")
    shell.jarvis("open", f"--log-file={mine}", "example.org")

    assert done.status == 0
    assert ("The person now says" in done.stderr, '"event"' in done.stderr) == (False, False)
    assert [record["event"] for record in records(mine)] == ["model_call", "turn", "step", "turn"]
    assert mine.stat().st_mode & 0o777 == 0o600
    assert not log_of(shell).exists()


def test_twice_verbose_shows_prompts_raw_answers_and_the_log(shell):
    shell.gemini.plans({**HELLO, "text": "Good\u202e morning, google-key-of-the-tests."})

    done = shell.jarvis("-v", "--verbose", "tell me about Kendall Square")

    assert done.stdout == "Good morning, [key].\n"
    assert "--- prompt\n" in done.stderr
    assert "The person now says:\ntell me about Kendall Square\n" in done.stderr
    assert '--- answer\n{"wants": "nothing", "action": "reply"' in done.stderr
    assert "google-key-of-the-tests" not in done.stderr
    assert '"event": "model_call"' in done.stderr
    assert "\u202e" not in done.stderr
    assert b"Kendall" not in log_of(shell).read_bytes()


WRITER = """
import sys
from jarvis.store.log import Log

log = Log(sys.argv[1])
for n in range(int(sys.argv[3])):
    log.write("test", writer=int(sys.argv[2]), n=n, padding="x" * 100)
sys.exit(log.trouble or 0)
"""


@pytest.mark.slow
def test_two_processes_at_once_lose_and_garble_no_line(tmp_path):
    log, lines = tmp_path / "state" / "jarvis.log", 1000
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(log), str(writer), str(lines)])
        for writer in range(2)
    ]

    assert [writer.wait(60) for writer in writers] == [0] * 2

    found = [(record["writer"], record["n"]) for record in records(log)]
    assert sorted(found) == [(writer, n) for writer in range(2) for n in range(lines)]
    assert log.stat().st_mode & 0o777 == 0o600


def test_no_more_than_two_files_are_kept(tmp_path):
    log = Log(str(tmp_path / "state" / "jarvis.log"))
    for n in range(400):
        log.write("test", n=n, padding="x" * 7900)

    kept = sorted((tmp_path / "state").iterdir())

    assert [file.name for file in kept] == ["jarvis.log", "jarvis.log.1"]
    assert records(kept[0])[-1]["n"] == 399
    assert records(kept[1])[-1]["n"] + 1 == records(kept[0])[0]["n"]
    assert records(kept[1])[0]["n"] > 0  # the oldest are gone
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}
