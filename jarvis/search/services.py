"""What an action asks SerpAPI's engines by: several at once, all within one deadline, each search counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..core.errors import JarvisError, LimitReached, SettingsError
from .serpapi import SerpApi

SECONDS = 15.0  # for all that is asked at once
_AT_ONCE = 5

Asked = tuple[str, tuple[tuple[str, str], ...]]  # an engine, and what it is asked
Page = dict[str, Any]


class Account(Protocol):
    """What counts the searches that a turn is billed for."""

    async def reserve(self, wanted: int) -> tuple[int, LimitReached | None]:
        """Count *wanted* searches, or fewer: return how many may be sent, and why not all of them."""

    def give_back(self, unsent: int) -> None:
        """Take back those that were reserved and not sent."""

    def asking(self, engine: str) -> AbstractContextManager[object]:
        """Write a record of the one search that is sent in this block."""


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
        """Ask as many of *new* as may be, keep what they answer, and return the failures."""
        await self._client.connect()
        granted, limit = await self._account.reserve(len(new))
        if limit is not None and not granted:
            raise limit
        sent: set[Asked] = set()
        try:
            failures = await self._in_time(new[:granted], sent)
        finally:  # cancelled too
            if unsent := granted - len(sent):
                self._account.give_back(unsent)
        return failures | {each: limit for each in new[granted:] if limit is not None}

    async def _in_time(self, asked: Sequence[Asked], sent: set[Asked]) -> dict[Asked, JarvisError]:
        """Ask them, a few at once, where there is a place. sent: gets those that were, or may have been."""
        until, few, failures = 0.0, asyncio.Semaphore(_AT_ONCE), {}

        async def one(each: Asked) -> None:
            nonlocal until
            async with few, self._client.places:
                until = until or asyncio.get_running_loop().time() + self._seconds
                try:
                    self._known[each] = await self._sent(each, until, sent)
                except JarvisError as error:
                    failures[each] = error

        async with asyncio.TaskGroup() as group:
            for each in asked:
                group.create_task(one(each))
        return failures

    async def _sent(self, each: Asked, until: float, sent: set[Asked]) -> Page:
        from .http import too_late  # 0.5 s, but loaded by now

        left = round(until - asyncio.get_running_loop().time(), 1)
        if left <= 0:
            raise too_late(self._seconds)
        engine, params = each
        sent.add(each)
        try:
            with self._account.asking(engine):
                return await self._client.page(engine, dict(params), left)
        except SettingsError:  # there is nowhere to send it to
            sent.discard(each)
            raise
