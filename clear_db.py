#!/usr/bin/env python3
"""Delete what Jarvis remembers: one thread, or everything. Shows first what that is.

python clear_db.py [THREAD] [--yes] [--env-file FILE]
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from jarvis.cli.invocation import tell_waiting
from jarvis.config.settings import Settings, check_thread, read_settings
from jarvis.core.concurrency import run_async
from jarvis.core.errors import JarvisError, UsageError
from jarvis.core.events import listen
from jarvis.core.text import pluralize
from jarvis.output.dialog import typed_line
from jarvis.output.screen import Screen, show_failure
from jarvis.store.open import open_store
from jarvis.store.schema import ITEMS, TABLES
from jarvis.store.threads import Threads


def main(argv: list[str]) -> int:
    """The exit status: 0 deleted or nothing to delete, 1 a turn is under way, 4 not confirmed."""
    parser = argparse.ArgumentParser(prog="clear_db.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("thread", nargs="?", help="the one thread to delete; without it, everything")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--env-file", help="read NAME=value settings from this file")
    chosen = parser.parse_args(argv)
    screen = Screen()
    try:
        settings = read_settings(os.environ, env_file=chosen.env_file)
        screen.secrets = settings.secrets()
        path = settings.folders.history
        if not settings.database_url and not os.path.exists(path):
            screen.out(f"There is nothing to delete: no history at {path}.")
            return 0
        return clear(settings, chosen.thread, screen, sure=chosen.yes)
    except KeyboardInterrupt:
        screen.err("Nothing was deleted.")
        return 130
    except ModuleNotFoundError as error:
        screen.err(
            f"{error.name} is not installed. Run it by Jarvis's own Python: .venv/bin/python clear_db.py"
        )
        return 78
    except JarvisError as error:
        show_failure(screen, error.message, error.hint)
        return error.exit_status


def clear(settings: Settings, thread: str | None, screen: Screen, *, sure: bool) -> int:
    what, where = run_async(described(settings, thread, screen))
    if not what:
        screen.out(f"There is nothing to delete: no history in {where}.")
        return 0
    screen.out(f"{what}\nfrom {where}")
    # Asked with no event loop running: it would wait for the line before it heeds Ctrl-C.
    if not sure and not confirmed(screen):
        screen.err("Nothing was deleted.")
        return 4
    screen.out(f"Deleted {pluralize(run_async(deleted(settings, thread, screen)), 'turns')}.")
    if settings.database_url:
        screen.err("The server's own log and its backups may keep copies.")
    return 0


async def described(settings: Settings, thread: str | None, screen: Screen) -> tuple[str, str]:
    """What would be deleted, in words, and from where; no words for nothing."""
    listen(partial(tell_waiting, screen))
    async with open_store(settings) as store:
        await store.arrive()
        return await describe(store.threads, thread), store.database.name


async def deleted(settings: Settings, thread: str | None, screen: Screen) -> int:
    """How many turns were deleted."""
    listen(partial(tell_waiting, screen))
    async with open_store(settings) as store:
        return await store.delete(thread)


async def describe(threads: Threads, thread: str | None) -> str:
    if thread is not None:
        check_thread(thread)
        known = {each.id: each.turns for each in await threads.all()}
        if thread not in known:
            raise UsageError(f"There is no thread {thread}.", hint="jarvis threads list")
        return f"This deletes the thread {thread} with {pluralize(known[thread], 'turns')},"
    tables = (*TABLES, ITEMS)
    found = await threads.database.run_all(*((f"SELECT count(*) FROM {table}",) for table in tables))
    counts = {table: rows[0][0] for table, rows in zip(tables, found, strict=True)}
    rows = ", ".join(pluralize(counts[each], each) for each in ("threads", "turns", "steps", "addresses"))
    own = f", {pluralize(counts[ITEMS], 'things')} of your lists" if counts[ITEMS] else ""
    return f"This deletes everything: {rows}{own}," if any(counts.values()) else ""


def confirmed(screen: Screen) -> bool:
    """Whether the person types yes. Without a terminal to ask on, nobody did."""
    if not screen.stdin.isatty():
        screen.err("There is no terminal to ask on: say --yes.")
        return False
    return typed_line(screen, "Type yes to go on: ").lower() == "yes"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
