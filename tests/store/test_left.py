"""What crashes left open is closed by whoever reads it, and told until somebody has heard it."""

import contextlib
import json
import os
import pty
import signal
from types import SimpleNamespace

import pytest

from jarvis.brain.protocol import Act, Cancel
from jarvis.cli.invocation import tell_unreported
from jarvis.cli.plain import run_plain
from jarvis.core.concurrency import run_async
from jarvis.core.events import Unreported, Words
from jarvis.core.types import Options, Outcome, Performed, Plan, Step
from jarvis.launcher.names import Names
from jarvis.output.screen import Screen
from jarvis.store.history import go_on
from jarvis.store.turns import find_turn
from jarvis.turns import build, plain
from tests.brain.brains import ASK, Near
from tests.conftest import BOTH
from tests.house import understood
from tests.running import need_terminals
from tests.shell import wait_until
from tests.steps import start_step

URL = "https://a.example"
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


def leave_open(house, action="open_website", target=URL):
    """A turn as a crash leaves it: its step had started."""

    async def work(store):
        turn = await store.history.begin("default", "open a page", [URL])
        await start_step(store.history, turn, 1, action, {}, target)
        return turn

    return house.kept(work)


def told(house, words="hello"):
    house.model_plans(HELLO)
    return steps_in(house.ask(words))


def steps_in(asked):
    """What the steps acted on that it reports of earlier requests."""
    return [event.target for event in asked.of(Unreported) if event.n]


def visited(house):
    """The turns of the thread, once somebody was shown it who could not see it."""
    screen = SimpleNamespace(err=lambda text: None, has_lost_words=True)
    house.kept(lambda store: tell_unreported(store, "default", screen))
    return house.turns()


def states(house):
    return [(turn["status"], *(step["state"] for step in turn["steps"])) for turn in visited(house)]


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_file_of_a_picture_proves_it(house, is_whole):
    picture = house.home / "Screenshot.png"
    if is_whole:
        picture.write_bytes(b"a picture")
    leave_open(house, "take_screenshot", str(picture))

    (step,) = visited(house)[0]["steps"]

    assert step["state"] == ("done" if is_whole else "unknown")
    assert str(picture) in step["outcome"]
    assert (told(house), told(house)) == ([str(picture)], [])


@BOTH
def test_what_is_not_known_is_told_by_each_turn_until_one_could_show_it(house, broken):
    leave_open(house)
    house.model_plans(HELLO, HELLO)

    unheard = [steps_in(house.ask("hello", screen=broken)) for _ in range(2)]

    assert broken.has_lost_words
    assert unheard == [[URL], [URL]]
    assert (told(house), told(house)) == ([URL], [])
    assert states(house)[0] == ("interrupted", "unknown")
    assert all(f"It is not known whether this happened: open website {URL}" in text for text in house.prompts)
    assert house.desktop.opened == []


@pytest.fixture
def broken():
    """A screen on a terminal that was closed."""
    need_terminals()
    ours, theirs = pty.openpty()
    os.close(ours)
    with contextlib.suppress(OSError), open(theirs, "w") as stream:
        yield Screen({}, stdout=stream, stderr=stream)


@pytest.mark.parametrize("client", ["dies", "stops its turn"])
def test_a_step_that_is_stopped_in_the_middle_is_told_unless_its_own_turn_could(house, client):
    """The brain lives on, so it is no crash; and its client may be gone."""
    house.model_plans({"action": "open_website", "address": "u1", "finish": True})

    async def turn():
        async with build.session(house.settings) as session:

            def hear(message):
                if isinstance(message, Act):
                    near.hang_up() if client == "dies" else near.say(Cancel("interrupted"))

            near = Near(session, hear)
            await near.serve(ASK._replace(words=Words(f"have a look at {URL} for me")))

    run_async(turn())

    assert states(house) == [("interrupted", "unknown")]
    assert told(house) == ([] if client == "stops its turn" else [URL])


def test_a_plain_command_tells_it_too_and_so_does_the_next_where_it_could_not(house, broken, capsys):
    leave_open(house)
    for screen in (broken, Screen({}), Screen({})):
        meant = understood("open b.example", Names({"PATH": ""}, "", ""))
        history = plain.plain_history(house.settings)
        run_plain(meant, Options(), "open b.example", screen, house.settings, history)

    said = capsys.readouterr().err
    assert said.count(f"It is not known whether this happened: open website {URL}") == 1
    assert len(house.turns()) == 4


@BOTH
def test_a_turn_that_was_closed_meanwhile_can_be_gone_on_with(house):
    """By the desktop' own word, what was unknown is known. A turn that ended by itself stays so."""
    turn = leave_open(house)
    assert states(house) == [("interrupted", "unknown")]

    async def gone_on(store):
        left, done = await find_turn(store.database, turn.id), Outcome("done", "Opened.", URL)
        step = Step(1, Plan("open_website", {}), done)
        await go_on(store.database, left, [step], [Performed(1, "open_website", URL, done)])
        is_open = (await find_turn(store.database, turn.id)).status
        await store.history.end(turn, "done", "Done.", usage={"model_calls": 1})
        return left.status, is_open, (await find_turn(store.database, turn.id)).status

    assert house.kept(gone_on) == ("interrupted", "open", "done")
    assert states(house) == [("done", "done")]
    assert (told(house), told(house)) == ([URL], [])


@pytest.mark.slow
def test_after_a_kill_whoever_shows_it_closes_it_and_tells_once(shell):
    (shell.home / "opener").write_text('#!/bin/sh\necho "$1" >> "$HOME/opened"\nsleep 3\n')
    with shell.program().start("open", "a.example") as running:
        wait_until(lambda: shell.opened)
        running.send(signal.SIGKILL)
        assert running.finish().status == -signal.SIGKILL

    first = shell.jarvis("threads", "show")
    record = json.loads(shell.jarvis("threads", "export").stdout)
    second = shell.jarvis("why")

    assert [turn["status"] for turn in record["turns"]] == ["interrupted"]
    assert [len(record[table]) for table in ("turns", "steps")] == [1, 1]
    assert f"It is not known whether this happened: open website {URL}" in first.stderr
    assert (second.stderr, second.status) == ("", 0)
