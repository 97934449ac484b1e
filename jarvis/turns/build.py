"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue, planned
from ..actions.base import Services
from ..desktop import desktop

if TYPE_CHECKING:
    from ..agent.models import Models
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
    from ..agent.gemini import Gemini  # as in session()
    from ..agent.models import Models

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
    from ..core import tracing  # a plain command asks no model

    tracing.settle(os.environ, langsmith=settings.langsmith)
    # They take seconds, and look at the environment: not before it is settled.
    from .. import packs
    from ..agent import checkpoints
    from ..agent.graph import build_graph
    from ..packs.open_actions import OpenActions
    from ..search.serpapi import SerpApi
    from ..store.kept import Kept
    from ..store.log import log_for
    from ..store.open import opened
    from .session import Session

    actions, budgets = OpenActions(planned(), packs.ready(settings)), settings.budgets
    models = models_of(settings)
    search = SerpApi(
        settings.serpapi_key,
        settings.serpapi_url,
        budgets.search_seconds,
        settings.country,
        budgets.turns_at_once,
    )
    try:
        async with (
            opened(settings) as store,
            checkpoints.checkpointer(store.database, settings.folders.inflight) as saver,
        ):
            await checkpoints.sweep(saver.durable, store.history.ended)
            services = Services(search=search, engines=search, kept=Kept(store.database))
            graph = build_graph(services, actions, budgets, saver)
            yield Session(graph, saver, store, settings, actions, log or log_for(settings), models, services)
    finally:
        await search.close()
        await models.close()
        if settings.langsmith:
            await tracing.sent()
