"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.concurrency import in_thread
from ..store.log import log_for

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..store.log import Log
    from .session import Session


# LangChain brings LangSmith's client along, and a variable of another project could have it send whole
# prompts elsewhere, or what is meant for Gemini, its key too, by way of LangSmith.
_STRUCK = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "OTEL_")
# Nor is any class revived because a checkpoint names it.
_SET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "LANGGRAPH_STRICT_MSGPACK": "true"}


@asynccontextmanager
async def session(settings: Settings, log: Log | None = None) -> AsyncIterator[Session]:
    """Build a whole Jarvis, but for its desktop. Costs seconds of imports: plain commands go without."""
    for name in [name for name in os.environ if name.startswith(_STRUCK)]:  # before they are imported
        del os.environ[name]
    os.environ.update(_SET)
    await in_thread(partial(import_module, ".session", __package__))  # the loop goes on meanwhile
    from .session import opened_session  # by now it is imported

    async with opened_session(settings, log or log_for(settings)) as opened:
        yield opened
