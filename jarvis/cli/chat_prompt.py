"""The prompt of a chat: keys, completion, history, hints. Also the terminal while a request runs.

The terminal doesn't show what is typed meanwhile: it keeps that for the next prompt.
"""

import base64
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Always, Condition, emacs_mode, has_focus, is_done, is_searching
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import ConditionalContainer, FormattedTextControl, HSplit, Window
from prompt_toolkit.styles import Style

from ..config.settings import Settings
from ..core.concurrency import run_until_signal
from ..core.errors import ActionFailed, Interrupted, StoreFailed, UsageError
from ..core.files import private_file
from ..core.text import refuse_keys, truncate
from ..desktop.running import edit
from ..output.dialog import output_of, typed_ahead, without_rests
from ..output.screen import Screen
from ..store.threads import keep_prompt
from .completion import Found

if sys.platform != "win32":
    import termios

Completed = tuple[str, Iterable[Found]]  # the last word of a line, and all that it can become
_PLACEHOLDER = "Ask or type a command, / for a menu"
_STYLE = Style.from_dict(
    {
        "": "bold",  # what the user types
        **dict.fromkeys(("auto-suggestion", "placeholder", "status"), "nobold #767676"),  # FAINT
        "completion-menu.completion.current": "noreverse bg:#ffffff #000000",
        "completion-menu.meta.completion.current": "bg:#ffffff #000000",
    }
)
# Not kept for the next prompt: they work at once or not at all.
_PASSING = (Keys.ControlC, Keys.ControlD, Keys.ControlZ, Keys.SIGINT)
_ENTER, _NEW_LINE = KeyPress(Keys.Enter, "\r"), KeyPress(Keys.ControlJ, "\n")


class Prompt(Completer):
    """Reads lines from the terminal, and completes them."""

    def __init__(self, screen: Screen, settings: Settings, complete: Callable[[str], Completed]) -> None:
        self._screen, self._complete, self._status = screen, complete, ""
        self._kept = _KeptLines(settings)
        # Not as an argument of PromptSession, or it wouldn't notice that the terminal is dumb.
        with create_app_session(output=output_of(screen)):
            self._session = self._create_session(settings)
        # Its own way would start whatever PATH leads to, and pass on our keys.
        self._session.default_buffer._open_file_in_editor = self._edit  # type: ignore[method-assign]  # noqa: SLF001
        self._input = self._session.app.input
        # Until now the terminal was in line mode, where Enter is a new line.
        typed = typed_ahead(self._input)
        store_typeahead(self._input, [_ENTER if key.key == _NEW_LINE.key else key for key in typed])

    def ask(self, thread: str, status: str) -> str:
        """Return the line that the user types above *status*, which is kept with its *thread*.

        Raises EOFError to leave, Interrupted for Ctrl-C on an empty line.
        """
        self._kept.thread, self._status = thread, status
        typed, rest = without_rests(typed_ahead(self._input))
        store_typeahead(self._input, [key for key in typed if key.key not in _PASSING])
        try:
            with self._input.raw_mode():  # as in `read_line`
                line = run_until_signal(self._session.prompt_async(f"{self._screen.margin}> "))
            return "" if line == rest else line  # they finished a “yes”, slowly
        except OSError:  # the terminal is gone
            raise EOFError from None
        finally:
            self._screen.mark_pastes(wanted=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        begun, words = self._complete(document.text_before_cursor)
        for word, does in words:
            if word != begun:
                yield Completion(word, -len(begun), display_meta=does)

    def _create_session(self, settings: Settings) -> PromptSession[str]:
        """Return a session that edits lines with the user's keys, above the status."""
        session: PromptSession[str] = PromptSession(
            history=self._kept,
            auto_suggest=AutoSuggestFromHistory(),
            completer=self,
            complete_while_typing=Condition(lambda: session.default_buffer.text.startswith("/")),
            reserve_space_for_menu=10,  # lines below the prompt
            placeholder=lambda: [("class:placeholder", self._hint(_PLACEHOLDER))],
            key_bindings=_key_bindings(),
            multiline=True,
            enable_open_in_editor=True,
            tempfile_suffix=".md",
            vi_mode=settings.editing == "vi",
            enable_suspend=True,
            style=_STYLE,
        )
        # Its own toolbar would have to ask the terminal where the cursor is.
        status = FormattedTextControl(lambda: self._screen.margin + self._hint(self._status))
        below = ConditionalContainer(Window(status, style="class:status", height=1), ~is_done)
        session.layout.current_window.dont_extend_height = Always()
        session.layout.container = HSplit([session.layout.container, below])
        return session

    def _hint(self, text: str) -> str:
        """Return *text* as far as it fits. Empty once the line is typed."""
        return "" if is_done() else truncate(text, self._screen.width - 2)

    def _edit(self, filename: str) -> bool:
        """Let the user edit the line, which is in that file. Return whether they did."""
        try:
            return edit(filename, self._screen.environment)
        except (ActionFailed, ValueError) as error:
            self._screen.err(str(error))
            return False

    def hold(self) -> None:
        """Put what was typed ahead into the next prompt, unsent: it may depend on what was stopped."""
        typed, _ = without_rests(typed_ahead(self._input))
        while typed and typed[-1].key == _ENTER.key:
            typed.pop()
        store_typeahead(self._input, [_NEW_LINE if key.key == _ENTER.key else key for key in typed])

    def copy_by_terminal(self, text: str) -> bool:
        """Ask the terminal to copy *text*. Returns whether it was asked.

        Source: OSC 52 of xterm's control sequences. No terminal answers.
        """
        if self._screen.is_dumb:
            return False
        output = self._session.app.output
        output.write_raw(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")
        output.flush()
        return True


@contextlib.contextmanager
def quiet(screen: Screen) -> Iterator[None]:
    """Keep the terminal from showing what is typed in this block. Ctrl-C stays a signal."""
    if sys.platform == "win32":  # its console shows nothing by itself
        yield
    else:
        terminal = screen.stdin.fileno()
        before, mode = termios.tcgetattr(terminal), termios.tcgetattr(terminal)
        mode[0] &= ~termios.ICRNL  # keeps Enter apart from Ctrl-J, which starts a line of a request
        # Otherwise Ctrl-C would drop what was typed before.
        mode[3] = mode[3] & ~(termios.ECHO | termios.ICANON) | termios.NOFLSH
        termios.tcsetattr(terminal, termios.TCSANOW, mode)
        screen.mark_pastes(wanted=True)
        try:
            yield
        finally:
            screen.mark_pastes(wanted=False)
            with contextlib.suppress(termios.error):  # it is gone
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _key_bindings() -> KeyBindings:
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER) & ~is_searching

    keys.add("enter", filter=typing)(lambda event: event.current_buffer.validate_and_handle())

    # With vi keys, Escape would have to wait for the next key.
    @keys.add("escape", "enter", filter=typing & emacs_mode)
    @keys.add("c-j", filter=typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c", filter=~is_searching)
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:  # a KeyboardInterrupt would end the event loop
            event.app.exit(exception=Interrupted("Interrupted."))

    return keys


class _KeptLines(FileHistory):
    """Keeps typed lines, each with its thread. Drops lines that contain a key."""

    thread = ""

    def __init__(self, settings: Settings) -> None:
        self._path = private_file(settings.folders.chat_history)
        super().__init__(self._path)
        self._keys = settings.keys()

    def store_string(self, string: str) -> None:
        # The request itself reports a key. A full disk is no reason not to answer.
        with contextlib.suppress(UsageError, OSError, StoreFailed):
            refuse_keys(string, self._keys)
            keep_prompt(self._path, self.thread, string)
