#!/usr/bin/env python3
"""Delete what Jarvis remembers: one thread, or everything. Shows first what that is.

python clear_db.py [THREAD] [--yes] [--env-file FILE]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys

from jarvis.errors import JarvisError, UsageError
from jarvis.frontends.screen import Screen
from jarvis.frontends.shown import show_failure
from jarvis.settings import Settings, check_thread, read
from jarvis.store.sqlite import Database
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
        return clear(read(os.environ, env_file=chosen.env_file), chosen.thread, screen, sure=chosen.yes)
    except JarvisError as error:
        show_failure(screen, error.message, error.hint)
        return error.exit_status


def clear(settings: Settings, thread: str | None, screen: Screen, *, sure: bool) -> int:
    path = os.path.join(settings.folders.data, "history.db")
    if not os.path.exists(path):
        screen.out(f"There is nothing to delete: no history at {path}.")
        return 0
    database = Database(path)
    threads = Threads(database, settings.folders.state)
    try:
        what = describe(threads, thread)
        screen.out(f"{what}\nfrom {path}")
        if not sure and not confirmed(screen):
            screen.err("Nothing was deleted.")
            return 4
        count = threads.delete(thread)
        if thread is None:
            forget_in_flight(os.path.join(settings.folders.data, "inflight.db"))
    finally:
        database.close()
    screen.out(f"Deleted {count} turn{'' if count == 1 else 's'}.")
    return 0


def describe(threads: Threads, thread: str | None) -> str:
    """What would be deleted, in words."""
    if thread is not None:
        check_thread(thread)
        if not threads.exists(thread):
            raise UsageError(f"There is no thread {thread}.", hint="jarvis threads list")
        return f"This deletes the thread {thread} with {len(threads.turns(thread))} turns,"
    counts = threads.counts()
    rows = ", ".join(f"{counts[table]} {table}" for table in ("threads", "turns", "steps", "addresses"))
    return f"This deletes everything: {rows},"


def confirmed(screen: Screen) -> bool:
    """Whether the person types yes. Without a terminal to ask on, nobody did."""
    if not screen.stdin.isatty():
        screen.err("There is no terminal to ask on: say --yes.")
        return False
    screen.out("Type yes to go on: ", end="")
    return screen.stdin.readline().strip().lower() == "yes"


def forget_in_flight(path: str) -> None:
    """Delete every checkpoint too. Without a turn under way there are only leftovers of crashes."""
    if not os.path.exists(path):
        return
    connection = sqlite3.connect(path, isolation_level=None)
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in known & {"checkpoints", "writes"}:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
