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
from ..store.database import Row, Statement
from ..store.log import Log
from ..store.usage import Counts, Granted, Ledger, counting_once, today
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
        self._has_left = True  # whether the day has a search left, as far as is known
        self._uncounted: Counts = {}  # tokens of calls
        self._ahead = 0  # model calls that were reserved with a search before
        self._unsent = 0  # searches that were reserved and not made
        self._day = today()  # on which was counted last
        self.credits = 0  # searches that the turn was billed for
        self.left: int | None = None  # searches that the day had left after the last of them
        self.told = ""  # that searching was left out, and why

    @asynccontextmanager
    async def model_call(self, prompt: str) -> AsyncIterator[Callable[[ModelAnswer], None]]:
        """Count the one call made in this block, and the answer handed on. Raises LimitReached before it.

        A call that the service had us try again counts once.
        """
        given: list[ModelAnswer] = []
        if self._ahead:
            self._ahead -= 1
        else:
            await self._count("model_calls")
        self._log.show("prompt", prompt)
        with self._measured("model_call", model=self._model) as record:
            yield given.append
            (answer,) = given
            record["finish_reason"] = answer.finish_reason or answer.blocked
            record["model"] = answer.model or self._model
            record["input_tokens"], record["output_tokens"] = answer.input_tokens, answer.output_tokens
            self._keep(input_tokens=answer.input_tokens, output_tokens=answer.output_tokens)
        self._log.show("answer", answer.text)

    async def count_rest(self) -> None:
        """Count what no reservation did, where no turn does so by its end."""
        if counts := self._rest():
            with suppress(JarvisError):  # the answer is worth more than the sum
                await self._ledger.count(self._turn.thread, counts)
            self._uncounted, self._ahead, self._unsent = {}, 0, 0

    def counting_rest(self) -> list[Statement]:
        """Return what counts that with the end of the turn."""
        counts = self._rest()
        return [counting_once(self._turn, self._day, counts)] if counts else []

    def _keep(self, **tokens: int) -> None:
        """Note *tokens* until they are counted."""
        kept = self._uncounted
        self._uncounted = {
            **kept,
            **{name: kept.get(name, 0) + tokens[name] for name in tokens if tokens[name]},
        }

    def _rest(self) -> Counts:
        given_back = {"model_calls": -self._ahead, "searches": -self._unsent}
        return {**self._uncounted, **{name: many for name, many in given_back.items() if many}}

    def around(self, search: Search, then: int = 0) -> Search:
        """Return *search*, counted. It raises LimitReached too.

        then: how many model calls may follow it, which are reserved along with it as far as the day has them.
        """

        async def counted(query: str, names: Sequence[str]) -> tuple[Found, ...]:
            await self._reserve(1, ahead=max(0, then - self._ahead))
            with self._measured("search") as record:
                try:
                    found = await search(query, names)
                except SettingsError:  # there is no key: nothing was sent
                    self._give_back(1)
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

    def give_back(self, unsent: int) -> None:
        """Take back searches by engines that were reserved and not sent."""
        self._by_engines -= unsent
        self._give_back(unsent)

    def asking(self, engine: str) -> AbstractContextManager[object]:
        """Write a record of the search by *engine* that is sent in this block."""
        return self._measured("search", engine=engine)

    async def _reserve(self, wanted: int, ahead: int = 0) -> int:
        try:
            granted, self.left, _ = await self._count("searches", wanted, ahead)
        except LimitReached:
            self._has_left = False
            raise
        self._has_left = self.left != 0
        self.credits += granted
        return granted

    async def _count(self, kind: str, wanted: int = 1, ahead: int = 0) -> Granted:
        """Reserve as many of *kind*, and count the tokens of the calls before."""
        self._day, uncounted = today(), self._uncounted
        thread = self._turn.thread
        granted = await self._ledger.reserve(thread, kind, wanted, ahead=ahead, uncounted=uncounted)
        self._uncounted = {}
        self._ahead += granted.ahead
        if not granted.many:
            raise self._ledger.spent(kind)
        return granted

    def _give_back(self, unsent: int) -> None:
        self.credits -= unsent
        self.left = None if self.left is None else self.left + unsent
        self._has_left = self._has_left or unsent > 0
        self._unsent += unsent

    def _spent(self) -> TurnLimit:
        return TurnLimit(
            f"What one turn may be billed for, {many(self._most, 'searches')}, is used up.",
            hint="Ask for less at once; config.toml sets it: [budgets] credits = …",
        )

    def finding_today(self) -> list[Statement]:
        """Return what `look_at` needs, to be read with what else a turn reads at its start."""
        return self._ledger.finding_used("searches")

    def look_at(self, today: Sequence[Sequence[Row]]) -> None:
        """Note whether *today*, as `finding_today` found it, has a search left."""
        self._has_left = self._ledger.has_left("searches", *today)

    def may_search(self) -> bool:
        """Return whether there is a key to search with, and today has a search left, as far as is known.

        What counts is the reservation before a search.
        """
        if not self._has_search_key:
            self.told = "Web search is off until: jarvis keys set serpapi"
            return False
        if not self._has_left and self._ledger.limits.searches:  # who set none misses none
            self.told = f"{self._ledger.used_up('searches')} (see: jarvis usage)."
        return self._has_left

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
