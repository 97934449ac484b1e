"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue, planned
from ..actions.base import Services
from ..desktop import desktop

if TYPE_CHECKING:
    from ..agent.gemini import Models
    from ..agent.meter import Meter
    from ..agent.state import SessionParts
    from ..config.settings import Settings
    from ..core.types import Turn
    from ..search.serpapi import SerpApi
    from ..store.history import History
    from ..store.log import Log
    from ..store.open import Store
    from ..store.usage import Ledger
    from .session import Session

_SHORTEST_KEY = 12  # characters; a shorter one may be a word


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
    from ..agent.gemini import Gemini, Models  # as in session()

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
    from ..agent.graph import build_graph, savers_for
    from ..core.concurrency import Limiter
    from ..search.serpapi import SerpApi
    from ..store.log import log_for
    from ..store.open import opened
    from ..store.usage import Ledger
    from .loop import Engine
    from .session import Session

    budgets, models, log = settings.budgets, models_of(settings), log or log_for(settings)
    search = SerpApi(
        settings.serpapi_key,
        settings.serpapi_url,
        budgets.search_seconds,
        settings.country,
        budgets.turns_at_once,
    )
    try:
        async with opened(settings) as store, savers_for(store.database, settings.folders.inflight) as savers:
            await savers.sweep(store.history)
            parts = _parts(settings, store, search)
            engine = Engine(
                graph=build_graph(parts, savers.make()),
                savers=savers,
                parts=parts,
                models=models,
                meter=_metering(settings, Ledger(store.database, settings.daily), log),
                limiter=Limiter(budgets.turns_at_once),
            )
            yield Session(engine, store, settings)
    finally:
        await search.close()
        await models.close()
        if settings.langsmith:
            await tracing.sent()


def _parts(settings: Settings, store: Store, search: SerpApi) -> SessionParts:
    # As in session().
    from .. import packs
    from ..agent.state import SessionParts
    from ..config.market import market_of
    from ..launcher import aliases
    from ..launcher.lookup import Lookup, named_in
    from ..launcher.names import keep_name
    from ..packs.open_actions import OpenActions
    from ..policy import rules_file
    from ..policy.approval import Memory
    from ..policy.consents import Consents
    from ..store.kept import Kept

    folders, consents = settings.folders, Consents(settings.folders.consents)
    return SessionParts(
        history=store.history,
        services=Services(search=search, engines=search, kept=Kept(store.database)),
        open_actions=OpenActions(planned(), packs.ready(settings)),
        budgets=settings.budgets,
        policy=lambda: rules_file.load_rules(folders.policy),
        memory=Memory(partial(rules_file.remember, folders.policy), consents.allow),
        allowed=consents.allowed,
        named=lambda words: named_in(words, aliases.load(folders.aliases)),
        look_up=lambda find, sites: Lookup(find, sites, lambda: aliases.load(folders.aliases)),
        pick=partial(keep_name, folders.aliases),
        holds_key=_holding_key(settings),
        market=market_of(settings),
    )


def _metering(settings: Settings, ledger: Ledger, log: Log) -> Callable[[Turn, str], Meter]:
    """Return what makes the meter of a turn, by the model of that name."""
    from ..agent.meter import Meter  # as in session()

    return lambda turn, model: Meter(
        ledger,
        log,
        turn,
        model or settings.model,
        most=settings.budgets.credits,
        has_search_key=bool(settings.serpapi_key),
    )


def _holding_key(settings: Settings) -> Callable[[str], bool]:
    """Return what tells whether a text has one of the person's keys in it."""
    keys = [key.casefold() for key in settings.secrets()]  # many are the same in capitals
    return lambda text: any(key in text.casefold() for key in keys if len(key) >= _SHORTEST_KEY)
