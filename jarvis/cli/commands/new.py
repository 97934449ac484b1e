"""`/new` in a chat: a new thread."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection

from ...core.errors import UsageError
from ..registry import ChatContext, Slash


async def _in_chat(chat: ChatContext, name: str) -> None:
    taken = {thread.id for thread in await chat.known()}
    name = name or _free(taken)
    from ...config.settings import check_thread  # help reads this file too

    check_thread(name)
    if name in taken:
        raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /threads {name}")
    chat.turn_to(name, "A new thread")


def _free(taken: Collection[str]) -> str:
    """A thread's name that is not in use: the date, and a number."""
    today = time.strftime("%Y-%m-%d")
    return next(name for n in itertools.count(1) if (name := f"{today}-{n}") not in taken)


SLASH = Slash("new", "[NAME]", "begin a new thread", _in_chat, words=("reset",))
