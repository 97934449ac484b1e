"""Counts a turn's calls: its and the day's limits before each, time and tokens after, into sums and log."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from ..actions.base import Search
from ..config.settings import Budgets
from ..core.errors import JarvisError, LimitReached
from ..core.text import pluralize as many
from ..core.types import Found, Turn
from ..search.serpapi import Asked, Engines, Page, SerpApi
from ..store.database import Row, Statement
from ..store.log import Log
from ..store.usage import Ledger, counting_once, few_of
from .retry import ModelAnswer


class Meter:
    """The meter of one turn."""

    def __init__(
        self,
        ledger: Ledger,
        log: Log,
        turn: Turn,
        model: str,
        *,
        most: int = Budgets().credits,
        has_search: bool = True,
    ) -> None:
        """model: its name. most: how many searches by engines the turn may be billed for."""
        self._ledger = ledger
        self._log = log
        self._turn = turn
        self._model = model
        self._has_search = has_search
        self._most = most
        self._by_engines = 0
        self._answered: dict[Asked, Page] = {}  # by engines, in this turn
        self._has_left = True  # whether the day has a search left, as far as is known
        self._tokens: Counter[str] = Counter()
        self.credits = 0  # searches that the turn was billed for
        self.left: dict[str, int] = {}  # what the day's limits had left, of each kind, after the last call
        self.note = ""  # that searching was left out, and why

    async def model_call(self, prompt: str, ask: Callable[[], Awaitable[ModelAnswer]]) -> ModelAnswer:
        """Make the one call that is *ask*, counted, however often the service had us try again.

        Raises LimitReached before it.
        """
        await self._count("model_calls")
        self._log.show("prompt", prompt)
        with self._measured("model_call", model=self._model) as record:
            answer = await ask()
            tokens = {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
            record["finish_reason"] = answer.finish_reason or answer.blocked
            record.update(tokens, model=answer.model or self._model)
            self._tokens.update(tokens)
        self._log.show("answer", answer.text)
        return answer

    def around(self, search: Search) -> Search:
        """Return *search*, counted. It raises LimitReached too."""

        async def counted_search(query: str, name: str) -> tuple[Found, ...]:
            async with self._counting_search() as record:
                found = await search(query, name)
                record["found"] = len(found)
            return found

        return counted_search

    def engines(self, client: SerpApi) -> Engines:
        """Return the search engines, with each request counted."""
        return Engines(client, self.searching, self._answered)

    def allow(self, most: int) -> None:
        """Let the turn be billed for *most* searches by engines, if that is more than it may be now."""
        self._most = max(self._most, most)

    @asynccontextmanager
    async def searching(self, engine: str) -> AsyncIterator[None]:
        """Count the search by *engine* that is sent in this block, and write a record of it."""
        if self._by_engines >= self._most:
            raise LimitReached(
                f"The limit of one request, {many(self._most, 'searches')}, is used up.",
                hint="Ask for less at once, or raise it in config.toml: [budgets] credits = …",
                code="turn_limit",
            )
        self._by_engines += 1  # before it waits: several are asked at once
        async with self._counting_search(engine=engine):
            yield

    @property
    def near(self) -> str:
        """A note on daily limits that are close, or ""."""
        few = {kind: few_of(getattr(self._ledger.limits, kind)) for kind in self.left}
        near = [many(left, kind.replace("_", " ")) for kind, left in self.left.items() if left <= few[kind]]
        return f"Left today: {', '.join(near)}." if near else ""

    def looking(self) -> list[Statement]:
        """Return the SQL that counts today's searches, or none if the day has no limit."""
        return self._ledger.looking("searches")

    def looked(self, found: Sequence[Sequence[Row]]) -> None:
        """Note from the rows of `looking` whether a search is left today."""
        self._has_left = all(rows[0][0] < (self._ledger.limits.searches or 0) for rows in found)

    def may_search(self) -> bool:
        """Return whether there is a service to search by, and today has a search left, as far as is known."""
        if not self._has_search:
            self.note = "Web search is off until: jarvis keys set serpapi   (or brave)"
            return False
        if not self._has_left and self._ledger.limits.searches:  # who set none misses none
            self.note = f"{self._ledger.used_up('searches')} (see: jarvis usage)."
        return self._has_left

    def counting_tokens(self) -> list[Statement]:
        """Return the SQL that adds the turn's tokens when the turn ends."""
        return [counting_once(self._turn, self._tokens)] if self._tokens else []

    @asynccontextmanager
    async def _counting_search(self, **fields: Any) -> AsyncIterator[dict[str, Any]]:
        self._has_left = False  # unless it is counted
        self._has_left = await self._count("searches") != 0
        self.credits += 1
        with self._measured("search", **fields) as record:
            yield record

    async def _count(self, kind: str) -> int | None:
        """Count one of *kind*. Returns how many the day has left, or None without a limit."""
        left = await self._ledger.count(self._turn.thread, kind)
        if left is not None:  # of several at once the last counts
            self.left[kind] = min(left, self.left.get(kind, left))
        return left

    @contextmanager
    def _measured(self, event: str, **fields: Any) -> Iterator[dict[str, Any]]:
        """Write a record of what happens in this block, with what it puts into it, however it ends."""
        began = time.monotonic()
        record = {"thread": self._turn.thread, "turn": self._turn.id, **fields, "status": "fault"}
        try:
            yield record
            record["status"] = "done"
        except (JarvisError, asyncio.CancelledError) as error:
            record["status"] = getattr(error, "code", "cancelled")
            raise
        finally:
            self._log.write(event, **record, seconds=round(time.monotonic() - began, 3))
