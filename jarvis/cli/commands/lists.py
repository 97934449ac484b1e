"""`jarvis packs export|import`: what is on the person's own lists, one thing a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...core.errors import UsageError
from ...core.text import counted
from ...output.results import dumped
from ..json_lines import lines_in, record_in
from ..storage import with_store

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ...store.open import Store
    from ..grammar import Call


def export_lists(call: Call, screen: Screen) -> int:
    async def work(store: Store, settings: Settings) -> None:
        from ...store.transfer import exported_lists  # pydantic, which the rest here does without

        records = await exported_lists(store.database)
        if call.options.json:
            screen.out(dumped(records))
            return
        for record in records:
            screen.out(dumped(record))
        if not records:
            screen.err("Nothing is on your lists yet.")

    return with_store(call, screen, work)


def import_lists(call: Call, screen: Screen) -> int:
    """Import all or nothing."""
    (file,) = call.words

    async def work(store: Store, settings: Settings) -> None:
        from ...store.transfer import LISTS_AGAIN, imported_lists  # as above

        read = list(_records(lines_in(screen, file, LISTS_AGAIN), LISTS_AGAIN))
        left = iter(read)
        try:
            new = await imported_lists(store.database, (record for _, record in left))
        except UsageError as error:
            number, _ = read[-1 - len(list(left))]  # where it stopped
            raise _nothing(number, error) from None
        if call.options.json:
            screen.out(dumped({"imported": new, "there": len(read) - new}))
        else:
            there = f"; {len(read) - new} there already" if new < len(read) else ""
            screen.out(f"Imported {counted(new, 'things')}{there}.")

    return with_store(call, screen, work)


def _records(lines: Iterable[tuple[int, str]], again: str) -> Iterator[tuple[int, object]]:
    """Yield each record with the number of its line. Raises UsageError."""
    for number, line in lines:
        try:
            read = record_in(line, "an exported list", again)
        except UsageError as error:
            raise _nothing(number, error) from None
        for record in read if isinstance(read, list) else [read]:  # as --json prints them
            yield number, record


def _nothing(number: int, error: UsageError) -> UsageError:
    return UsageError(f"Line {number}: {error.message} Nothing was imported.", hint=error.hint)
