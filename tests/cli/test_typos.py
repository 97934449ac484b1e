"""Lines that were mistyped or half typed are told, for nothing; sentences that only begin so are not."""

from __future__ import annotations

import pytest

from jarvis.__main__ import read
from jarvis.cli.did_you_mean import refuse_mistyped
from jarvis.cli.line import RequestLine
from jarvis.core.errors import UsageError
from jarvis.language.command_grammar import parse_words
from jarvis.launcher import parse_command
from tests.wordings import lines_of


def fate(line: str, environment: dict[str, str]) -> str:
    """What becomes of a line: refused, with the right form; command; plain; model."""
    try:
        request = read(line.split())
        if not isinstance(request, RequestLine):
            return "command"
        if parse_command(parse_words(" ".join(request.words)), request.options, environment):
            return "plain"
        refuse_mistyped(request, environment)
    except UsageError as refused:
        return f"refused: {refused.message}" if "jarvis" in refused.hint else "no hint"
    return "model"


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "applications").mkdir()
    for name in ("Calculator", "Firefox", "GIMP", "VLC"):
        entry = f"[Desktop Entry]\nType=Application\nName={name}\nExec=/bin/true\n"
        (tmp_path / f"applications/{name}.desktop").write_text(entry)
    return {"JARVIS_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path)}


@pytest.mark.parametrize("part", ["mistyped.txt", "mistyped.held_back.txt"])
def test_no_line_that_was_mistyped_reaches_the_model(part, environment):
    fates = {line: fate(line, environment) for line in lines_of(part)}

    assert {line: told for line, told in fates.items() if not told.startswith("refused")} == {}


@pytest.mark.parametrize("part", ["begins_with_a_command.txt", "begins_with_a_command.held_back.txt"])
def test_every_sentence_that_begins_with_a_command_reaches_the_model(part, environment):
    fates = {line: fate(line, environment) for line in lines_of(part)}

    assert {line: told for line, told in fates.items() if told != "model"} == {}


def test_the_right_form_is_shown_and_nobody_is_asked(shell):
    for argv, form in (
        (("hlep",), "Did you mean: jarvis help"),
        (("opne", "github.com"), "Did you mean: jarvis open github.com"),
        (("-t", "work", "threads", "rm", "x"), "Did you mean: jarvis threads delete x"),
        (("open",), "“open” needs more words: jarvis open …"),
    ):
        done = shell.jarvis(*argv)

        words = [word for word in argv if word not in ("-t", "work")]
        assert (done.status, done.stdout) == (2, "")
        assert done.stderr == f"jarvis: {form}\n  hint: To send it as words: jarvis -- {' '.join(words)}\n"
    assert (shell.gemini.requests, shell.opened) == ([], [])


@pytest.mark.parametrize(
    "argv",
    [
        ("--", "opne", "github.com"),
        ("ask", "opne", "github.com"),
        ("threads rm x",),
        ("please", "opne", "github.com", "now"),
        ("opne", "github.com?"),
    ],
)
def test_what_is_said_to_be_words_is_sent_as_it_is(argv, environment):
    request = read(argv)

    refuse_mistyped(request, environment)
    assert [*request.words] == [each for each in argv if each not in ("--", "ask")]


def test_with_a_text_piped_in_one_word_may_say_enough(shell):
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})

    assert shell.jarvis("summarize", stdin="a text").stdout == "Hello.\n"
    assert shell.jarvis("summarize").status == 2
