"""`scripts/judge` tells a good planner from a bad one, a good reader too, and in which way a bad one errs."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from judge_model import Model
from judging import INVENTED, MISSED, OTHER, RIGHT, UNSURE, Answer, Case, cases, judge, judged, rows

from jarvis.config.settings import read_settings

SCRIPT = Path(__file__).parents[2] / "scripts" / "judge"
SEARCH, REPLY, OPEN = {"action": "search"}, {"action": "reply"}, {"action": "open_website", "address": "u1"}


def asked(*wants, plans=(SEARCH,)):
    return Case("x", "words", "open_site", "en", wants, plans)


@pytest.mark.parametrize(
    ("acceptable", "wants", "reading"),
    [
        (["open site MIT"], "open site MIT", RIGHT),
        (["open site MIT"], "Open site the mit ", RIGHT),
        (["open site Opéra de Paris"], "open site opera de paris", RIGHT),
        (["open site MIT"], "open site CERN", OTHER),
        (["open site University of Bath"], "open site Bath", OTHER),
        (["open site MIT"], "start MIT", OTHER),
        (["open site MIT"], "open site", OTHER),
        (["open site MIT"], "open site MIT; picture", OTHER),
        (["open site MIT"], "open site MIT?", UNSURE),
        (["open site MIT"], "nothing", MISSED),
        (["open site MIT"], "", MISSED),
        (["open u1; picture"], "picture; open u1", RIGHT),
        (["open u1; picture"], "open u1", OTHER),
        (["open u1; picture"], "open u1; picture?", UNSURE),
        (["open line 1"], "open line 10", OTHER),
        (["open lines", "open line 1; open line 2"], "open line 2; open line 1", RIGHT),
        (["start 電卓"], "start 電卓", RIGHT),
        (["nothing"], "nothing", RIGHT),
        (["nothing"], "Nothing", RIGHT),
        (["nothing"], "", RIGHT),
        (["nothing"], "open u1", INVENTED),
        (["nothing"], "open u1?", UNSURE),
        (["nothing"], "open u1?; picture", INVENTED),
        (["nothing", "open line 2"], "open line 2", RIGHT),
        (["nothing", "open line 2"], "open line 1", OTHER),
    ],
)
def test_a_reading_is_held_against_those_that_are_acceptable(acceptable, wants, reading):
    assert judge(asked(*acceptable), Answer(SEARCH, wants)).reading == reading


def test_a_first_plan_is_one_of_those_that_are_acceptable():
    def is_right(plan, *acceptable):
        return judge(asked("nothing", plans=acceptable), Answer(plan, "nothing")).is_planned

    assert is_right({"action": "search", "query": "mit"}, SEARCH)
    assert is_right({"action": "reply", "text": "4"}, SEARCH, REPLY)
    assert is_right({"action": "open_website", "address": "s1"}, {"action": "open_website"})
    assert not is_right({"action": "open_website", "address": "u2"}, OPEN)
    assert not is_right(REPLY, SEARCH)
    assert not is_right({}, SEARCH)


def right_in(share, seed=7):
    """A model that plans and reads right in that *share* of all cases, and wrongly else."""
    luck = random.Random(seed)

    def ask(case):
        plan = case.plans[0] if luck.random() < share else {"action": "none"}
        wrong = "open site elsewhere" if case.asks_nothing else "nothing"
        wants = case.wants[0] if luck.random() < share else wrong
        return Answer(plan, wants)

    return ask


def test_one_that_is_right_in_nine_of_ten_is_told_from_one_that_is_right_in_five():
    good = rows(list(judged(cases(), right_in(0.9), 3)))["all"]
    bad = rows(list(judged(cases(), right_in(0.5), 3)))["all"]

    for figure in ("plan %", "reading %"):
        assert 85 <= float(good[figure]) <= 95
        assert 45 <= float(bad[figure]) <= 55
    for figure in ("missed %", "invented %"):
        assert float(good[figure]) < 15 < 40 < float(bad[figure])


@pytest.mark.parametrize("window", [(), ({"goal": "hello", "steps": []},)])
def test_what_a_model_says_is_repaired_and_read_as_in_a_turn(gemini, window):
    gemini.plans("Sure!", {**REPLY, "text": "So it is."})
    gemini.reading = "nothing"
    model = Model(read_settings({"GOOGLE_GEMINI_BASE_URL": gemini.url, "GOOGLE_API_KEY": "any"}))

    answer = model.asked(asked("nothing", plans=[REPLY])._replace(window=window))

    model.close()
    assert (answer.plan, answer.wants) == (REPLY, "nothing")


def test_weak_answers_do_nothing_beyond_what_was_meant_and_nine_of_ten_are_read():
    """Their shapes are invented, 200 in four languages; each is asked as a turn does, with its repairs."""
    weak = cases(path=SCRIPT.with_name("judge_weak.jsonl"))
    model = Model(read_settings({}))

    answered = list(judged(weak, model.asked))

    model.close()
    assert {case.lang for case in weak} == {"en", "de", "fr", "es"}
    assert len(weak) == len({case.id for case in weak}) == 200
    assert {one.case.id: one.beyond for one in answered if one.beyond} == {}
    assert sum(not one.is_read for one in answered) <= 20
    assert sum(one.reading == RIGHT for one in answered) >= 180


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ('{"wants": "picture", "action": "take_screenshot"}', 1),
        ('{"wants": "nothing", "action": "reply", "text": "Yes."}', 0),
    ],
)
def test_the_script_fails_where_recorded_answers_go_too_far_or_cannot_be_read(tmp_path, answer, status):
    path = tmp_path / "recorded.jsonl"
    case = asked("nothing")._replace(answers=[answer])
    path.write_text(json.dumps(case._asdict()))

    done = subprocess.run(
        [sys.executable, "-P", SCRIPT, "--recorded", path], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.slow
@pytest.mark.long
def test_the_script_prints_its_table_from_any_address(gemini):
    gemini.reading = "picture"
    gemini.plans(*[{"action": "take_screenshot"}] * len(cases(["picture"])))

    done = subprocess.run(
        [sys.executable, "-P", SCRIPT, "--base-url", gemini.url, "--only", "picture"],
        env={**os.environ, "GOOGLE_API_KEY": "any"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[:3]] == ["kind", "picture", "all"]
