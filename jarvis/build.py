"""Settings → Session: the one place where the parts are joined."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .actions import catalogue
from .hands import Hands
from .settings import Settings
from .store.history import History
from .store.sqlite import Database

if TYPE_CHECKING:
    from .session import Session

# Read by LangChain and LangGraph when they are first imported: no prompt is sent to a tracer because of
# a stray variable, and no class is revived because a checkpoint names it.
_ENVIRONMENT = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGGRAPH_STRICT_MSGPACK": "true",
}


def history(settings: Settings) -> History:
    """What this person asked so far. Raises StoreFailed."""
    return History(Database(settings.folders.history))


def hands(environment: Mapping[str, str], *, dry_run: bool = False, cache: str = "") -> tuple[Hands, str]:
    """What acts in this session, and the folder for the person's pictures. cache: a folder of ours."""
    from .desktop import desktop

    own = desktop(environment, cache=cache)
    return Hands(own, catalogue(), dry_run=dry_run), own.pictures()


@asynccontextmanager
async def session(settings: Settings) -> AsyncIterator[Session]:
    """A whole Jarvis, but for its hands. Costs seconds of imports: plain commands go without."""
    os.environ.update(_ENVIRONMENT)
    from .graph import build_graph
    from .graph.checkpoints import opened, sweep
    from .model.gemini import Gemini
    from .search.serpapi import SerpApi
    from .session import Session

    actions, kept, budgets = catalogue(), history(settings), settings.budgets
    model = Gemini(settings.model, settings.google_key, settings.gemini_url, budgets)
    search = SerpApi(settings.serpapi_key.reveal(), settings.serpapi_url, budgets.search_seconds)
    try:
        async with opened(settings.folders.inflight) as saver:
            await sweep(saver, kept.open_ids)
            graph = build_graph(model, search, actions, budgets, saver)
            yield Session(graph, saver, kept, settings, actions)
    finally:
        kept.close()
        search.close()
        await model.close()
