"""Keeps what the person allowed for one thread: on this machine, never in the database of its turns.

They stand in consents.json beside policy.toml. Cheap to import: the quick way asks for them too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from json import loads

from ..core.errors import SettingsError, UsageError
from ..core.files import alone, check_private, private_folder, replace_file
from .rules import ALLOW, as_kept, check_doubt, names_one

Allowed = frozenset[tuple[str, str, str]]  # effect, name, doubt


class Consents:
    """What is allowed, in the file at *path*. Each call reads it anew: another window may have changed it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def allowed(self, thread: str) -> Allowed:
        """Return what may be done in *thread* in spite of a doubt. Raises SettingsError."""
        return self._read().get(thread, frozenset())

    def allow(self, thread: str, effect: str, name: str, doubt: str) -> None:
        """Allow *effect* on *name* in *thread*, in spite of *doubt*, one of rules.DOUBTS.

        Raises UsageError for what no rule could say either, StoreFailed where it could not be kept.
        """
        name = as_kept(effect, name)
        check_doubt(ALLOW, effect, name, doubt)
        if not doubt or not names_one(effect, name):
            raise UsageError("A yes for a thread is about one doubt on one host or app.", hint="Name both.")
        self._change(lambda kept: {**kept, thread: kept.get(thread, frozenset()) | {(effect, name, doubt)}})

    def forget(self, thread: str | None) -> None:
        """Forget what was said for *thread*; None: for all threads."""
        if self._read():
            self._change(lambda kept: {t: rows for t, rows in kept.items() if thread not in (None, t)})

    def threads(self) -> list[str]:
        """Return the threads for which something is allowed."""
        return sorted(self._read())

    def _change(self, changed: Callable[[Mapping[str, Allowed]], Mapping[str, Allowed]]) -> None:
        import json  # it costs more than all of this

        with alone(os.path.join(private_folder(os.path.dirname(self._path)), ".consents.lock")):
            record = {thread: sorted(rows) for thread, rows in changed(self._read()).items()}
            replace_file(self._path, json.dumps(record, indent=1) + "\n")

    def _read(self) -> dict[str, Allowed]:
        """Return what is allowed, by thread; nothing where there is no file."""
        try:
            with open(self._path, encoding="utf-8-sig") as file:
                check_private(os.fstat(file.fileno()), self._path)
                record = loads(file.read())
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._unreadable(str(error)) from None
        rows = record.values() if isinstance(record, dict) else [None]
        if not all(isinstance(each, list) and all(map(_is_yes, each)) for each in rows):
            raise self._unreadable("it does not hold threads, each with a list of [effect, name, doubt]")
        return {thread: frozenset(map(tuple, each)) for thread, each in record.items()}

    def _unreadable(self, why: str) -> SettingsError:
        return SettingsError(
            f"{self._path} can't be read: {why}.",
            hint=f"Mend it, or move it away: mv {self._path} {self._path}.broken",
        )


def _is_yes(row: object) -> bool:
    return isinstance(row, list) and len(row) == 3 and all(isinstance(word, str) for word in row)
