"""Have ready what a first turn is the first to use: run by the process that the runs are forked from."""

from __future__ import annotations

import os
import sys
import tempfile
import threading

from google.genai import types

from jarvis.actions.base import desktop_actions
from jarvis.cli.in_process import LocalFrontend
from jarvis.config.settings import read_settings
from jarvis.core.concurrency import run_async
from jarvis.core.events import Words
from jarvis.desktop.desktop import Desktop
from jarvis.output.screen import Screen
from jarvis.search.hosts import suffix_list
from jarvis.store import database
from jarvis.turns import build

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tests.twins.gemini import GeminiTwin

del sys.path[0]

# Their validators are built when they are first used, which takes longer than the rest of a turn.
_SENT = (types.Content, types.GenerateContentConfig, types._GenerateContentParameters, types.HttpOptions)
_RECEIVED = (types.GenerateContentResponse, types.HttpResponse, types.HttpRetryOptions)
_WITHIN = (
    *(types.Candidate, types.GenerateContentResponseUsageMetadata, types.GenerationConfig),
    *(types.Part, types.Tool, types.ToolCodeExecution),
)


async def _turn(**environment: str) -> None:
    frontend = LocalFrontend(lambda event: None, Desktop(None, desktop_actions()), Screen(), streams=True)
    async with build.session(read_settings(environment)) as session:
        await session.turn(Words("are you there now?"), "default", frontend)


for _each in (*_SENT, *_RECEIVED, *_WITHIN):
    _each.model_rebuild()
suffix_list()
database.SYNCHRONOUS = "OFF"  # as Postgres has it in postgres.py, and for the same reason
# The rest of it: one turn, of which nothing stays but what is worked out once in a process.
with GeminiTwin() as _gemini, tempfile.TemporaryDirectory() as _home:
    _gemini.plans({"action": "reply", "text": "Yes.", "finish": True})
    run_async(_turn(JARVIS_HOME=_home, GOOGLE_API_KEY="key", GOOGLE_GEMINI_BASE_URL=_gemini.url))
    assert len(_gemini.requests) == 1
tempfile.tempdir = None  # each run has its own
assert threading.active_count() == 1  # or a run could be forked off in the middle of something
