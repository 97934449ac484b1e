"""Counts a turn's calls: its and the day's limits before each, time and tokens after, into sums and log."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from ..actions.base import Search
from ..config.settings import Budgets
from ..core.errors import JarvisError, LimitReached, TurnLimit
from ..core.text import counted as many
from ..core.types import Found, Turn
from ..search.serpapi import SerpApi
from ..search.services import Asked, Engines, Page
from ..store.database import Row, Statement
from ..store.log import Log
from ..store.usage import Counts, Ledger, counting_once, today
from .retry import ModelAnswer


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
        self._tokens: Counter[str] = Counter()  # of calls, not counted yet
        self._unmade: Counter[str] = Counter()  # what was reserved and not made so far
        self._day = today()  # on which was counted last
        self.credits = 0  # searches that the turn was billed for
        self.left: int | None = None  # searches that the day had left after the last of them
        self.told = ""  # that searching was left out, and why

    async def model_call(self, prompt: str, ask: Callable[[], Awaitable[ModelAnswer]]) -> ModelAnswer:
        """Make the one call that is *ask*, counted, however often the service had us try again.

        Raises LimitReached before it.
        """
        if self._unmade["model_calls"]:
            self._unmade["model_calls"] -= 1
        else:
            await self._reserve("model_calls")
        self._log.show("prompt", prompt)
        with self._measured("model_call", model=self._model) as record:
            answer = await ask()
            tokens = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
            record["finish_reason"] = answer.finish_reason or answer.blocked
            record.update(tokens, model=answer.model or self._model)
            self._tokens.update(tokens)
        self._log.show("answer", answer.text)
        return answer

    def around(self, search: Search, then: int = 0) -> Search:
        """Return *search*, counted. It raises LimitReached too.

        then: how many model calls may follow it, which are reserved along with it as far as the day has them.
        """

        async def counted(query: str, names: Sequence[str]) -> tuple[Found, ...]:
            await self._reserve("searches", ahead=max(0, then - self._unmade["model_calls"]))
            with self._measured("search") as record:
                found = await search(query, names)
                record["found"] = len(found)
            return found

        return counted

    def engines(self, client: SerpApi) -> Engines:
        """Return what asks engines, counted."""
        return Engines(client, self, self._answered)

    def allow(self, most: int) -> None:
        """Let the turn be billed for *most* searches by engines, if that is more than it may be now."""
        self._most = max(self._most, most)

    async def reserve(self, wanted: int) -> tuple[int, LimitReached | None]:
        """Count *wanted* searches by engines, or fewer: return how many may be sent, and why not all."""
        room = min(wanted, self._most - self._by_engines)
        if room <= 0:
            return 0, self._spent()
        self._by_engines += room  # before it waits: they may be asked from two places at once
        granted, why = 0, None
        try:
            granted = await self._reserve("searches", room)
        except LimitReached as error:
            why = error
        finally:
            self._by_engines -= room - granted
        if granted and granted < wanted:
            why = self._spent() if granted == room else self._ledger.spent("searches")
        return granted, why

    def give_back(self, unsent: int) -> None:
        """Take back searches by engines that were reserved and not sent."""
        self._by_engines -= unsent
        self.credits -= unsent
        self.left = None if self.left is None else self.left + unsent
        self._has_left = self._has_left or unsent > 0
        self._unmade["searches"] += unsent

    def asking(self, engine: str) -> AbstractContextManager[object]:
        """Write a record of the search by *engine* that is sent in this block."""
        return self._measured("search", engine=engine)

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

    async def count_rest(self) -> None:
        """Count what no reservation did, where no turn does so by its end."""
        if counts := self._rest():
            with suppress(JarvisError):  # the answer is worth more than the sum
                await self._ledger.count(self._turn.thread, counts)
            self._tokens.clear()
            self._unmade.clear()

    def counting_rest(self) -> list[Statement]:
        """Return what counts that with the end of the turn."""
        counts = self._rest()
        return [counting_once(self._turn, self._day, counts)] if counts else []

    def _rest(self) -> Counts:
        return {**+self._tokens, **{kind: -unmade for kind, unmade in (+self._unmade).items()}}

    async def _reserve(self, kind: str, wanted: int = 1, ahead: int = 0) -> int:
        """Count as many of *kind* as the day has left, *wanted* at most, and the tokens of the calls before.

        Return how many. Raises LimitReached where it is none. ahead: model calls that may follow.
        """
        self._day, uncounted, thread = today(), dict(+self._tokens), self._turn.thread
        granted = await self._ledger.reserve(thread, kind, wanted, ahead=ahead, uncounted=uncounted)
        self._tokens.clear()
        self._unmade["model_calls"] += granted.ahead
        if kind == "searches":
            self._has_left = granted.left != 0
            self.left = granted.left if granted.many else self.left
            self.credits += granted.many
        if not granted.many:
            raise self._ledger.spent(kind)
        return granted.many

    def _spent(self) -> TurnLimit:
        return TurnLimit(
            f"What one turn may be billed for, {many(self._most, 'searches')}, is used up.",
            hint="Ask for less at once; config.toml sets it: [budgets] credits = …",
        )

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
