"""What the words are read from holds nothing that the person did not type, whatever was done before."""

from __future__ import annotations

import json
import random
import re

import pytest

from tests.conftest import BOTH_IF_LONG
from tests.marked import KINDS, STRANGE, Dialogue, marks

THREADS = 4


@pytest.fixture
def dialogue(house, shell):
    return Dialogue(house, shell)


def readings(dialogue):
    """How many were made with a plan, and how many by themselves."""
    with_plan = sum("action" in request.schema["properties"] for request in dialogue.read)
    return with_plan, len(dialogue.read) - with_plan


@BOTH_IF_LONG
def test_nothing_foreign_stands_where_the_words_are_read(dialogue, long):
    """Some 60 turns, or 120, in threads in which each kind of turn comes after others."""
    threads = THREADS if long else THREADS // 2
    with dialogue.house.staying():
        for n in range(threads):
            dialogue.begin()
            rest = list(KINDS)
            random.Random(n).shuffle(rest)
            for kind in (list(KINDS)[n], *rest):
                KINDS[kind](dialogue)

    assert dialogue.leaked == []
    assert dialogue.turns >= threads * len(KINDS) > threads * 27
    # They were asked, and gave each sort of answer.
    assert len(dialogue.house.questions) >= threads * 7
    with_plan, alone = readings(dialogue)
    assert (with_plan >= threads - 1, alone >= threads * 15) == (True, True)
    # It was there to leak.
    assert {re.sub("xq|[0-9]+z", "", mark) for mark in dialogue.elsewhere} >= set(STRANGE)


def test_where_a_file_lies_and_what_its_link_leads_to_stand_not_there(dialogue):
    dialogue.begin()
    KINDS["a file"](dialogue)

    assert dialogue.leaked == []
    assert readings(dialogue) == (1, 0)
    assert not any("folder" in mark for mark in dialogue.elsewhere)  # it goes by the name that they typed


@BOTH_IF_LONG
def test_nothing_of_an_import_stands_there_whatever_its_file_says(dialogue, shell):
    dialogue.begin("told")
    for kind in ("question", "find and open"):
        KINDS[kind](dialogue)
    record = json.loads(shell.jarvis("threads", "export", "told").stdout)
    for row in record["turns"]:
        row["goal"], row["own"] = dialogue.mark("goal"), 1
        row["intent"] = [f"open site {dialogue.mark('intent')}"]
    text = json.dumps(record)
    shell.jarvis("threads", "delete", "told", "--yes")
    told = shell.jarvis("threads", "import", "--as", "imported", "-", stdin=text)
    dialogue.begin("imported")
    for kind in ("find and open", "question", "find and open", "talk"):
        KINDS[kind](dialogue)

    assert told.stdout == "Imported imported: 2 turns.\n"
    assert dialogue.leaked == []
    assert readings(dialogue) == (1, 3)
    assert dialogue.elsewhere & marks(text) >= marks(" ".join(row["goal"] for row in record["turns"]))
