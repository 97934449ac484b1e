"""A file that the words name and that is not there is told, with what they may mean."""

import pytest

from jarvis.cli.material import files_for, missing_in
from jarvis.core.types import Options

SO = {"action": "reply", "text": "It says so.", "finish": True}
GONE = """
what does missing.pdf say
sum up plan.docx
was steht in todo2.txt
résume rapport.pdf
translate notez.md
compare report.odt with gone.pdf
what's in ~/gone.txt
read ./src/app.js and tell me what it does
what does todos.txt say?
look at photo.heic
proofread my essay.md
explain scirpt.py
"""
NAMES_OF_THINGS = """
what is node.js
is asp.net still used
how do i read a config.json in python
what is a package.json for
explain what robots.txt does
write a haiku and save it as poem.txt
how do i convert input.mp4 to output.mp3
what does requirements.txt do
difference between index.html and index.php
sum up example.com/report.pdf
set it to 20.5 degrees
vue.js vs next.js
who made socket.io
what goes in a .gitignore
is there a standard for security.txt
generate a report.pdf
what does main.py usually contain
mail me at kim@b.example
is booking.com down
sum up report.odt
sum up "My notes 1.txt"
sum up docs/plan.md
"""


@pytest.fixture
def here(shell, monkeypatch):
    monkeypatch.chdir(shell.home)
    (shell.home / "docs").mkdir()
    for name in ("text.pdf", "report.odt", "My notes 1.txt", "todo.txt", "script.py", "docs/plan.md"):
        (shell.home / name).write_text("plums")
    return shell


def missing(words):
    return missing_in(words, files_for(words, [words], Options()))


def test_what_names_a_file_that_is_not_there_and_what_names_a_thing(here):
    gone, things = GONE.split("\n")[1:-1], NAMES_OF_THINGS.split("\n")[1:-1]

    assert [words for words in gone if not missing(words)] == []
    assert {words: missing(words) for words in things if missing(words)} == {}


def test_it_is_told_beside_the_answer_and_to_the_model_without_what_else_lies_there(here):
    here.gemini.plans(SO, SO)

    done = here.jarvis("what does missing.pdf say")
    told = here.json("what does missing.pdf say")["notices"]

    line = "missing.pdf isn't in this folder. Did you mean text.pdf?"
    assert (done.status, line in done.stderr.splitlines(), told) == (0, True, [line])
    (prompt, _) = (request.prompt for request in here.gemini.requests)
    assert "Not there: missing.pdf." in prompt
    assert "text.pdf" not in prompt


def test_of_two_files_the_one_that_was_not_read_is_told(here):
    here.gemini.plans({"action": "read", "address": "f1", "finish": False}, SO)

    done = here.json("compare todo.txt with report.odt")

    assert done["notices"] == ["Not read: report.odt."]


def test_where_a_link_leads_is_told(here):
    (here.home / "list.txt").symlink_to("todo.txt")
    here.gemini.plans({"action": "read", "address": "f1", "finish": False}, SO)

    done = here.json("sum up list.txt")

    assert done["notices"] == [f"list.txt leads to {here.home}/todo.txt."]
    assert "plums" in here.gemini.requests[-1].prompt
    assert "todo.txt" not in here.gemini.requests[-1].prompt


def test_what_is_to_be_opened_and_is_not_there_has_a_hint(here):
    done = here.jarvis("open todos.txt")

    assert (done.status, "Did you mean: jarvis open todo.txt" in done.stderr) == (1, True)
