"""How a line is edited in a chat: keys, completion, history.

Only this file, prompt.py and answering.py import prompt_toolkit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, emacs_mode, has_focus, is_searching
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from ...core.errors import StoreFailed, UsageError
from ...core.text import refuse_keys
from ...store.threads import PromptHistory
from .completing import Completed

_MENU = 6  # lines below the prompt, for what it completes


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


def editor(
    history_file: str | None,
    keys: Sequence[str],
    complete: Callable[[str], Completed],
    thread: Callable[[], str],
    *,
    vi: bool,
) -> PromptSession[str]:
    """Return what lets the person edit a line, as Prompt is told to."""
    session: PromptSession[str] = PromptSession(
        history=_history(history_file, keys, thread),
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
    )
    return session


class _Kept(FileHistory):
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


def _history(path: str | None, keys: Sequence[str], thread: Callable[[], str]) -> History:
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
