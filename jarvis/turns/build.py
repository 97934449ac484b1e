"""Joins the parts: from settings to a session. The one place that does."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.concurrency import in_thread
from ..store.log import log_for

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..store.log import Log
    from .session import Session


@asynccontextmanager
async def session(settings: Settings, log: Log | None = None) -> AsyncIterator[Session]:
    """Build a whole Jarvis, but for its desktop. Costs seconds of imports: plain commands go without."""
    _turn_tracing_off(os.environ)
    await in_thread(_import_stack)  # the loop goes on meanwhile
    from .session import opened_session  # by now it is imported

    async with opened_session(settings, log or log_for(settings)) as opened:
        yield opened


def _import_stack() -> None:
    """Import what takes seconds."""
    # It looks at the environment meanwhile: not before that is settled.
    for name in ("..output.grid", ".session"):
        import_module(name, __package__)


# LangChain brings LangSmith's client along, and a variable of another project could have it send whole
# prompts elsewhere, or what is meant for Gemini, its key too, by way of LangSmith.
_STRUCK = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "OTEL_")
# Nor is any class revived because a checkpoint names it.
_SET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "LANGGRAPH_STRICT_MSGPACK": "true"}


def _turn_tracing_off(environment: MutableMapping[str, str]) -> None:
    """Leave in *environment* what the libraries may read. Call it before they are imported."""
    for name in [name for name in environment if name.startswith(_STRUCK)]:
        del environment[name]
    environment.update(_SET)
