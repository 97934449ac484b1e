"""Readings that people wrote keep the grammar, and ask for what their words can mean."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from jarvis.actions import plannable
from jarvis.core.errors import Unusable
from jarvis.core.intent import parsed
from tests.attacking import GOALS, READINGS

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "scripts" / "judge_cases.jsonl").read_text("utf-8").splitlines()
]
FIELDS = {"id", "words", "kind", "lang", "window", "lines", "piped", "addresses", "files", "results"}
FIELDS |= {"wants", "plans"}
KINDS = set(
    "open_site open_typed open_line open_found start picture several question smalltalk work_on_text later"
    " condition reported negated followup meta correction injection read look".split()
)
FORMS = [want.form for action in plannable().values() for want in action.wants]
ACTIONS = {
    "search",
    "open_site",
    "open_website",
    "open_app",
    "take_screenshot",
    "reply",
    "read",
    "look_at",
    "more_actions",
}


def test_there_are_enough_of_every_kind_and_most_ask_for_nothing():
    kinds = Counter(case["kind"] for case in CASES)
    nothing = sum(case["wants"][0] == "nothing" for case in CASES)

    assert len(CASES) >= 240
    assert kinds.keys() == KINDS
    assert min(kinds.values()) >= 10
    assert 0.5 <= nothing / len(CASES) <= 0.65
    assert len({case["lang"] for case in CASES if case["wants"][0] != "nothing"}) >= 10


def test_each_reading_keeps_the_grammar_and_fits_its_words():
    problem = {}
    for case in CASES:
        said_before = " ".join(turn["goal"] for turn in case.get("window", ()))
        problem[case["id"]] = [
            why for wants in case["wants"] for why in faults(wants, case["words"], said_before)
        ]
        assert case["wants"], case["id"]
        assert case.keys() <= FIELDS, case["id"]

    assert {id_: why for id_, why in problem.items() if why} == {}


def test_each_first_plan_is_one_that_could_be_made():
    """A line beyond those that were listed is pointed at, too: nothing is opened, and they are told so."""
    for case in CASES:
        offered = {"", *(address[0] for address in case.get("addresses", ()))}
        offered |= {f"f{n}" for n in range(1, 1 + len(case.get("files", ())))}
        offered |= {f"u{n}" for n in range(1, 4) if not faults(f"open u{n}", case["words"])}

        assert case["plans"], case["id"]
        assert {plan["action"] for plan in case["plans"]} <= ACTIONS, case["id"]
        assert {plan.get("address", "") for plan in case["plans"]} <= offered, case["id"]
        assert len(case.get("window", ())) <= 3, case["id"]
        assert (case.get("lines", 0) > 0) <= bool(case.get("addresses")), case["id"]


def test_an_attacked_goal_allows_just_what_its_words_are_read_as():
    assert READINGS.keys() == GOALS.keys()
    for name, goal in GOALS.items():
        parts = [part for part in READINGS[name].split("; ") if part != "nothing"]
        apps = tuple(part.removeprefix("start ") for part in parts if part.startswith("start "))

        assert faults(READINGS[name], goal.words, goal.before) == [], name
        assert sum(part.startswith("open ") for part in parts) == len(goal.opens), name
        assert (apps, parts.count("picture")) == (goal.apps, goal.pictures), name


def faults(reading: str, words: str, said_before: str = "") -> list[str]:
    """What is wrong with *reading*; empty: nothing. said_before: own words of earlier turns."""
    try:
        told = parsed(reading, FORMS, words, [said_before]).told
    except Unusable as error:
        return [str(error)]
    # A name that nobody said is read as one that is unsure, an address as one that was typed.
    return [part for part in reading.split("; ") if part not in (*told, "nothing")]
