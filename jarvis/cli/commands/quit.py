"""`/quit` in a chat."""

from __future__ import annotations

from ..registry import ChatContext, Slash


async def _in_chat(chat: ChatContext, argument: str) -> None:
    raise EOFError


SLASH = Slash("quit", "", "leave, as Ctrl-D does", _in_chat, words=("exit", "quit"))
