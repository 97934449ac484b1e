"""Counts a turn's calls: the day's limits before each, its time and tokens after, into sums and log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from ..actions.base import Search
from ..core.errors import JarvisError, SettingsError
from ..core.types import Found, Turn
from ..store.log import Log
from ..store.usage import Ledger
from .model import ModelAnswer


class Meter:
    """The meter of one turn."""

    def __init__(
        self, ledger: Ledger, log: Log, turn: Turn, model: str, *, has_search_key: bool = True
    ) -> None:
        """model: its name."""
        self._ledger = ledger
        self._log = log
        self._turn = turn
        self._model = model
        self._has_search_key = has_search_key
        self.told = ""  # that searching was left out, and why

    @asynccontextmanager
    async def model_call(self, prompt: str) -> AsyncIterator[Callable[[ModelAnswer], None]]:
        """Count the one call made in this block, and the answer handed on. Raises LimitReached before it.

        A call that the service had us try again counts once.
        """
        given: list[ModelAnswer] = []
        await self._ledger.reserve(self._turn.thread, "model_calls")
        self._log.show("prompt", prompt)
        with self._measured("model_call", model=self._model) as record:
            yield given.append
            (answer,) = given
            record["finish_reason"] = answer.finish_reason or answer.blocked
            record["input_tokens"], record["output_tokens"] = answer.input_tokens, answer.output_tokens
        self._log.show("answer", answer.text)
        with suppress(JarvisError):  # the answer is worth more than the sum
            await self._ledger.add_tokens(self._turn.thread, answer.input_tokens, answer.output_tokens)

    def around(self, search: Search) -> Search:
        """Return *search*, counted. It raises LimitReached too."""

        async def counted(query: str, names: Sequence[str]) -> tuple[Found, ...]:
            await self._ledger.reserve(self._turn.thread, "searches")
            with self._measured("search") as record:
                try:
                    found = await search(query, names)
                except SettingsError:  # there is no key: nothing was sent
                    await self._ledger.give_back(self._turn.thread, "searches")
                    raise
                record["found"] = len(found)
            return found

        return counted

    async def may_search(self) -> bool:
        """Return whether there is a key to search with, and today has a search left."""
        if not self._has_search_key:
            self.told = "Web search is off until: jarvis keys set serpapi"
            return False
        has_left = await self._ledger.has_left("searches")
        if not has_left and self._ledger.limits.searches:  # who set none misses none
            self.told = f"{self._ledger.used_up('searches')} (see: jarvis usage)."
        return has_left

    @contextmanager
    def _measured(self, event: str, **fields: Any) -> Iterator[dict[str, Any]]:
        """Write a record of what happens in this block, with what it puts into it, however it ends."""
        began = time.monotonic()
        record = {"thread": self._turn.thread, "turn": self._turn.id, **fields, "status": "fault"}
        try:
            yield record
            record["status"] = "done"
        except JarvisError as error:
            record["status"] = error.code
            raise
        except asyncio.CancelledError:
            record["status"] = "cancelled"
            raise
        finally:
            self._log.write(event, **record, seconds=round(time.monotonic() - began, 3))
