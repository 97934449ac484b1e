"""The options of a request. Imports next to nothing."""

from __future__ import annotations

from .stdlib import NamedTuple


class Options(NamedTuple):
    thread: str | None = None
    continue_last: bool = False
    dry_run: bool = False
    quiet: bool = False
    verbose: int = 0  # 1: steps; 2: prompts, raw answers and the log too
    json: bool = False
    ndjson: bool = False
    timeout: float | None = None  # seconds
    env_file: str | None = None
    log_file: str | None = None
    yes: bool = False
    answer: str | None = None  # ID=OPTION, to a question that nobody could answer
