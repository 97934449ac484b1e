"""Plays a session on recorded answers, by the program that does the real ones.

Sends nothing and reads none of the user's files: it has its own home, which it deletes afterwards.
"""

import json
from collections.abc import AsyncIterator, Sequence
from tempfile import TemporaryDirectory
from typing import Any

from ..actions.base import OPEN_SITE, OPEN_WEBSITE, desktop_for
from ..config.services import KEYS
from ..core.concurrency import run_until_signal
from ..core.errors import NeedsAnswer
from ..core.types import ActionRequest, Effect, Options
from ..desktop.desktop import Desktop
from ..output.dialog import read_line
from ..output.screen import Screen, fitted, is_tty, show_hint
from ..search.http import HttpRequest, answered_by
from .ask import do_line
from .invocation import settings_for, visit_store
from .line import RequestLine
from .recordings import BANNER, DemoLine

_KEPT = ("CI", "COLORTERM", "FORCE_COLOR", "HOME", "NO_COLOR", "PATH", "TERM")  # variables: how to print
_THREAD = "demo"
_OWN = {
    **dict.fromkeys((key.variables[0] for key in KEYS.values()), "recorded-answers-take-no-key"),
    "JARVIS_BRAIN": "off",
    "JARVIS_THREAD": _THREAD,
    "LANG": "en_US.UTF-8",  # prices are in US dollars
}
_PIECE = 40  # characters of an answer that come at once


def play(session: Sequence[DemoLine], screen: Screen) -> int:
    """Play *session*. Returns the exit status. At the end, the user may open the result."""
    kept = {name: screen.environment[name] for name in _KEPT if name in screen.environment}
    # Windows keeps what is open, as history is after a plain line.
    with TemporaryDirectory(prefix="jarvis-demo-", ignore_cleanup_errors=True) as home:
        own = Screen({**kept, **_OWN, "JARVIS_HOME": home})
        own.has_read_stdin = not is_tty(own.stdin)  # it isn't material
        if any(line.keys for line in session) and not own.is_interactive:
            raise NeedsAnswer("This one asks you a question.", hint="Try it on a terminal.")
        desktop = desktop_for(screen.environment, cache=home)
        try:
            return _play_on(session, own, desktop)
        finally:
            own.clear()


def _play_on(session: Sequence[DemoLine], screen: Screen, desktop: Desktop) -> int:
    for n, line in enumerate(session):
        if n and not _goes_on(f"Next: jarvis {line.words}", screen):
            return 0
        screen.err(BANNER)
        with answered_by(_Recording(line)):
            status = do_line(RequestLine((line.words,), Options(dry_run=True)), screen)
        if status:
            return status
        screen.ended = None  # the next line is another turn
    if _may_ask(screen) and (url := _would_open(screen)) and _goes_on("Open it?", screen):
        outcome = desktop.perform(ActionRequest(1, OPEN_WEBSITE, Effect("opens", url)))
        screen.out(fitted(outcome.text, screen))
        show_hint(screen, outcome.hint)
    return 0


def _goes_on(next_line: str, screen: Screen) -> bool:
    """Show what comes next, and return whether it does: at a terminal, once Enter is pressed."""
    if _may_ask(screen):
        label = f"{next_line}  (Enter yes · Ctrl-D no) "
        return not run_until_signal(read_line(screen, label, at_end="no"))
    screen.err(next_line)
    return True


def _may_ask(screen: Screen) -> bool:
    """Return whether the user sees everything. In a pipe, a key may be for another program."""
    return screen.is_interactive and screen.out_tty


def _would_open(screen: Screen) -> str:
    """Return the address that the last line would have opened, or ""."""
    settings = settings_for(Options(), screen)
    *_, last = visit_store(settings, screen, lambda store: store.threads.turns(_THREAD))
    opened = [step.outcome.value for step in last.steps if step.plan.action in (OPEN_SITE, OPEN_WEBSITE)]
    return (*opened, "")[0]


class _Recording:
    """Answers in place of the usual model and SerpAPI, from a line's recording."""

    def __init__(self, line: DemoLine) -> None:
        self._line = line
        self._plans = iter(line.plans)

    async def __call__(self, request: HttpRequest) -> AsyncIterator[bytes]:
        """Yield the answer in pieces: of SerpAPI, whose requests name an engine, or of the model."""
        if engine := request.url.params.get("engine"):
            yield json.dumps(self._line.pages[engine]).encode()
            return
        fields = json.loads(request.content)["generationConfig"]["responseJsonSchema"]["properties"]
        answer: dict[str, Any] = {"wants": self._line.wants, "finish": False}
        answer |= next(self._plans) if "action" in fields else {}
        plan = json.dumps({name: answer.get(name) for name in fields})
        for at in range(0, len(plan), _PIECE):
            ended = {"finishReason": "STOP"} if at + _PIECE >= len(plan) else {}
            content = {"parts": [{"text": plan[at : at + _PIECE]}], "role": "model"}
            yield f"data: {json.dumps({'candidates': [{'content': content, **ended}]})}\r\n\r\n".encode()
