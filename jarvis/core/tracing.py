"""Keeps tracers off, which would send whole prompts elsewhere, unless config.toml turns them on.

LangChain brings LangSmith's client along, and a variable of another project could turn it on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import MutableMapping

from .concurrency import aside

_FAMILIES = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "OTEL_")
# They send what is meant for Gemini, its key too, by way of LangSmith, or tracing to OpenTelemetry.
_NEVER = ("LANGSMITH_GATEWAY", "LANGSMITH_OTEL_", "LANGCHAIN_OTEL_", "LANGGRAPH_", "OTEL_")
_OFF = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
# Nor is any class revived because a checkpoint names it.
_ALWAYS = {"LANGGRAPH_STRICT_MSGPACK": "true"}
_SECONDS = 5  # that a turn's end waits for its traces to be sent


def settle(environment: MutableMapping[str, str], *, langsmith: bool) -> None:
    """Leave in *environment* what the libraries may read. Call it before they are imported."""
    struck = _NEVER if langsmith else _FAMILIES
    for name in [name for name in environment if name.startswith(struck)]:
        del environment[name]
    if langsmith:
        environment.setdefault("LANGSMITH_TRACING", "true")
    environment.update(_ALWAYS if langsmith else {**_OFF, **_ALWAYS})


async def sent() -> None:
    """Send what LangSmith's threads still hold. The program ends at once, and it would be lost."""
    # Not before the environment is settled.
    from langchain_core.tracers.langchain import wait_for_all_tracers

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS):
            await aside(wait_for_all_tracers)
