"""Three brains a person, and no more: the one idle longest leaves, and no turn is lost by it."""

from __future__ import annotations

import contextlib
import os
import threading

import pytest

from jarvis.brain.limit import MOST, is_surplus, mark_needed
from jarvis.brain.listen import hold, listening
from jarvis.brain.socket_path import Place, place_of
from jarvis.cli.commands.brain import running
from tests.brain.brains import HELLO, ON
from tests.program import Program
from tests.shell import wait_until


@contextlib.contextmanager
def brains(folder, idle):
    """Brains by what others see of them: a lock that is held, and a socket. idle: seconds, by name."""
    with contextlib.ExitStack() as undo:
        for name, seconds in idle.items():
            place = Place(str(folder), name)
            lock = hold(place)
            assert lock is not None
            undo.callback(os.close, lock)
            undo.enter_context(listening(place))
            os.utime(place.socket, ns=(0, 10**18 - seconds * 10**9))
        yield


def leaving(folder, names):
    return {name for name in names if is_surplus(Place(str(folder), name))}


@pytest.mark.parametrize(
    ("idle", "leave"),
    [
        ({}, set()),
        ({"a": 900, "b": 2, "c": 1}, set()),
        ({"a": 1, "b": 900, "c": 2, "d": 0}, {"b"}),
        ({"a": 1, "b": 900, "c": 2, "d": 0, "e": 800}, {"b", "e"}),
        ({"a": 5, "b": 5, "c": 5, "d": 5}, {"a"}),
    ],
    ids=["none", "three", "four", "five", "all as long"],
)
def test_of_more_than_three_those_idle_longest_are_to_leave(tmp_path, idle, leave):
    with brains(tmp_path, idle):
        assert leaving(tmp_path, idle) == leave


def test_one_that_is_needed_now_is_not_the_one_idle_longest(tmp_path):
    with brains(tmp_path, {"a": 900, "b": 800, "c": 2, "d": 1}):
        mark_needed(Place(str(tmp_path), "a"))

        assert leaving(tmp_path, "abcd") == {"b"}


def test_what_was_killed_is_none_of_the_three(tmp_path):
    with brains(tmp_path, {"killed": 900}):
        pass
    assert os.path.exists(Place(str(tmp_path), "killed").socket)

    with brains(tmp_path, {"a": 3, "b": 2, "c": 1}):
        assert leaving(tmp_path, ["killed", "a", "b", "c"]) == set()


class Brains:
    """Brains of one home, as processes; each is another because its key is."""

    def __init__(self, home, undo):
        self.home = home
        self._undo = undo

    def environment(self, name):
        return {**ON, "GOOGLE_API_KEY": f"key-of-{name}"}

    def place(self, name):
        return place_of(self.home.program(**self.environment(name)).env)

    def start(self, name):
        """One that is there before its first client: a client would have to wait for its imports."""
        place = self.place(name)
        program = Program(self.home.home, self.home.program(**self.environment(name)).env)
        program.package = "jarvis.brain"
        self._undo.enter_context(program.start(f"--resident={place.name}"))
        wait_until(lambda: os.path.exists(place.socket))

    def ask(self, name):
        self.home.gemini.plans(HELLO)
        done = self.request(name).finish()
        assert (done.stdout, done.stderr) == ("Hello.\n", "")

    def request(self, name):
        program = self.home.program(**self.environment(name))
        return self._undo.enter_context(program.start("-t", name, "what is all this?"))

    def are(self, *names):
        return {brain.place.name for brain in running(str(self.home.runtime))} == {
            self.place(name).name for name in names
        }


@pytest.fixture
def four(home):
    with contextlib.ExitStack() as undo:
        yield Brains(home, undo)


@pytest.mark.slow
def test_a_fourth_starts_and_the_one_idle_longest_leaves_whichever_came_first(four):
    for name in "abc":
        four.start(name)
    for name in "bca":
        four.ask(name)
    assert four.are(*"abc")

    four.start("d")
    four.ask("d")

    wait_until(lambda: four.are(*"acd"))
    assert not os.path.exists(four.place("b").socket)
    four.start("b")
    four.ask("b")  # its person is served again


@pytest.mark.slow
def test_more_than_three_stay_while_they_are_busy_and_no_turn_is_lost(four):
    release = threading.Event()
    four.home.gemini.plans(*[lambda asked: release.wait(60) and HELLO] * 4)
    asked = []
    try:
        for name in "abcd":
            four.start(name)
            asked.append(four.request(name))
            wait_until(lambda: len(four.home.gemini.requests) == len(asked))
        four.start("idle")

        wait_until(lambda: four.are(*"abcd"))
        assert [os.path.exists(four.place(name).socket) for name in ("idle", *"abcd")] == [False, *[True] * 4]
    finally:
        release.set()
    assert [each.finish().stdout for each in asked] == ["Hello.\n"] * 4
    wait_until(lambda: len(list(running(str(four.home.runtime)))) == MOST)


@pytest.mark.slow
def test_two_that_start_at_once_leave_three(four):
    for name in "abcde":
        four.start(name)
    four.home.gemini.plans(HELLO, HELLO)

    both = [four.request(name) for name in "de"]

    assert [each.finish().stdout for each in both] == ["Hello.\n"] * 2
    wait_until(lambda: four.are(*"cde"))
