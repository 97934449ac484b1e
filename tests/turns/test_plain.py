"""The plain way, in one process: what is plain, and what history and the guard make of it."""

import pytest

from jarvis.core.errors import NoHandler, UsageError
from jarvis.core.types import Found
from jarvis.launcher import is_line
from jarvis.launcher.names import known_sites
from jarvis.policy import rules
from jarvis.store.database import run_sync
from jarvis.store.history import Journal
from tests.conftest import BOTH
from tests.house import understood
from tests.steps import keep_found
from tests.wordings import lines_of, pairs, wordings

pytestmark = pytest.mark.quick

NO_WORDS = ("", "open a.example\nopen b.example", "open\x1b[31m a.example", f"open {'a' * 3000}.com")


def done_by(meant):
    """What it does, as the tables have it."""
    return " + ".join(map(one_done_by, meant.each)) if meant else "nothing"


def one_done_by(meant):
    kinds = {"open_app": f"app {meant.target}", "take_screenshot": "picture", "open_file": "file"}
    return kinds.get(meant.action.name, f"line {meant.target}" if is_line(meant.target) else meant.target)


def test_a_verb_and_an_address_a_line_or_a_picture_are_plain():
    told = [(words, done_by(understood(words))) for words, _ in pairs("plain_commands")]

    assert len(told) > 60
    assert told == pairs("plain_commands")


def test_anything_else_is_not():
    fired = [words for words in [*NO_WORDS, *wordings("no_commands")] if understood(words)]

    assert fired == []


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize(
    "words", ["open{}a.example", "open a.example{}please", "open 2{}", "{}take a screenshot"]
)
def test_words_with_a_line_break_in_them_are_never_plain(words, line_break):
    """They may be pasted, and so somebody else's."""
    assert understood(words.format(" ")) is not None
    assert understood(words.format(line_break)) is None


def listed(house, *urls):
    """Show *urls* in a list, as a question would."""

    async def show():
        turn = await house.history.begin("default", "a question")
        kept = await keep_found(house.history, turn, 1, [Found(url) for url in urls])
        await house.history.end(turn, "done", "An answer.", shown=[address.id for address in kept])
        await Journal(house.history.database, turn).confirm((), is_shown=True)

    run_sync(show())


def test_a_line_of_the_list_shown_last_is_opened(house):
    listed(house, "https://old.example/")
    listed(house, "https://a.example/", "https://b.example/")
    house.plain("open x.example")

    ended = house.plain("open 2").ended

    assert house.desktop.opened == ["https://x.example", "https://b.example/"]
    assert (ended.status, ended.exit_status) == ("done", 0)


def test_a_line_that_is_not_there_is_told_before_a_turn_begins(house):
    with pytest.raises(UsageError, match="Nothing was listed"):
        house.plain("open the last one")
    listed(house, "https://a.example/")

    with pytest.raises(UsageError, match="no line"):
        house.plain("open 3")

    assert house.heard == []


def test_a_failure_is_told_with_its_cause(house):
    house.desktop.fails["*"] = NoHandler("No browser is set up.", hint="Install one.")

    ended = house.plain("open a.example").ended

    assert (ended.status, ended.exit_status) == ("failed", 1)
    assert ended.summary["reply"] == "Did not open https://a.example: no browser is set up."
    assert ended.summary["error"] == {
        "code": "no_handler",
        "message": "Did not open https://a.example: no browser is set up.",
        "hint": "Install one.",
    }


def test_the_step_is_written_down_as_started_before_the_desktop_acts(house):
    seen = []
    house.desktop.meanwhile = lambda: seen.extend(house.rows("SELECT state, target FROM steps"))

    house.plain("open a.example")

    assert seen == [("started", "https://a.example")]


def test_a_rule_that_is_made_while_they_are_asked_counts(house):
    """In another window."""
    policy = house.settings.folders.policy
    rules.remember(policy, "ask", "opens", "a.example")

    def answer(_question):
        rules.remember(policy, "deny", "opens", "a.example")
        return "y"

    house.otherwise = answer

    assert house.plain("open a.example").ended.exit_status == 4
    assert house.desktop.opened == []


@BOTH
def test_a_step_of_the_loop_is_written_down_as_started_before_the_desktop_acts(house):
    seen = []
    written = "SELECT state, target, intent FROM steps JOIN turns ON turns.id = steps.turn"
    house.desktop.meanwhile = lambda: seen.extend(house.rows(written))
    house.model_plans({"action": "open_website", "address": "u1", "finish": True})

    house.ask("please open https://a.example/ for me")

    assert seen == [("started", "https://a.example/", '["open u1"]')]
    assert house.desktop.opened == ["https://a.example/"]


def test_ctrl_c_while_the_desktop_is_at_it_leaves_the_step_unknown(house):
    def interrupt():
        raise KeyboardInterrupt

    house.desktop.meanwhile = interrupt

    ended = house.plain("open a.example").ended

    assert (ended.status, ended.exit_status) == ("interrupted", 130)
    assert house.rows("SELECT status FROM turns") == [("interrupted",)]
    assert house.rows("SELECT confirmed FROM steps") == [(1,)]  # it was told at once
    assert house.rows("SELECT state, outcome FROM steps") == [
        ("unknown", "It is not known whether this happened: open website https://a.example.")
    ]
    assert [type(event).__name__ for event in house.heard][-3:] == ["StepFinished", "TurnFailed", "TurnEnded"]


@pytest.fixture
def lived_in(house):
    """A machine with a hundred apps and more."""
    for name in lines_of("installed.txt"):
        house.install(name, command=f"/opt/{name.replace(' ', '-')}")
    return house


@pytest.mark.slow
def test_everyday_orders_are_plain_whatever_their_verb_and_courtesy(lived_in):
    orders = pairs("plain_orders")
    told = [(words, done_by(understood(words, lived_in.names))) for words, _ in orders]

    assert len(orders) > 90
    assert told == orders


def test_every_known_site_opens_by_each_of_its_names(house):
    told = [(name, done_by(understood(f"open {name}", house.names))) for name in known_sites()]

    assert told == [*known_sites().items()]


@pytest.mark.slow
def test_no_line_that_says_more_or_less_than_an_order_is_plain(lived_in):
    lines = wordings("never_plain")
    fired = [
        (line, done) for line in lines if (done := done_by(understood(line, lived_in.names))) != "nothing"
    ]

    assert len(set(lines)) >= 500
    assert fired == []
