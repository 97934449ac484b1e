"""What a person asks of the table that was listed last, found without a model, a key or a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..actions import catalogue
from ..config.settings import Settings
from ..core.errors import UsageError
from ..core.events import Tabled
from ..core.follow_ups import SHOW, leading, narrowed_to_some
from ..core.tables import FollowUp, Table, row_on
from ..core.types import Facts
from ..language.follow_ups import asked_of, change_in
from ..launcher.command import Command
from ..packs.pack import market
from ..store.addresses import last_listed
from ..store.history import History


async def change_of(said: str, settings: Settings, history: History) -> Command | None:
    """Return what *said* asks of the table last listed; None where there is none, or it is no such thing.

    Raises UsageError where that table has not what it takes, and *said* can hardly be anything else.
    """
    lines, tables = await history.listed(settings.thread)
    change, table, country = change_in(said), last_listed(tables), market(settings).country
    asked = asked_of(table, change, country) if change and table else None
    if change is None or table is None or asked is None:
        return None
    shown = tuple(address.id for address in lines)
    try:
        if change.opens:
            (row,) = leading(table, asked)
            return Command(catalogue()["open_website"], {"address": str(shown.index(row.id) + 1)})
        table = _changed(table, asked, shown, tables)
    except UsageError:
        if change.is_sure:
            raise
        return None
    facts = Facts({}, shown=shown, country=country, tables=(table,))
    return Command(catalogue()["arrange"], {"change": said}, facts=facts)


def _changed(table: Table, asked: FollowUp, shown: Sequence[str], tables: Iterable[Tabled]) -> Table:
    """Return the table that *asked* is about. Raises UsageError where it has nothing of the kind."""
    if asked.verb != SHOW:
        narrowed_to_some(table, asked)
        return table
    table = _of_line(asked.number, shown, tables) or table
    row_on(asked.number, shown, table)
    return table


def _of_line(number: int, shown: Sequence[str], tables: Iterable[Tabled]) -> Table | None:
    """Return the table with that line; None: none has it."""
    ids = set(shown[number - 1 : number])
    return next((table for table, first in tables if first and ids & {row.id for row in table.rows}), None)
