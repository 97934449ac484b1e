"""Reads the keys that answer a question in a chat, from the terminal that its prompt has taken over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from ...core.errors import Interrupted, NeedsAnswer
from ...output.dialog import Dialog
from ...output.keyboard import CTRL_D, DOWN, ENTER, ESCAPE, RESUMED, TAB, UP

_AT_ONCE = 0.1  # seconds within which the rest of what one key sends has come
_NAMES: dict[str, str] = {  # as a dialog calls them
    Keys.Enter: ENTER,
    Keys.ControlJ: ENTER,
    Keys.Escape: ESCAPE,
    Keys.Tab: TAB,
    Keys.ControlD: CTRL_D,
    Keys.Up: UP,
    Keys.Down: DOWN,
}


async def pressed(
    source: Input,
    dialog: Dialog,
    *,
    keep: Callable[[Sequence[KeyPress]], None],
    suspend: Callable[[], None],
) -> None:
    """Have each key do what it does in *dialog*, as long as that wants keys.

    Raises Interrupted for Ctrl-C, NeedsAnswer where the terminal is gone.
    keep: takes the keys that come after those. suspend: does what Ctrl-Z does.
    """
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def press(key: KeyPress) -> None:
        if key.key in (Keys.ControlC, Keys.SIGINT):
            over.set_exception(Interrupted("Interrupted."))
        elif key.key == Keys.ControlZ:
            suspend()
            dialog.press(RESUMED)
        else:
            dialog.press(_NAMES.get(key.key, key.data if key.key == key.data else ""))

    def take(keys: list[KeyPress]) -> None:
        while keys and dialog.wants_keys and not over.done():
            press(keys.pop(0))
        if source.closed and dialog.wants_keys:  # the terminal is gone
            over.set_exception(NeedsAnswer("The terminal was closed before you answered."))
        if not (dialog.wants_keys or over.done()):
            over.set_result(None)
        keep(keys)

    def flush() -> None:
        if not over.done():
            take(source.flush_keys())

    def read() -> None:
        take(source.read_keys())
        loop.call_later(_AT_ONCE, flush)  # what begins like an arrow may be Esc, and nothing more

    with source.attach(read):
        dialog.prompt()
        await over
