"""Applies words about the last table: “cheapest first”, “only with a rating”."""

from collections.abc import Sequence

from ..actions.base import catalogue
from ..config.settings import Settings
from ..core.errors import UsageError
from ..core.follow_ups import FILTERS, SHOW, leading, run_follow_up
from ..core.intent import MOST_LINES
from ..core.types import Address, Outcome
from ..language.follow_ups import change_in, to_follow_up
from ..launcher import Command
from ..output.screen import Screen
from ..packs.pack import market
from ..store.addresses import last_listed, no_line
from ..store.database import run_sync
from ..store.history import History
from .line import RequestLine, as_words


def result_for(
    text: str, request: RequestLine, screen: Screen, settings: Settings, history: History
) -> Command | Outcome | None:
    """Return the result of *text*, words of *request*, on the last table, or None if it isn't a follow-up.

    Raises UsageError if it can hardly be anything else, unless marked as words.
    """
    try:
        return run_sync(_list_request(text, settings, history))
    except UsageError as error:
        run_sync(history.database.close())
        if request.are_words:
            return None
        if not (error.hint or screen.is_chat):
            error.hint = as_words([" ".join(request.words)])
        raise


async def _list_request(text: str, settings: Settings, history: History) -> Command | Outcome | None:
    """Return the result of *text* on the last table, or the command to open its lines.

    None if there is no table or it isn't a follow-up. Raises UsageError if the table lacks the column and
    *text* can hardly be anything else.
    """
    lines, tables = await history.listed(settings.thread)
    change, table = change_in(text), last_listed(tables)
    if change and change.opens and change.verb == "all":
        return _opening_all(lines, settings.thread)
    follow_up = to_follow_up(table, change, market(settings).country) if change and table else None
    if change is None or table is None or follow_up is None:
        return None
    if table.checks and not table.model_sees and follow_up.verb in FILTERS:  # a sum would change
        return None
    shown = tuple(address.id for address in lines)
    try:
        if change.opens:
            (row,) = leading(table, follow_up)
            return Command(catalogue()["open_website"], {"address": str(shown.index(row.id) + 1)})
        if follow_up.verb == SHOW:
            line = {*shown[follow_up.number - 1 : follow_up.number]}
            listed = (each.table for each in tables if each.first)  # it may be in an earlier one
            table = next((each for each in listed if line & {row.id for row in each.rows}), table)
        return run_follow_up(table, follow_up, text, shown)
    except UsageError:
        if change.is_sure:
            raise
        return None


def _opening_all(lines: Sequence[Address], thread: str) -> Command:
    """Return the command that opens each of *lines*. Raises UsageError for none, and for many."""
    numbers = [str(n) for n, line in enumerate(lines, 1) if line.url]
    if not numbers:
        raise no_line(thread, 1, len(lines))
    if len(numbers) > MOST_LINES:
        message = f"That would open {len(numbers)} pages. Jarvis opens up to {MOST_LINES} at a time."
        raise UsageError(message, hint=f"jarvis open {' '.join(numbers[:MOST_LINES])}")
    first, *others = (Command(catalogue()["open_website"], {"address": number}) for number in numbers)
    return first._replace(others=tuple(others))
