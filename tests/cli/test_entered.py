"""How far words go through the house: how often they are parsed, and how many files they enter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

# Runs the program, then prints what was parsed, and the files of which a function ran.
WATCHED = """
import json, os, sys
import jarvis

ROOT, FUNCTION = os.path.dirname(jarvis.__file__) + os.sep, 2
entered, parsed = set(), []

def watch(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & FUNCTION and code.co_filename.startswith(ROOT):
        entered.add(code.co_filename.removeprefix(ROOT))
        if code.co_name == "parse_words":
            parsed.append(frame.f_locals["text"])

sys.setprofile(watch)
from jarvis.__main__ import main
main(sys.argv[1:])
sys.setprofile(None)
print(json.dumps({"parsed": parsed, "entered": sorted(entered)}))
"""


@pytest.fixture
def watched(tmp_path):
    def run(*argv):
        environment = {"PATH": os.environ["PATH"], "JARVIS_HOME": str(tmp_path), "BROWSER": "true"}
        command = [sys.executable, "-P", "-c", WATCHED, *argv]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "open github.com",
        "github.com",
        "take a screenshot",
        "open firefox",
        "open the larch museum",
        "what is it about?",
        "who runs the larch museum, and what does it show?",
        "cheapest first",
    ],
)
@pytest.mark.parametrize("options", [(), ("-n",), ("-f", __file__)], ids=["", "dry run", "beside a file"])
def test_words_are_parsed_once_whatever_comes_of_them(words, options, watched):
    assert watched(*options, words)["parsed"] == [words]


@pytest.mark.slow
def test_of_several_orders_each_is_parsed_once(watched):
    parsed = watched("open a.example, b.example and c.example")["parsed"]

    assert parsed[1:] == ["open a.example", "open b.example", "open c.example"]
