"""Twins of a server and a model for what is killed while something is sent: the one holds a request."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.lying import plan
from tests.twins.gemini import GeminiTwin
from tests.twins.ghostfolio import GhostfolioTwin

if TYPE_CHECKING:
    from tests.twins.wire import Exchange, Request

POST, READ, DELETE = "POST /api/v1/import", "GET /api/v1/activities", "DELETE "
POLITE = "thank you so much for all of that"
_TAKES = 0.01  # seconds for an answer: a real one takes longer
_LATE = 1.5  # seconds that a request is still on its way


class WriteAim(NamedTuple):
    """Where a kill strikes."""

    at: str  # how a request begins; or that the batch is noted so, or the step is started
    when: str = "before"  # the twin does it | after, unanswered | lost: it never gets there | late
    nth: int = 1  # of the requests that begin so
    delay: float | None = None  # seconds after it; None: at once, and it is held until then
    is_away: bool = False  # the server is gone from then on, until somebody came back once


class Broker(GhostfolioTwin):
    """Holds the request that is aimed at."""

    aim: WriteAim | None = None
    sprung = released = passed = threading.Event()
    _left = 0

    def watch(self, aim: WriteAim) -> None:
        self.sprung, self.released, self.passed = (threading.Event() for _ in range(3))
        self.aim, self._left = aim, aim.nth

    def answer(self, exchange: Exchange, request: Request) -> None:
        if len(request.raw) < int(request.headers.get("content-length") or 0):
            return exchange.cut()  # who sent it was killed in the middle
        aim = self._aimed_at(f"{request.method} {request.path}")
        time.sleep(_TAKES if aim is None or aim.when == "after" else 0)
        if aim is None:
            return super().answer(exchange, request)
        try:
            if aim.when == "after":
                return super().answer(_Held(exchange, self._hold), request)
            self._hold()
            if aim.when == "lost":
                return exchange.cut()
            time.sleep(_LATE if aim.when == "late" else _TAKES)
            return super().answer(exchange, request)
        finally:
            self.passed.set()

    def _aimed_at(self, called: str) -> WriteAim | None:
        with self._lock:
            if self.aim and called.startswith(self.aim.at):
                self._left -= 1
                return self.aim if self._left == 0 else None
        return None

    def _hold(self) -> None:
        self.sprung.set()
        if self.aim and self.aim.delay is None:
            self.released.wait(60)


class _Held:
    """An exchange whose reply waits."""

    def __init__(self, exchange: Exchange, wait: Any) -> None:
        self._exchange, self._wait = exchange, wait

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exchange, name)

    def reply(self, *args: Any, **how: Any) -> None:
        self._wait()
        self._exchange.reply(*args, **how)


class Trader(GeminiTwin):
    """Finds the symbol, and adds what they bought; is polite besides."""

    def next_step(self, request: Any, otherwise: Any) -> Any:
        bought = re.findall(r"bought (\d+) VWCE", request.prompt)
        if not bought or POLITE in request.prompt:
            return {"action": "reply", "text": "You are welcome.", "finish": True}
        if not (found := re.findall(r"\b(o\d+)\b", request.prompt)):
            return plan("find_symbol", query="VWCE", wants="record VWCE.DE", finish=False)
        said = {"kind": "BUY", "quantity": bought[-1], "price": "112.30", "day": "2026-11-20"}
        return plan("add_activity", symbol=found[-1], wants="record VWCE.DE", **said)
