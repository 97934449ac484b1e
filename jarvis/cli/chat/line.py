"""The line that is typed in a chat: keys, completion, history; and the terminal while something is done.

What is typed then is not shown: it waits in the terminal itself for the next prompt.
"""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, emacs_mode, has_focus, is_searching
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.plain_text import PlainTextOutput
from prompt_toolkit.styles import Style

from ...core.errors import Interrupted, StoreFailed, UsageError
from ...core.text import refuse_keys
from ...output.dialog import output_of, run_until_signal, typed_ahead, without_rests
from ...output.screen import Screen
from ...store.threads import PromptHistory
from .completing import Completed

if sys.platform != "win32":
    import termios

_MENU = 6  # lines below the prompt, for what it completes
_STYLE = Style.from_dict({"prompt": "bold ansicyan", "": "ansicyan"})
# Not kept for the next prompt: they count at once, or not at all.
_PASSING = (Keys.ControlC, Keys.ControlD, Keys.ControlZ, Keys.SIGINT)


class Prompt:
    """Reads lines from the terminal. A context manager, which leaves the terminal as it was before."""

    def __init__(
        self, screen: Screen, history: History, complete: Callable[[str], Completed], *, vi: bool
    ) -> None:
        """history: of what was typed. complete: completes a line. vi: have its keys."""
        self._screen = screen
        # Not as an argument of PromptSession, or it would not notice that the terminal is dumb.
        with create_app_session(output=PlainTextOutput(sys.stdout) if screen.is_dumb else output_of(screen)):
            self._session = _session(history, complete, vi=vi)
        self._input = self._session.app.input
        self._before: list[KeyPress] = []  # typed before Ctrl-C: it waits in the prompt, unsent
        self._quiet = _Quiet(screen, self._keep)

    def __enter__(self) -> Prompt:
        typed = typed_ahead(self._input)  # while the terminal had lines, where Enter comes as a new line
        enter = KeyPress(Keys.Enter, "\r")
        store_typeahead(self._input, [enter if key.key == Keys.ControlJ else key for key in typed])
        self._quiet.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._quiet.end()

    def ask(self, label: str) -> str:
        """Return the line typed. Raises EOFError to leave, NothingTyped for Ctrl-C on an empty line.

        Raises Interrupted where Ctrl-C comes on the heels of Enter: it is meant for what that line begins.
        """
        typed, rest = without_rests(typed_ahead(self._input))
        kept = [key for key in typed if key.key not in _PASSING]
        store_typeahead(self._input, [*self._before, *kept])
        self._before = []
        try:
            line = run_until_signal(self._session.prompt_async([("class:prompt", label)]))
        except OSError:  # the terminal is gone
            raise EOFError from None
        finally:
            self._screen.mark_pastes(wanted=True)
        after = typed_ahead(self._input)
        stop = next((n for n, key in enumerate(after) if key.key == Keys.ControlC), -1)
        store_typeahead(self._input, after[stop + 1 :])
        if stop >= 0:
            self._before = _standing(after[:stop])
            raise Interrupted("Interrupted.")
        begun = line.removesuffix(rest)
        if rest and begun != line and "".join(key.data for key in kept).startswith(begun):
            self._before = [KeyPress(each, each) for each in begun]  # they finished a “yes”, slowly
            return ""
        return line

    def hold(self) -> None:
        """Put what was typed ahead into the next prompt, all its lines, without sending any.

        After Ctrl-C nobody expects that the next request begins by itself: those lines may rest on what
        was stopped. They took work to type, so they are not dropped: Enter sends them, Ctrl-C clears them.
        """
        typed, _ = without_rests(typed_ahead(self._input))
        self._before = _standing([key for key in typed if key.key not in _PASSING])

    def send_to_clipboard(self, text: str) -> bool:
        """Have the terminal put *text* on its clipboard; return whether it may do so.

        Source: OSC 52 of xterm's control sequences. Nothing tells whether the terminal heeds it.
        """
        output = self._session.app.output
        if isinstance(output, PlainTextOutput):
            return False
        output.write_raw(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")
        output.flush()
        return True

    def _keep(self) -> None:
        """Take what was typed from the terminal, which the shell is to have for a while."""
        store_typeahead(self._input, typed_ahead(self._input))


def _standing(keys: list[KeyPress]) -> list[KeyPress]:
    """Return *keys* so that they type the same text without sending it."""
    new_line = KeyPress(Keys.ControlJ, "\n")
    typed = [new_line if key.key == Keys.Enter else key for key in keys]
    while typed and typed[-1] == new_line:
        typed.pop()
    return typed


class _Quiet:
    """The terminal while a chat has it: it shows nothing that is typed; Ctrl-C and Ctrl-Z are signals."""

    def __init__(self, screen: Screen, keep: Callable[[], None]) -> None:
        """keep: takes what was typed, before the shell has the terminal for a while."""
        self._screen = screen
        self._keep = keep

    if sys.platform == "win32":  # whose console shows nothing by itself

        def begin(self) -> None:
            pass

        def end(self) -> None:
            pass

    else:

        def begin(self) -> None:
            terminal = self._screen.stdin.fileno()
            self._mode = termios.tcgetattr(terminal)
            mode = termios.tcgetattr(terminal)
            mode[0] &= ~termios.ICRNL  # Enter stays what it is: Ctrl-J begins a line of a request
            # Else it would drop at Ctrl-C what was typed before.
            mode[3] = mode[3] & ~(termios.ECHO | termios.ICANON) | termios.NOFLSH
            termios.tcsetattr(terminal, termios.TCSANOW, mode)
            self._screen.mark_pastes(wanted=True)
            signal.signal(signal.SIGTSTP, self._stop)

        def end(self) -> None:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            self._screen.mark_pastes(wanted=False)
            with contextlib.suppress(termios.error):  # it is gone
                termios.tcsetattr(self._screen.stdin.fileno(), termios.TCSADRAIN, self._mode)

        def _stop(self, *_: object) -> None:
            """Stop the program, as Ctrl-Z does, until the person resumes it."""
            self._keep()
            self.end()
            os.kill(os.getpid(), signal.SIGTSTP)
            self.begin()


class NothingTyped(Exception):
    """Ctrl-C on an empty line. A KeyboardInterrupt would end the event loop."""


class LineCompleter(Completer):
    """Completes the word before the cursor."""

    def __init__(self, complete: Callable[[str], Completed]) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        found = self._complete(document.text_before_cursor)
        for each in found.candidates:
            if each.word != found.begun:
                yield Completion(each.word, -len(found.begun), display_meta=each.about)


def _session(history: History, complete: Callable[[str], Completed], *, vi: bool) -> PromptSession[str]:
    """Return what lets the person edit a line."""
    session: PromptSession[str] = PromptSession(
        history=history,
        auto_suggest=AutoSuggestFromHistory(),
        completer=LineCompleter(complete),
        complete_while_typing=Condition(lambda: session.default_buffer.text.startswith("/")),
        reserve_space_for_menu=_MENU,
        key_bindings=_key_bindings(),
        multiline=True,
        prompt_continuation=_mark_of_line,
        enable_open_in_editor=True,
        tempfile_suffix=".md",
        vi_mode=vi,
        cursor=ModalCursorShapeConfig() if vi else None,
        enable_suspend=True,
        interrupt_exception=NothingTyped,
        style=_STYLE,
    )
    return session


class _Kept(FileHistory):
    """What was typed, with its thread, but for lines that hold a key."""

    def __init__(self, path: str, keys: Sequence[str], thread: Callable[[], str]) -> None:
        super().__init__(path)
        self._keys = keys
        self._thread = thread
        self._lines = PromptHistory(path)

    def append_string(self, string: str) -> None:
        with contextlib.suppress(UsageError):  # which tells that it was not kept
            refuse_keys(string, self._keys)
            super().append_string(string)

    def store_string(self, string: str) -> None:
        with contextlib.suppress(OSError, StoreFailed):  # a full disk is no reason not to answer
            self._lines.keep(self._thread(), string)


def history_in(path: str | None, keys: Sequence[str], thread: Callable[[], str]) -> History:
    """Return the history of what was typed, which the file at *path* keeps; None: this chat alone.

    keys: no line that holds one of them is kept. thread: returns the one that lines are typed in now.
    """
    return _Kept(path, keys, thread) if path else InMemoryHistory()


def _mark_of_line(width: int, line: int, wraps: int) -> str:
    """Return what stands before a further line of what is typed; nothing before the rest of a long one.

    width: of what stands before the first line.
    """
    return " " * width if wraps else ". ".rjust(width)


def _key_bindings() -> KeyBindings:
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER) & ~is_searching

    @keys.add("enter", filter=typing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.char_before_cursor == "\\" and buffer.document.is_cursor_at_the_end:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("tab", filter=typing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        shown = buffer.complete_state
        if not shown:
            buffer.start_completion(insert_common_part=True)
        elif len(shown.completions) == 1:  # a further Tab would take it away again
            buffer.apply_completion(shown.completions[0])
        else:
            buffer.complete_next()

    # In vi's keys an Escape would have to wait for what follows.
    @keys.add("escape", "enter", filter=typing & emacs_mode)
    @keys.add("c-j", filter=typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c", filter=~is_searching)
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=NothingTyped())

    return keys
