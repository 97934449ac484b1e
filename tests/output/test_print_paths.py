"""Thousands of hostile strings through everything that prints, on a real terminal: none steers it."""

from __future__ import annotations

import random
import re
import unicodedata
from typing import TYPE_CHECKING

import pytest

from jarvis.agent.reception import Usage
from jarvis.cli.commands.threads import _print_turn
from jarvis.cli.commands.usage import _lines as usage_lines
from jarvis.cli.line import _report_error
from jarvis.cli.thread_list import lines_of
from jarvis.core.errors import StoreFailed
from jarvis.core.events import (
    Notice,
    Option,
    Planned,
    Question,
    Replied,
    ReplyDelta,
    Source,
    StepFinished,
    TableShown,
    Tell,
    TurnEnded,
    TurnFailed,
    Unreported,
)
from jarvis.core.tables import STATE, Check, Column, Row, Table
from jarvis.core.types import ActionRequest, Effect, Options, Outcome, Plan, Step
from jarvis.output.dialog import choice_lines, detail_lines, key_lines
from jarvis.output.questions import show_question
from jarvis.output.records import object_teller, record_teller
from jarvis.output.screen import Screen, show_failure
from jarvis.output.tellers import AnswerTeller, Progress
from jarvis.store.addresses import kept_tables
from jarvis.store.log import Log
from jarvis.store.threads import Thread
from jarvis.store.turns import PastTurn
from tests.output.terminals import Terminal
from tests.person import Person

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 3_000
PIECES = (
    *("\x1b[31m", "\x1b[5;41m", "\x1b[2J", "\x1b[5n", "\x1b[?1049h", "\x9b31m", "\x9b2J", "\x1b[", "\x1b"),
    *("\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\"),
    *("\x1b]0;never ended", "\x1bP1;2|ab\x1b\\", "\x90q\x9c", "\x1b_x\x1b\\", "\x1b^x\x07", "\x1bX", "\x1bc"),
    *("\x1b(0", "\x9b", "\x9c", "\x9d0;t\x9c", "\r", "\r\r\n", "\b\b\b", "\x07", "\x7f", "\x00", "\x05"),
    *("\x0b", "\x0c", "\x0e", "\x85", "\t", "\x1a", "\u202e", "\u2066", "\u200f", "\u061c", "\u2028"),
    *("\u2029", "\ufeff", "\U000e0041", "\ue000", "\ud800", "\u200b", "[red]x[/red]", "**b**", "`c`", "{0}"),
    *("[link=file:///etc]x[/link]", "[x](https://evil.example)", "%s", "é", "日本", "🎉", " ", "a\u0301"),
)
# What we send ourselves: styles, and how the passing line, and a picture of a reply, goes and comes.
OURS = re.compile(
    r"\x1b\[(?:0|[1349](?:;[1349])*(?:;38;5;\d+)?|38;5;(?:29|98|131|243))m|\r\x1b\[2?K|\x1b\[1A\x1b\[2K|\x1b\[\?7[lh]"
)
NOTHING = Usage(1, 1, 1, 1, 1.0, 1, 1)._asdict()


def hostile(count: int) -> list[str]:
    """Each begins with a mark that has to arrive."""
    chance = random.Random(9)
    return [f"m{n:05}" + "".join(chance.choices(PIECES, k=chance.randint(1, 4))) for n in range(count)]


def steering(said: str) -> set[str]:
    """What of *said* is neither text nor ours."""
    return {c for c in OURS.sub("", said) if c not in "\n\t" and unicodedata.category(c)[0] == "C"}


def failed(text: str) -> Outcome:
    return Outcome("failed", text, text, "x", text)


def question(text: str) -> Question:
    return Question("q1", "approval", text, (Option("y", text, whole=text), Option("n", "no")), text)


def choice(text: str) -> Question:
    return Question("q1", "choice", text, (Option("1", text, text), Option("n", text)), text)


def summary(text: str) -> dict[str, object]:
    return {"thread": text, "steps": [], "usage": NOTHING, "reply": text}


def past(text: str, *tables: TableShown) -> PastTurn:
    steps = [Step(1, Plan("search", {}), Outcome("done", text, text))]
    kept = kept_tables(tables) if tables else None
    return PastTurn(goal=text, material=text, reply=text, status="done", steps=steps, tables=kept)


def table(text: str) -> Table:
    """All that strangers or the model may have written of it."""
    columns = (Column("title", text), Column("state", text, STATE))
    rows = (Row("o1", {"title": text, "state": text}, f"https://a.example/{text}"),)
    checks = tuple(Check(text, met, text) for met in (True, False, None))
    return Table(text, columns, rows, left_out={text: 2}, note=text, foot=rows, checks=checks)


def used(text: str) -> dict[str, object]:
    left = {"used": 1, "limit": 2, "left": 1}
    today = {"day": text, "model_calls": left, "searches": left}
    return {"days": [{"day": "d", "thread": text, **NOTHING}], "total": NOTHING, "today": today}


EVENTS: dict[str, Callable[[str], object]] = {
    "unsure": lambda s: Unreported(s, "t", 1, "open_app", s, "unknown", s),
    "planned": lambda s: Planned(1, Plan("open_app", {"app": s}, text=s), "launches", s),
    "acting": lambda s: ActionRequest(1, "open_app", Effect("launches", s)),
    "failed step": lambda s: StepFinished(1, "open_app", "launches", failed(s)),
    "done step": lambda s: StepFinished(1, "open_app", "launches", Outcome("done", s, s)),
    "search": lambda s: StepFinished(1, "search", "searches", Outcome("done", s, s), True),
    "delta": lambda s: ReplyDelta(f"{s}\n"),
    "reply": lambda s: Replied(s, (Source("r1", s, "https://a.example/"),), s),
    "table": lambda s: TableShown(table(s)),
    "unlisted table": lambda s: TableShown(table(s), first=0),
    "failure": lambda s: TurnFailed("x", s, s),
    "notice": lambda s: Notice(s),
    "end": lambda s: TurnEnded("done", 0, summary(s)),
}


def on_a_pipe(screen: Screen) -> AnswerTeller:
    """Tell what stdout gets that is no terminal, on one all the same."""
    screen.out_tty = False
    return AnswerTeller(screen)


TELLERS: dict[str, Callable[[Screen], Tell]] = {
    "on a pipe": lambda screen: on_a_pipe(screen).tell,
    "as csv": lambda screen: AnswerTeller(screen, as_csv=True).tell,
    "on a terminal": lambda screen: AnswerTeller(screen).tell,
    "progress": lambda screen: Progress(screen, is_verbose=True).tell,
    "json": object_teller,
    "ndjson": record_teller,
}
# Not told by these, or told in a way that cuts.
SILENT = {
    *(("on a pipe", event) for event in ("planned", "search", "delta", "notice", "end")),
    *(("as csv", event) for event in ("planned", "search", "delta", "notice", "end")),
    *(("on a terminal", event) for event in ("planned", "search", "notice", "end")),
    *(("progress", event) for event in ("unsure", "acting", "failed step", "done step")),
    *(("progress", event) for event in ("delta", "reply", "failure", "table", "unlisted table")),
    *(("json", event) for event in EVENTS if event not in ("unsure", "reply", "end")),
    ("ndjson", "notice"),
}  # fmt: skip
DIRECT: dict[str, Callable[[Screen, str], object]] = {
    "out": lambda screen, s: screen.out(s),
    "err": lambda screen, s: screen.err(s),
    "ask": lambda screen, s: screen.ask(s),
    "passing": lambda screen, s: screen.passing(s),
    "question": lambda screen, s: show_question(screen, question(s)),
    "choice": lambda screen, s: screen.ask("\n".join(choice_lines(choice(s), 80))),
    "keys": lambda screen, s: screen.ask("\n".join(key_lines(screen, question(s)))),
    "details": lambda screen, s: screen.ask("\n".join(detail_lines(screen, question(s)))),
    "failure": lambda screen, s: show_failure(screen, s, s),
    "error": lambda screen, s: _report_error(StoreFailed(s, hint=s), Options(), screen),
    "error as json": lambda screen, s: _report_error(StoreFailed(s), Options(json=True), screen),
    "/threads": lambda screen, s: screen.out(*lines_of([Thread(s, 1, 0, 0, s, s)], 80, now=s)),
    "threads show": lambda screen, s: _print_turn(screen, past(s)),
    "threads show of a table": lambda screen, s: _print_turn(screen, past("", TableShown(table(s), 1))),
    "usage": lambda screen, s: screen.out("\n".join(usage_lines(used(s), {s: s}, 200))),
    "log with -vv": lambda screen, s: Log("/dev/null", chosen=True, watch=screen.aside).show(s, s),
}


def one_by_one(screen: Screen, teller: str, event: str, strings: list[str]) -> None:
    tell = TELLERS[teller](screen)
    for text in strings:
        tell(EVENTS[event](text))


def shares(teller: str) -> dict[str, list[str]]:
    """Half of the strings, shared out among the events that *teller* tells of; the others get some too."""
    told = [event for event in EVENTS if (teller, event) not in SILENT]
    strings = hostile(COUNT // 2)
    shared = {event: strings[n :: len(told)] for n, event in enumerate(told)}
    return dict.fromkeys(EVENTS, strings[: COUNT // 50]) | shared


@pytest.mark.slow
@pytest.mark.parametrize("teller", TELLERS)
def test_no_event_steers_the_terminal_whoever_tells_of_it(teller, long):
    for event, strings in (dict.fromkeys(EVENTS, hostile(COUNT)) if long else shares(teller)).items():
        terminal = Terminal()
        one_by_one(terminal.screen, teller, event, strings)
        terminal.screen.reply("")
        said = terminal.end()
        assert not steering(said), event
        marks = set(re.findall(r"m\d{5}", said))
        assert len(marks) == (0 if (teller, event) in SILENT else len(strings)), event


@pytest.mark.parametrize("path", DIRECT)
@pytest.mark.slow
def test_no_other_words_steer_the_terminal(path, long):
    # All that is printed goes through these.
    count = COUNT if long or path in ("out", "err", "ask", "passing") else COUNT // 5
    strings = hostile(count)
    terminal = Terminal()
    for text in strings:
        DIRECT[path](terminal.screen, text)
    said = terminal.end()

    # Through these colors and links pass, since ours do: whoever prints foreign words has cleaned them.
    ours = r"\x1b\[[0-9;]*m|\x1b\]8;;(?:https://evil\.example)?\x1b\\"
    assert steering(re.sub(ours, "", said) if path in ("out", "err", "ask") else said) == set()
    assert len(set(re.findall(r"m\d{5}", said))) == count


def test_the_strings_would_steer_a_terminal_that_is_sent_them_as_they_are():
    terminal = Terminal()
    for text in hostile(1000):
        terminal.stream.write(text.replace("\ud800", ""))

    assert {"\x1b", "\x9b", "\r", "\x07", "\u202e"} <= steering(terminal.end())


def evil_world(shell) -> list[str]:
    """A search that finds hostile titles, and a reply of hostile lines."""
    lines = [line.replace("\ud800", "") for line in hostile(2500)]  # in no JSON that is accepted
    found = [
        {"title": lines[n], "link": f"https://a{n}.example/", "snippet": lines[n + 10]} for n in range(10)
    ]
    shell.serpapi.finds({"organic_results": found})
    reply = {"action": "reply", "text": "\n".join(lines) + "[r1][r2]"}
    shell.gemini.plans(
        {"action": "search", "query": lines[0], "text": lines[1]},
        {"action": "open_app", "app": lines[2]},
        reply,
    )
    return lines


def test_the_program_steers_no_terminal_nor_does_what_history_has_of_it(shell):
    lines = evil_world(shell)

    said = [shell.jarvis("-vv", "-t", "default", "find x and start it", tty=True)]
    said += [shell.jarvis("threads", *argv, tty=True) for argv in (("show", "default"), ("search", "m00001"))]
    shown = [each.screen.decode().replace("\r\n", "\n") for each in said]

    assert [steering(each) for each in shown] == [set()] * len(shown)
    assert [len(set(re.findall(r"m\d{5}", each))) for each in shown[:2]] == [len(lines)] * 2
    assert "m00001" in shown[2]


@pytest.mark.parametrize(
    "argv",
    [
        ("--log-file", "/no\x1b]0;t\x07/m00000\u202e", "-v", "open", "a.example"),
        ("threads", "show", "m00000\x1b[31m"),
        ("--m00000\x1b[2J", "hello"),
    ],
    ids=str,
)
def test_what_is_named_on_the_command_line_steers_no_terminal(shell, argv):
    said = shell.jarvis(*argv, tty=True).screen.decode().replace("\r\n", "\n")

    assert steering(said) == set()
    assert "m00000" in said


def test_a_chat_never_sets_the_title_nor_prints_what_steers(shell):
    evil_world(shell)
    with Person(shell.program(), size=(120, 40)) as person:
        person.ask("find x and start it")
        person.see("m02499")
        person.at_prompt()
        person.ask("/threads")
        person.at_prompt()
        person.leave()

    said = person.said.decode()
    assert "m00001" in said
    # The prompt itself moves about and shows colors, so only what it never sends can be told from it.
    for never in "\x1b] \x1bP \x1b[31m \x1b[2J \x9b \x9d \x07 \u202e \u2066 \x1b[?1049".split():
        assert never not in said
