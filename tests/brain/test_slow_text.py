"""Text that was made to be slow to read keeps nobody else waiting, and nobody's brain is killed for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.brain.brains import HELLO, turns
from tests.shell import wait_until
from tests.twins.gemini import Slow

LONG = 100_000  # characters


def test_a_turn_of_another_thread_goes_on_beside_it(warm):
    """Its twin is slow, so that both are under way at once; they are told apart by their words."""
    piped, reply = "x\n" + "www." * 20_000, ")" * LONG

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
    (turn,) = turns(warm, "slow")
    assert (turn["status"], turn["reply"]) == ("done", reply)
