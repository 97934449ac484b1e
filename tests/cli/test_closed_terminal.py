"""A terminal that is closed while the person is asked: nothing is done, and the question waits for them."""

import os
import pty
import re
import select
import threading

import pytest

from tests.policy.test_approval import MUNICH, OPEN, SEARCH
from tests.shell import wait_until

pytestmark = pytest.mark.slow

HELLO = {"action": "reply", "text": "Hello.", "finish": True}
WORDS = "find the ticket shop and open it"


class Window:
    """A terminal's window, in which a program runs."""

    def __init__(self, program, *argv, is_told, errors=None):
        """is_told: whether the kernel sends the program a signal once the window is closed.

        errors: the file that is stderr instead.
        """
        self._window, terminal = pty.openpty()
        self._said = b""
        handles = (terminal, terminal, errors.fileno() if errors else terminal)
        self._process = program._start_forked(argv, handles, is_told, str(program.home))
        os.close(terminal)

    def see(self, text):
        while text not in self._said:
            assert select.select([self._window], [], [], 60)[0], self._said
            self._said += os.read(self._window, 65536)

    def type(self, keys):
        os.write(self._window, keys)

    def close(self, then=lambda: None):
        """Close it; return the exit status of the program. then: what else happens before it ends."""
        os.close(self._window)
        then()
        return self._process.wait(60)


def faults(shell):
    """What the log has of bugs."""
    log = (shell.home / "jarvis" / "state" / "jarvis.log").read_text()
    return [line for line in log.splitlines() if "fault" in line or "Traceback" in line]


@pytest.mark.parametrize(
    ("where", "is_told"),
    [
        *(("plain", True), ("plain in a chat", False), ("by the model", False)),
        *(("by a brain", True), ("in a chat", True)),
    ],
)
def test_a_question_that_stands_waits_for_an_answer(shell, where, is_told):
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, OPEN)
    words, opened = WORDS, MUNICH
    if where.startswith("plain"):
        shell.jarvis("policy", "ask", "open", "a.example")
        words, opened = "open a.example", "https://a.example"
    is_chat = where.endswith("chat")
    program = shell.program(JARVIS_BRAIN="on" if where == "by a brain" else "off")
    window = Window(program, *([] if is_chat else [words]), "-t", "asked", is_told=is_told)
    if is_chat:
        window.see("· asked".encode())
        window.type(f"{words}\r".encode())
    window.see(b"? details")

    status = window.close()

    assert status in ((1, 143) if is_chat else (3, 143))  # whichever of the signal and the end came first
    assert "\n".join(faults(shell)) == ""
    (turn,) = shell.turns("asked")
    assert (turn["status"], shell.opened) == ("needs_answer", [])
    show = ("threads", "show", "asked")
    answer = re.search(r"To answer: jarvis --answer (\S+)", shell.jarvis(*show).stdout)
    assert shell.jarvis("--answer", answer[1]).status == 0
    assert shell.opened == [opened]
    assert "To answer" not in shell.jarvis(*show).stdout
    if where == "by a brain":
        shell.jarvis("brain", "stop", environment={"JARVIS_BRAIN": "on"})


@pytest.mark.parametrize("where", ["one-shot", "in a chat"])
def test_a_reply_that_nobody_can_read_any_more_is_kept_and_no_fault(shell, where):
    is_closed = threading.Event()
    shell.gemini.plans(lambda _: HELLO if is_closed.wait(60) else {})
    words = ["what is new?"] if where == "one-shot" else []
    with (shell.home / "errors").open("w+") as errors:
        window = Window(shell.program(), *words, "-q", "-t", "asked", is_told=False, errors=errors)
        if not words:
            window.see("· asked".encode())
            window.type(b"what is new?\r")
        wait_until(lambda: shell.gemini.requests)

        status = window.close(then=is_closed.set)

        errors.seek(0)
        assert (status, errors.read(), faults(shell)) == (1, "", [])
    (turn,) = shell.turns("asked")
    assert (turn["status"], turn["reply"]) == ("done", "Hello.")
