"""A terminal that is closed while the person is asked: nothing is done, and the question waits for them."""

from __future__ import annotations

import os
import pty
import select

import pytest

from tests.policy.test_approval import MUNICH, OPEN, SEARCH

pytestmark = pytest.mark.slow

WORDS = "find the ticket shop and open it"


class Window:
    """A terminal's window, in which a program runs."""

    def __init__(self, program, *argv, is_told):
        """is_told: whether the kernel tells the program that the window is closed, as its shell's it would."""
        self._window, terminal = pty.openpty()
        self._said = b""
        handles = (terminal, terminal, terminal)
        self._process = program._start_forked(argv, handles, is_told, str(program.home))
        os.close(terminal)

    def see(self, text):
        while text not in self._said:
            assert select.select([self._window], [], [], 60)[0], self._said
            self._said += os.read(self._window, 65536)

    def type(self, keys):
        os.write(self._window, keys)

    def close(self):
        """Close it; return the exit status of the program."""
        os.close(self._window)
        return self._process.wait(60)


@pytest.mark.parametrize("is_told", [True, False], ids=["hung up", "gone"])
@pytest.mark.parametrize("where", ["plain", "plain in a chat", "by the model", "by a brain", "in a chat"])
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
        window.see(b"asked>")
        window.type(f"{words}\r".encode())
    window.see(b"Enter = no")
    window.see(b"> ")

    status = window.close()

    log = (shell.home / "jarvis" / "state" / "jarvis.log").read_text()
    assert (status in (1, 3, 143, 0), "Traceback" in log or "fault" in log) == (True, False), (status, log)
    (turn,) = shell.turns("asked")
    assert (turn["status"], shell.opened) == ("needs_answer", [])
    ((asked,),) = shell.kept(lambda store: store.database.run("SELECT asked FROM turns WHERE n = 1"))
    done = shell.jarvis("--answer", f"{asked}=y", "-t", "asked")
    assert (done.status, shell.opened) == (0, [opened]), done
    print("STATUS", where, is_told, status)
