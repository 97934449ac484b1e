"""`jarvis chat`: one request after the other."""

from __future__ import annotations

from ...core.stdlib import TYPE_CHECKING
from ..options import CHAT
from ..registry import Call, Command

if TYPE_CHECKING:
    from ...output.screen import Screen


def _run(call: Call, screen: Screen) -> int:
    from ..chat.chat import run_chat  # prompt_toolkit and asyncio, which nothing else here needs

    return run_chat(call.options, screen)


COMMAND = Command("chat", "one request after the other; /help there tells more", _run, options=CHAT)
