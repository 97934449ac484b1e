"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..agent.gemini import Models
    from ..config.settings import Settings
    from ..store.log import Log
    from .session import Session


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
    from ..output import grid  # noqa: F401
    from . import session  # noqa: F401
