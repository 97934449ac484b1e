"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue
from ..desktop import desktop

if TYPE_CHECKING:
    from ..agent.gemini import Models
    from ..config.settings import Settings
    from ..store.history import History
    from ..store.log import Log
    from .session import Session


def plain_history(settings: Settings) -> History:
    """Return the history of this machine's plain commands; it waits for nothing but another's write lock.

    It keeps what it can: what can't be kept is done all the same. Raises AnothersFile.
    """
    # Whoever leaves a request to the brain needs none of it.
    from ..store.sqlite import BestEffort

    if settings.database_url:
        from ..store.outbox import Outbox, server_of  # few have a database elsewhere

        server = server_of(settings.database_url.reveal())
        return Outbox(BestEffort(settings.folders.outbox), server)
    from ..store.history import History

    return History(BestEffort(settings.folders.history))


def hands(environment: Mapping[str, str], *, dry_run: bool = False, cache: str = "") -> Hands:
    """Return what acts in this session. cache: a folder of ours."""
    # What they start gets the person's own environment, of which a session strikes some.
    own = desktop(dict(environment), cache=cache)
    return Hands(own, catalogue(), dry_run=dry_run)


def models_of(settings: Settings) -> Models:
    """Return the models that the settings let one ask."""
    from ..agent.gemini import Gemini, Models  # a plain command asks no model

    def client(name: str) -> Gemini:
        return Gemini(
            name,
            settings.google_key,
            settings.gemini_url,
            settings.budgets,
            thinking=settings.thinking,
            secrets=settings.secrets(),
        )

    return Models(settings.model, client, settings.fallback_model)


@asynccontextmanager
async def session(settings: Settings, log: Log | None = None) -> AsyncIterator[Session]:
    """Build a whole Jarvis, but for its hands. Costs seconds of imports: plain commands go without."""
    from ..core import concurrency, tracing  # a plain command asks no model

    tracing.settle(os.environ, langsmith=settings.langsmith)
    await concurrency.aside(_import_stack)  # the loop goes on meanwhile
    # By now they are imported.
    from ..store.log import log_for
    from .session import opened_session

    try:
        async with opened_session(settings, models_of(settings), log or log_for(settings)) as opened:
            yield opened
    finally:
        if settings.langsmith:
            await tracing.sent()


def _import_stack() -> None:
    """Import what takes seconds."""
    # It looks at the environment meanwhile: not before that is settled.
    from ..output import styles  # noqa: F401
    from . import session  # noqa: F401
