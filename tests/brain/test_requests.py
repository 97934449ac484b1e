"""What a request gets from the brain that stays: the same answers, records and places as without one."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

from jarvis.core.text import LONGEST_PIPED
from tests.brain.brains import FIRST, HELLO, MIT, MUNICH, SEARCH
from tests.shell import wait_until
from tests.test_architecture import slow_imports
from tests.twins.gemini import Slow


def test_what_is_found_is_opened_in_the_persons_own_session(warm):
    """By a client that imports nothing heavy."""
    warm.gemini.plans(SEARCH, FIRST, SEARCH, FIRST)
    warm.search_finds(MIT)
    warm.search_finds(MIT)

    done = warm.jarvis("-t", "found", "find the MIT website and open it")
    slow = slow_imports(["find the MIT website and open it"], warm.program().env)

    assert (done.status, done.stdout) == (0, f"{MIT}\n")
    assert warm.opened == [MIT] * 2
    assert slow == set()


def test_material_may_be_as_long_in_emoji_as_in_letters(warm):
    text = "\N{GRINNING FACE}" * LONGEST_PIPED
    warm.gemini.plans(HELLO)

    done = warm.jarvis("-t", "emoji", "sum this up:", "-", stdin=text.encode(), timeout=60)

    assert (done.stdout, done.stderr) == ("Hello.\n", "")
    assert text in warm.gemini.requests[-1].prompt


def test_a_question_and_a_reply_in_one_terminal_hold_up_no_other(warm):
    """One brain serves all three: neither the lock of a thread nor its loop is held by what stands."""
    streaming = Slow({**HELLO, "text": "The first words, and " + "more of them, " * 99}, 3, 60)
    warm.search_finds(MUNICH)
    warm.gemini.plans(streaming, SEARCH, FIRST, HELLO)

    with contextlib.ExitStack() as undo:
        written = undo.enter_context(warm.program().start("what is one?", tty=True))
        written.wait_for("The first words")
        asked = undo.enter_context(warm.program().start("find the ticket shop and open it", tty=True))
        asked.wait_for("Open this site?")
        plain = warm.jarvis("open", "example.org", tty=True)
        served = warm.jarvis("what is two?", tty=True)

        assert (plain.status, served.status) == (0, 0)
        assert b"Hello." in served.screen
        assert b"waiting" not in served.screen
        assert not any(each._outputs["screen"].ended() for each in (written, asked))
    assert warm.opened == ["https://example.org"]


def test_who_waits_for_their_thread_is_told_so_and_ctrl_c_leaves(warm):
    streaming = Slow({**HELLO, "text": "The first words, and " + "more of them, " * 99}, 3, 60)
    warm.gemini.plans(streaming)

    with contextlib.ExitStack() as undo:
        first = undo.enter_context(warm.program().start("-t", "busy", "what is one?", tty=True))
        first.wait_for("The first words")
        second = undo.enter_context(warm.program().start("-t", "busy", "what is two?", tty=True))
        second.wait_for("Another terminal is using the conversation")
        third = undo.enter_context(warm.program().start("-t", "busy", "what is three?", tty=True))
        third.wait_for("Another terminal is using the conversation")
        second.write(b"\x03")
        done = second.finish()

        assert done.status == 130
        assert b"Interrupted." in done.screen
        assert not any(each._outputs["screen"].ended() for each in (first, third))
        for each in (third, first):  # last come, first gone: nothing is asked for it
            each.write(b"\x03")
            assert each.finish().status == 130
    assert [turn["goal"] for turn in warm.turns("busy")] == ["what is one?"]


def test_a_turn_of_another_thread_goes_on_beside_one_whose_text_is_slow_to_read(warm):
    """Its twin is slow, so that both are under way at once; they are told apart by their words."""
    piped, reply = "x\n" + "www." * 20_000, ")" * 100_000

    def plan(asked):
        is_long = "sum this up" in asked.prompt
        return Slow({"action": "reply", "text": reply, "finish": True}, 20, 0.05) if is_long else HELLO

    before = len(warm.gemini.requests)
    warm.gemini.plans(plan, plan)
    with ThreadPoolExecutor() as both:
        long = both.submit(
            lambda: warm.jarvis("-t", "slow", "sum this up:", "-", stdin=piped.encode(), timeout=60)
        )
        wait_until(lambda: len(warm.gemini.requests) > before)
        short = warm.jarvis("-t", "beside", "hello there", timeout=60)
        is_beside = not long.done()
        whole = long.result()

    assert (short.status, short.stdout) == (0, "Hello.\n")
    assert is_beside
    assert (whole.status, whole.stdout) == (0, f"{reply}\n")
    (turn,) = warm.turns("slow")
    assert (turn["status"], turn["reply"]) == ("done", reply)
