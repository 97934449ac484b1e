"""A terminal in this process, on which a screen is shown and keys are pressed."""

from __future__ import annotations

import os
import pty
import termios
import threading
import time
import tty

from jarvis.output.screen import Screen
from tests.running import need_terminals
from tests.shell import wait_until

END = "the end of all that was said"


class Terminal:
    """A pseudo-terminal, and a screen on it. is_raw: it changes nothing of what it is sent."""

    def __init__(self, columns=0, lines=0, encoding="utf-8", term="xterm", *, is_raw=True) -> None:
        """columns: 0: it does not know how wide it is."""
        need_terminals()
        self._ours, theirs = pty.openpty()
        if is_raw:
            tty.setraw(theirs)
        termios.tcsetwinsize(theirs, (lines, columns))
        errors = "surrogateescape" if encoding == "utf-8" else "strict"
        keys = open(os.dup(theirs), encoding="utf-8")  # noqa: SIM115
        self.stream = open(theirs, "w", encoding=encoding, errors=errors)  # noqa: SIM115
        self.screen = Screen({"TERM": term}, keys, self.stream, self.stream)
        self.said = bytearray()
        self._streams = keys, self.stream
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            while piece := os.read(self._ours, 65536):
                self.said += piece
        except OSError:  # its end
            pass

    def press(self, *keys: str) -> None:
        """Press the keys of each prompt once that takes them."""
        for prompt, pressed in zip((b"details", b"instead:"), keys, strict=False):
            while prompt not in self.said:
                time.sleep(0.01)
            os.write(self._ours, pressed.encode())

    def end(self) -> str:
        """All that it was sent, also what stood in its buffer: closed at once, it may drop that."""
        self.stream.write(END)
        self.stream.flush()
        wait_until(lambda: self.said.endswith(END.encode()))
        for stream in self._streams:
            stream.close()
        self._reader.join(20)
        os.close(self._ours)
        return self.said.decode("utf-8", "backslashreplace").removesuffix(END)
