"""What a person asks of the table that was listed last, done at once: without a model, a key or a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..actions import catalogue
from ..actions.apart.arrange import ACTION as ARRANGE
from ..core.errors import UsageError
from ..core.events import Tabled
from ..core.follow_ups import SHOW, leading, narrowed_to_some
from ..core.table_text import row_on
from ..core.types import Facts, Options
from ..language.command_grammar import of_list
from ..language.follow_ups import Change, asked_of, change_in
from ..launcher.meant import Meant
from ..output.screen import Screen
from ..store.addresses import last_listed
from ..store.sqlite import at_once
from ..turns import plain
from .one_shot import run_plain
from .work import settings_for

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..core.tables import Table
    from ..store.history import History


def do_follow_up(
    options: Options, text: str, screen: Screen, *, are_words: bool = False
) -> tuple[int, str] | None:
    """Do what *text* asks of the list last shown in its thread, as `do_plain` does.

    Return None, with nothing begun, where it asks nothing of a list, or none was listed that has what it asks
    for. are_words: that is so, too, where it can hardly be anything else. Raises UsageError where it can't.
    """
    said = of_list(text)
    change = change_in(said)
    if change is None:
        return None
    settings = settings_for(options, screen)
    history = plain.plain_history(settings)
    try:
        meant = at_once(_meant(change, said, settings, history))
    except UsageError as error:
        at_once(history.close())
        if are_words or not change.is_sure:
            return None
        if not (error.hint or screen.is_chat):
            from .router import as_words  # slow, and most lists have what is asked of them

            error.hint = as_words([text])
        raise
    if meant is None:
        at_once(history.close())
        return None
    return run_plain(meant, options, text, screen, settings, history)


async def _meant(change: Change, said: str, settings: Settings, history: History) -> Meant | None:
    """Return what *change* asks of the table last listed; None where there is none, or it is no such thing.

    Raises UsageError where that table has not what it takes.
    """
    lines, tables = await history.listed(settings.thread)
    table = last_listed(tables)
    from ..packs.pack import market  # a line that is no follow-up needs no currencies

    country = market(settings).country
    asked = asked_of(table, change, country) if table else None
    if table is None or asked is None:
        return None
    shown = tuple(address.id for address in lines)
    if change.opens:
        (row,) = leading(table, asked)
        return Meant(catalogue()["open_website"], {"address": str(shown.index(row.id) + 1)})
    if asked.verb == SHOW:
        table = _of_line(asked.number, shown, tables) or table
        row_on(asked.number, shown, table)
    else:
        narrowed_to_some(table, asked)
    known = Facts({}, shown=shown, country=country, tables=(table,))
    return Meant(ARRANGE, {"change": said}, facts=known)


def _of_line(number: int, shown: Sequence[str], tables: Iterable[Tabled]) -> Table | None:
    """Return the table with that line; None: none has it."""
    ids = set(shown[number - 1 : number])
    return next((table for table, first in tables if first and ids & {row.id for row in table.rows}), None)
