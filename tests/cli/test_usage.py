"""What is used up: summed per day and thread, capped per day over all of them, and told."""

import contextlib
import json
import time

import pytest

from jarvis.store.usage import today
from tests.conftest import BOTH
from tests.twins import gemini as g

MIT = "https://web.mit.edu/"
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
SEARCH = {"action": "search", "query": "MIT"}
KNOWN = {"action": "reply", "text": "A university."}


def usage(shell, *argv):
    return json.loads(shell.jarvis("usage", "--json", *argv).stdout)


def counts(row):
    return row["model_calls"], row["searches"]


@BOTH
def test_it_sums_per_thread_what_the_services_counted(shell):
    shell.search_finds(MIT)
    shell.gemini.plans(HELLO, SEARCH, KNOWN)
    shell.jarvis("-t", "small-talk", "hello")
    asked = shell.json("-t", "work", "what is MIT?")["usage"]

    summed = usage(shell)
    head, first, second, total, left = shell.jarvis("usage").stdout.splitlines()

    assert [(row["thread"], counts(row)) for row in summed["days"]] == [
        ("small-talk", (1, 0)),
        ("work", (2, 1)),
    ]
    assert counts(summed["total"]) == shell.cost == (3, 1)
    assert {row["day"] for row in summed["days"]} == {summed["today"]["day"]}
    work = summed["days"][1]
    assert (work["input_tokens"], work["output_tokens"]) == (asked["input_tokens"], asked["output_tokens"])
    assert work["input_tokens"] > 0 < work["output_tokens"]
    assert summed["today"]["model_calls"] == {"used": 3, "limit": 500, "left": 497}
    assert summed["today"]["searches"] == {"used": 1, "limit": 100, "left": 99}
    assert head.split() == "day calls searches tokens in tokens out thread".split()
    told = [[*line.split()[-5:-3], line.split()[-1]] for line in (first, second, total)]
    assert told == [["1", "0", "small-talk"], ["2", "1", "work"], ["3", "1", "total"]]
    assert left == "Today: 3 of 500 model calls, 1 of 100 searches."


def test_on_a_terminal_each_thread_is_one_line(shell):
    shell.gemini.plans(HELLO)
    shell.jarvis("say hello to each and every one of my friends", tty=True)

    told = shell.jarvis("usage", tty=True, size=(80, 24)).screen.decode().splitlines()

    (line,) = (line for line in told if line.startswith(today()))
    assert line.endswith("  say hello to each and e…")
    assert len(line) <= 80


@BOTH
def test_earlier_days_are_told_as_far_back_as_is_asked(house, shell):
    shell.gemini.plans(HELLO)
    shell.jarvis("hello")
    house.rows("INSERT INTO usage (day, thread, model_calls) VALUES (?, 'old', 7)", today(2))

    assert [row["thread"] for row in usage(shell, "--days", "2")["days"]] == ["default"]
    three = usage(shell, "--days", "3")
    assert [row["thread"] for row in three["days"]] == ["old", "default"]
    assert three["today"]["model_calls"]["used"] == 1


def test_at_the_limit_no_call_is_made_in_any_thread_and_that_is_told_but_plain_commands_work(shell):
    shell.configure("[daily]\nmodel_calls = 2\n")
    shell.gemini.plans(HELLO, g.per_day())
    shell.jarvis("-t", "a", "hello")
    failed = shell.jarvis("-t", "b", "hello")  # which counts too

    told = shell.jarvis("-t", "c", "hello")
    as_json = shell.json("hello")

    assert (failed.status, len(shell.gemini.requests)) == (75, 2)
    assert (told.status, told.stdout) == (124, "")
    line, hint = told.stderr.splitlines()
    assert line == "jarvis: Today's limit of 2 model calls is used up."
    assert "jarvis usage" in hint
    assert "[daily] model_calls" in hint
    assert (as_json["status"], as_json["error"]["code"]) == ("failed", "daily_limit")
    assert as_json["usage"]["model_calls"] == 0
    assert shell.jarvis("open", "example.org").status == 0
    assert usage(shell)["today"]["model_calls"] == {"used": 2, "limit": 2, "left": 0}


@BOTH
def test_processes_at_once_share_what_is_left(shell):
    """In threads of their own, so that nothing but the sum holds them up."""
    shell.configure("[daily]\nmodel_calls = 2\n")
    shell.gemini.plans(*[g.Slow(HELLO)] * 2)
    with contextlib.ExitStack() as started:
        running = [started.enter_context(shell.program().start("-t", f"t{n}", "hello")) for n in range(4)]
        statuses = sorted(each.finish().status for each in running)

    assert statuses == [0, 0, 124, 124]
    assert len(shell.gemini.requests) == 2


def test_without_a_limit_there_is_none(shell):
    shell.configure('[daily]\nmodel_calls = "unlimited"\n')
    shell.gemini.plans(HELLO)

    assert shell.jarvis("hello").status == 0
    assert usage(shell)["today"]["model_calls"] == {"used": 1, "limit": None, "left": None}
    assert shell.jarvis("usage").stdout.endswith("Today: 1 model calls, 0 of 100 searches.\n")


NOTE = (
    "From the model's memory: nothing was looked up."
    " Today's limit of 1 search is used up (see: jarvis usage).\n"
)


@pytest.mark.parametrize(("searches", "note"), [(1, NOTE), (0, "")])
def test_without_a_search_left_none_is_offered_and_the_reply_says_so_unless_they_set_none(
    shell, searches, note
):
    shell.configure(f"[daily]\nsearches = {searches}\n")
    shell.search_finds(MIT)
    shell.gemini.plans(*[SEARCH] * searches, *[KNOWN] * 3)
    for _ in range(searches):
        shell.jarvis("what is MIT?")

    done = shell.jarvis("-t", "other", "what is ETH?")
    as_json = shell.jarvis("--json", "what is ETH?")

    offered = ["search" in request.enum("action") for request in shell.gemini.requests]
    assert offered == [*[True, False] * searches, False, False]
    assert (done.status, done.stdout, done.stderr) == (0, "A university.\n", note)
    assert (json.loads(as_json.stdout)["status"], as_json.stderr) == ("done", note)


@BOTH
def test_calls_that_were_reserved_with_a_search_and_not_made_are_taken_back(house):
    house.configure("[budgets]\nmodel_calls = 1\n")
    house.search_finds(MIT)
    house.model_plans(SEARCH)

    events = house.ask("what is MIT?")

    assert (events.status, house.cost) == (("failed", 124), (1, 1))
    (counted,) = house.rows(
        "SELECT model_calls, searches, input_tokens > 0, output_tokens > 0 FROM usage WHERE thread != ''"
    )
    assert counted == (1, 1, True, True)


@BOTH
def test_deleting_a_thread_gives_nothing_back(shell):
    shell.configure("[daily]\nmodel_calls = 1\n")
    shell.gemini.plans(HELLO)
    shell.jarvis("-t", "gone", "hello")

    assert shell.jarvis("threads", "delete", "-y", "gone").status == 0

    assert shell.jarvis("hello").status == 124
    assert [(row["thread"], counts(row)) for row in usage(shell)["days"]] == [("", (1, 0))]
    assert "(deleted conversations)" in shell.jarvis("usage").stdout


def test_the_day_is_the_persons_own(house, monkeypatch):
    for zone in ("EAST-14", "WEST+11"):  # a whole day and an hour apart, and known to every machine
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            house.model_plans(HELLO)
            house.ask("hello")
        finally:
            monkeypatch.undo()
            time.tzset()

    assert [row[0] for row in house.rows("SELECT COUNT(DISTINCT day) FROM usage")] == [2]
