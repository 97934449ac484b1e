"""Imports and opens a session in a clean environment. session.py puts its parts together.

Logs of libraries and failures of threads go to our own log.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ..config.settings import Settings
from ..core.concurrency import in_thread
from ..core.text import one_line
from ..store.log import Log, log_for, log_of_turn

if TYPE_CHECKING:
    from .session import Session

_LONGEST = 500  # characters of what is logged
# What was asked stands after the ? of an address, keys too.
_QUERY = re.compile(r"\?[^\s'\")\]]+")

# LangChain brings LangSmith's client along, and a variable of another project could have it send whole
# prompts elsewhere, or what is meant for the model, its key too, by way of LangSmith.
_STRUCK = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_", "OTEL_")
# Nor is any class revived because a checkpoint names it.
_SET = {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "LANGGRAPH_STRICT_MSGPACK": "true"}


@asynccontextmanager
async def session(settings: Settings, log: Log | None = None) -> AsyncIterator[Session]:
    """Build a whole Jarvis without its desktop. Takes seconds of imports, so plain commands don't use it."""
    for name in [name for name in os.environ if name.startswith(_STRUCK)]:  # before they are imported
        del os.environ[name]
    os.environ.update(_SET)
    log = log or log_for(settings)
    log_of_turn.set(log)  # also for what is opened
    _HANDLER.log = log
    _hear_libraries()
    await in_thread(partial(import_module, ".session", __package__))  # the loop goes on meanwhile
    from .session import opened_session  # by now it is imported

    async with opened_session(settings, log) as opened:
        yield opened


def _hear_libraries() -> None:
    """Send logs and warnings of libraries to our handler, never to stderr. Outcomes report what matters."""
    logging.getLogger().addHandler(_HANDLER)  # once, however often it is added
    logging.captureWarnings(True)  # they would quote on stderr what a service said, keys too
    logging.lastResort, threading.excepthook = None, _break_off
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


class _LogHandler(logging.Handler):
    """Writes records from WARNING on to the log of the turn: DEBUG and INFO name every address asked."""

    log: Log  # of the last session: for a library's own threads, which belong to no turn

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except (TypeError, ValueError, LookupError):  # the library's words and its arguments don't fit
            text = str(record.msg)
        message = one_line(_QUERY.sub("?…", text.partition("\n")[0]), _LONGEST)  # the rest quotes
        trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
        is_ours = record.name.partition(".")[0] == "jarvis"
        who = {"code": "fault"} if is_ours else {"logger": record.name, "level": record.levelname.lower()}
        more = {"traceback": trace} if trace else {}
        log_of_turn.get(self.log).write("error" if is_ours else "library", **who, message=message, **more)


_HANDLER = _LogHandler(logging.WARNING)


def _break_off(thread: threading.ExceptHookArgs) -> None:
    """Log the failure of a thread that nobody waits for."""
    logging.getLogger("threads").error("a thread broke off", exc_info=thread.exc_value)
