"""The prompt of a chat: reads keys between the turns, and while a turn is under way.

The terminal is in raw mode as long as the chat lasts: what is typed during a turn is not echoed between the
lines of the turn, and is there for the next prompt.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.plain_text import PlainTextOutput

from ...core.errors import Interrupted
from ...output.dialog import WORDS, Dialog
from .answering import pressed
from .completing import Completed, nothing_completes
from .editing import NothingTyped, editor

_ENTER = KeyPress(Keys.Enter, "\r")
_NEW_LINE = KeyPress(Keys.ControlJ, "\n")
# Pressed before the first prompt is shown: looking keys up for the first time takes as long as ten keys.
_NOTHING = KeyPress(Keys.Ignore, "")
# Not kept for the next prompt: they count at once, or come from the terminal itself.
_PASSING = (Keys.ControlC, Keys.ControlD, Keys.CPRResponse, Keys.SIGINT)


class Prompt:
    """Reads lines from the terminal. A context manager, which leaves the terminal as it was before."""

    def __init__(
        self,
        history_file: str | None,
        keys: Sequence[str] = (),
        *,
        plain: bool = False,
        vi: bool = False,
        complete: Callable[[str], Completed] = nothing_completes,
        thread: Callable[[], str] = str,
    ) -> None:
        """history_file: the file that keeps what was typed; None: it is kept for this chat only.

        keys: no line that holds one of them is kept, nor one that holds a key of Google's. plain: send no
        escape sequences. vi: have its keys. complete: completes a line. thread: returns the one that lines
        are typed in now.
        """
        # Not as an argument of PromptSession, or it would not notice that the terminal is dumb.
        with create_app_session(output=PlainTextOutput(sys.stdout) if plain else None):
            self._session = editor(history_file, keys, complete, thread, vi=vi)
        self._input = self._session.app.input
        self._output = self._session.app.output
        self._raw = self._input.raw_mode()
        self._typing: asyncio.Future[str] | None = None
        self._reason: Exception | None = None  # why it is left
        self._kept: list[KeyPress] = []  # typed while a turn was under way
        self._rest: tuple[int, tuple[str, ...]] = (0, ())  # its place, and what of it may finish an answer
        self._is_held = False  # that is not to be sent by itself
        self._on_ctrl_c: Callable[[], object] = lambda: None

    def __enter__(self) -> Prompt:
        self._raw.__enter__()
        store_typeahead(self._input, [_NOTHING, *self._typed()])
        return self

    def __exit__(self, *_: object) -> None:
        self._mark_pastes(wanted=False)
        self._raw.__exit__(None, None, None)

    async def ask(self, label: str) -> str:
        """Return the line typed. Raises EOFError to leave, KeyboardInterrupt for Ctrl-C on an empty line."""
        self._typing = asyncio.ensure_future(self._session.prompt_async(label, handle_sigint=False))
        try:
            return await self._typing
        except asyncio.CancelledError:
            raise (self._reason or EOFError()) from None
        except NothingTyped:
            raise KeyboardInterrupt from None
        except OSError:  # the terminal is gone
            raise EOFError from None

    async def answer(self, dialog: Dialog) -> str:
        """Show *dialog* and return the person's answer.

        What was typed before the question is no answer: it waits for the next prompt. Raises Interrupted
        for Ctrl-C: a KeyboardInterrupt that leaves a task would end the event loop.
        """
        self._keep(self._input.read_keys())
        self._drop_rest()
        place = len(self._kept)
        try:
            while dialog.answer is None:
                await pressed(self._input, dialog, keep=self._keep, suspend=self._suspend)
                if dialog.wants_words:
                    dialog.say(await self._line(WORDS))
        except Interrupted:
            self.hold()
            raise
        finally:
            dialog.leave()
        self._rest = place, dialog.rest
        return dialog.answer

    def _drop_rest(self) -> None:
        """Drop what merely finished an answer: some type “yes” and Enter where one key is enough."""
        (place, rest), self._rest = self._rest, (0, ())
        typed = "".join(key.data for key in self._kept[place:])
        if end := next((end for end in rest if typed.startswith(end)), ""):
            del self._kept[place : place + len(end)]

    async def hidden(self, label: str) -> str:
        """Return what the person types behind *label*, which is not shown. Otherwise as answer()."""
        self._keep(self._input.read_keys())
        return await self._line(label, is_hidden=True)

    async def _line(self, label: str, *, is_hidden: bool = False) -> str:
        """Return the line that they type behind *label*; empty for Ctrl-D. Raises Interrupted for Ctrl-C."""
        typing: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            input=self._input,
            output=self._output,
            enable_suspend=True,
            interrupt_exception=NothingTyped,
        )
        try:
            line = await typing.prompt_async(label, is_password=is_hidden, handle_sigint=False)
            return line.strip()
        except EOFError:
            return ""
        except NothingTyped:
            self.hold()
            raise Interrupted("Interrupted.") from None
        finally:
            self._keep(get_typeahead(self._input))
            self._mark_pastes()  # which ended with that prompt, while the turn goes on

    def hold(self) -> None:
        """Put what was typed ahead into the next prompt, all its lines, without sending any.

        After Ctrl-C nobody expects that the next request begins by itself: those lines may rest on what
        was stopped. They took work to type, so they are not dropped: Enter sends them, Ctrl-C clears them.
        """
        self._is_held = self._is_held or bool(self._kept)

    def leave(self, reason: Exception) -> None:
        """Have ask() raise *reason*, if it is under way."""
        self._reason = reason
        if self._typing:
            self._typing.cancel()

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        if self._session.app.is_running:
            self._session.app.key_processor.send_sigint()

    def send_to_clipboard(self, text: str) -> bool:
        """Have the terminal put *text* on its clipboard; return whether it may do so.

        Source: OSC 52 of xterm's control sequences. Nothing tells whether the terminal heeds it.
        """
        if isinstance(self._output, PlainTextOutput):
            return False
        self._output.write_raw(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")
        self._output.flush()
        return True

    @contextlib.contextmanager
    def handed_over(self) -> Iterator[None]:
        """Have the terminal as a command finds it outside a chat: it echoes lines, and Ctrl-C is a signal.

        What is typed and not read by the command waits for the next prompt.
        """
        self._mark_pastes(wanted=False)
        try:
            with self._input.cooked_mode():
                yield
        finally:
            store_typeahead(self._input, self._typed())

    def _typed(self) -> list[KeyPress]:
        """Return what was typed while the terminal had lines, where Enter comes as a new line."""
        keys = self._input.read_keys()
        return [_ENTER if key.key == Keys.ControlJ else key for key in keys]

    @contextlib.contextmanager
    def listening(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Read keys during a turn: Ctrl-C calls *interrupt*, the rest waits for the next prompt."""
        # What came in while the prompt closed is no answer to a question of this turn. A Ctrl-C among it
        # means the turn, which begins only now.
        loop = asyncio.get_running_loop()
        self._on_ctrl_c = lambda: loop.call_soon(interrupt)
        self._keep(get_typeahead(self._input))
        self._on_ctrl_c = interrupt
        self._mark_pastes()
        try:
            with self._input.attach(lambda: self._keep(self._input.read_keys())):
                yield
        finally:
            self._on_ctrl_c = lambda: None  # too late: what it would stop has ended
            self._keep(self._input.flush_keys())
            self._drop_rest()
            store_typeahead(self._input, _standing(self._kept) if self._is_held else self._kept)
            self._kept, self._is_held = [], False

    def _keep(self, keys: Iterable[KeyPress]) -> None:
        """Store the keys that were typed, in their order, and act on Ctrl-C and Ctrl-Z."""
        for key in keys:
            if key.key == Keys.ControlC:
                self.hold()
                self._on_ctrl_c()
            elif key.key == Keys.ControlZ:
                self._suspend()
            elif key.key not in _PASSING:
                self._kept.append(key)

    def _suspend(self) -> None:
        """Stop the program, as Ctrl-Z does, until the person resumes it."""
        if sys.platform != "win32":  # which has no such thing
            self._mark_pastes(wanted=False)
            with self._input.cooked_mode():
                os.kill(0, signal.SIGTSTP)  # all of the job, whoever started us
            self._mark_pastes()

    def _mark_pastes(self, *, wanted: bool = True) -> None:
        """Have the terminal mark a paste: otherwise each of its lines would be a request."""
        with contextlib.suppress(OSError):  # the terminal is gone
            if wanted:
                self._output.enable_bracketed_paste()
            else:
                self._output.disable_bracketed_paste()
            self._output.flush()


def _standing(keys: list[KeyPress]) -> list[KeyPress]:
    """Return *keys* so that they type the same text without sending it."""
    typed = [_NEW_LINE if key.key == Keys.Enter else key for key in keys]
    while typed and typed[-1] == _NEW_LINE:
        typed.pop()
    return typed
