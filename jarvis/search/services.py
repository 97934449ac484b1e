"""What an action asks SerpAPI's engines by: several at once, all within one deadline, each search counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from ..core.errors import JarvisError, LimitReached
from ..core.frontend import waiting
from .serpapi import SerpApi

SECONDS = 15.0  # for all that is asked at once
_AT_ONCE = 5

Asked = tuple[str, tuple[tuple[str, str], ...]]  # an engine, and what it is asked
Page = dict[str, Any]


class Account(Protocol):
    """What counts the searches that a turn is billed for."""

    def searching(self, engine: str) -> AbstractAsyncContextManager[object]:
        """Count the one search that is sent in this block. Raises LimitReached: then none is to be sent."""


class Engines:
    """What asks them for one turn. What it was answered, it doesn't ask again."""

    def __init__(
        self, client: SerpApi, account: Account, known: dict[Asked, Page], seconds: float = SECONDS
    ) -> None:
        """known: what the turn was answered before; it is added to."""
        self._client = client
        self._account = account
        self._known = known
        self._seconds = seconds

    async def ask(self, engine: str, **params: str) -> Page:
        """Return what *engine* answers to *params*. Failures are JarvisErrors."""
        (answer,) = await self.ask_all([(engine, params)])
        if isinstance(answer, JarvisError):
            raise answer
        return answer

    async def ask_all(self, requests: Sequence[tuple[str, Mapping[str, str]]]) -> list[Page | JarvisError]:
        """Return what each of *requests* (an engine, its parameters) was answered, or how it failed.

        Raises NoKey and LimitReached where none could be sent. What is returned is not to be changed.
        """
        wanted: list[Asked] = [(engine, tuple(sorted(params.items()))) for engine, params in requests]
        new = [each for each in dict.fromkeys(wanted) if each not in self._known]
        failures = await self._fetch(new) if new else {}
        return [failures.get(each) or self._known[each] for each in wanted]

    async def _fetch(self, new: Sequence[Asked]) -> dict[Asked, JarvisError]:
        """Ask *new*, a few at once; keep what they answer, and return the failures."""
        await self._client.connect()
        until, few, failures = 0.0, asyncio.Semaphore(_AT_ONCE), dict[Asked, JarvisError]()

        async def one(each: Asked) -> None:
            nonlocal until
            async with few, self._client.places:
                until = until or asyncio.get_running_loop().time() + self._seconds
                try:
                    self._known[each] = await self._sent(each, until)
                except JarvisError as error:
                    failures[each] = error
            tell_back()

        def tell_back() -> None:
            back = sum(each in self._known or each in failures for each in new)
            if 1 < len(new) != back:
                waiting(f"{len(new)} lookups at once … {back} back")

        tell_back()
        async with asyncio.TaskGroup() as group:
            for each in new:
                group.create_task(one(each))
        spent = [error for error in failures.values() if isinstance(error, LimitReached)]
        if len(spent) == len(new):
            raise spent[0]
        return failures

    async def _sent(self, each: Asked, until: float) -> Page:
        from .http import too_late  # 0.5 s, but loaded by now

        engine, params = each
        if until <= asyncio.get_running_loop().time():
            raise too_late(self._seconds)
        async with self._account.searching(engine):
            left = max(0.1, until - asyncio.get_running_loop().time())
            return await self._client.page(engine, dict(params), round(left, 1))
