"""How a line is edited in a chat: keys, completion, history.

Only this file and prompt.py import prompt_toolkit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus, is_searching
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from ...core.errors import UsageError
from ...core.text import refuse_keys
from ..registry import SLASHES


class NothingTyped(Exception):
    """Ctrl-C on an empty line. A KeyboardInterrupt would end the event loop."""


class SlashCompleter(Completer):
    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text_before_cursor
        for command in SLASHES:
            if typed and f"/{command.name}".startswith(typed):
                yield Completion(
                    f"/{command.name}", -len(typed), display=command.shown, display_meta=command.help
                )


class _Kept(FileHistory):
    def __init__(self, path: str, keys: Sequence[str]) -> None:
        super().__init__(path)
        self._keys = keys

    def append_string(self, string: str) -> None:
        with contextlib.suppress(UsageError):  # which tells that it was not kept
            refuse_keys(string, self._keys)
            super().append_string(string)

    def store_string(self, string: str) -> None:
        with contextlib.suppress(OSError):  # a full disk is no reason not to answer
            super().store_string(string)


def history(path: str | None, keys: Sequence[str] = ()) -> History:
    """Return what was typed before. path: the file that keeps it; None: it is kept for this chat only.

    keys: a line that holds one of them is not kept, nor one that holds a key of Google's.
    """
    return _Kept(path, keys) if path else InMemoryHistory()


def key_bindings() -> KeyBindings:
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER) & ~is_searching

    @keys.add("enter", filter=typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=typing)
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
