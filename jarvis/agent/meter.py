"""Counts a turn's calls: its and the day's limits before each, time and tokens after, into sums and log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any

from ..actions.base import Search
from ..config.settings import Budgets
from ..core.errors import JarvisError, LimitReached, SettingsError, TurnLimit
from ..core.text import counted as many
from ..core.types import Found, Turn
from ..search.serpapi import SerpApi
from ..search.services import Asked, Engines, Page
from ..store.log import Log
from ..store.usage import Ledger
from .model import ModelAnswer


class Meter:
    """The meter of one turn. Implements search.services.Account."""

    def __init__(
        self,
        ledger: Ledger,
        log: Log,
        turn: Turn,
        model: str,
        *,
        most: int = Budgets().credits,
        has_search_key: bool = True,
    ) -> None:
        """model: its name. most: how many searches by engines the turn may be billed for."""
        self._ledger = ledger
        self._log = log
        self._turn = turn
        self._model = model
        self._has_search_key = has_search_key
        self._most = most
        self._by_engines = 0
        self._answered: dict[Asked, Page] = {}  # by engines, in this turn
        self.credits = 0  # searches that the turn was billed for
        self.left: int | None = None  # searches that the day had left after the last of them
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
            await self._reserve(1)
            with self._measured("search") as record:
                try:
                    found = await search(query, names)
                except SettingsError:  # there is no key: nothing was sent
                    await self._give_back(1)
                    raise
                record["found"] = len(found)
            return found

        return counted

    def allow(self, most: int) -> None:
        """Let the turn be billed for *most* searches by engines, if that is more than it may be now."""
        self._most = max(self._most, most)

    def engines(self, client: SerpApi) -> Engines:
        """Return what asks engines, counted."""
        return Engines(client, self, self._answered)

    async def reserve(self, wanted: int) -> tuple[int, LimitReached | None]:
        """Count *wanted* searches by engines, or fewer: return how many may be sent, and why not all."""
        room = min(wanted, self._most - self._by_engines)
        if room <= 0:
            return 0, self._spent()
        self._by_engines += room  # before it waits: they may be asked from two places at once
        granted = 0
        try:
            granted = await self._reserve(room)
        except LimitReached as error:
            return 0, error
        finally:
            self._by_engines -= room - granted
        if granted < room:
            return granted, self._ledger.spent("searches")
        return granted, self._spent() if granted < wanted else None

    async def give_back(self, unsent: int) -> None:
        """Take back searches by engines that were reserved and not sent."""
        self._by_engines -= unsent
        await self._give_back(unsent)

    def asking(self, engine: str) -> AbstractContextManager[object]:
        """Write a record of the search by *engine* that is sent in this block."""
        return self._measured("search", engine=engine)

    async def _reserve(self, wanted: int) -> int:
        granted, self.left = await self._ledger.reserve(self._turn.thread, "searches", wanted)
        self.credits += granted
        return granted

    async def _give_back(self, unsent: int) -> None:
        self.credits -= unsent
        self.left = None if self.left is None else self.left + unsent
        await self._ledger.give_back(self._turn.thread, "searches", unsent)

    def _spent(self) -> TurnLimit:
        return TurnLimit(
            f"What one turn may be billed for, {many(self._most, 'searches')}, is used up.",
            hint="Ask for less at once; config.toml sets it: [budgets] credits = …",
        )

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
