"""`jarvis shop check`: ask what the things on the person's lists cost now. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...actions.base import reason
from ...agent.meter import Meter
from ...config.market import market_of
from ...config.system_keyring import with_kept_keys
from ...core.errors import JarvisError
from ...core.frontend import watcher
from ...core.text import counted, one_line
from ...core.types import Turn
from ...output.results import dumped, show_hint
from ...packs.shop.checking import CHEAPER, FAILED, GONE, UNKNOWN, Checked, checked
from ...packs.shop.things import store_of
from ...search.serpapi import SerpApi
from ...store.kept import Item, Kept
from ...store.log import log_for
from ...store.usage import Ledger
from ..storage import on_store
from ..work import with_settings
from .shop import NOTHING, Entry, show, table_of

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ...store.open import Store
    from ..grammar import Call

_MOST = 3  # searches that one thing may take: an old token is refused, and fetched anew
_LONGEST = 80  # characters of a title


def check_kept(call: Call, screen: Screen) -> int:
    """Return 0 where each was asked for; else the exit status of the first failure."""

    def work(settings: Settings) -> int:
        with_keys = with_kept_keys(settings)
        screen.secrets = with_keys.secrets()
        return on_store(with_keys, screen, lambda store: _checked(call, screen, with_keys, store))

    return with_settings(call, screen, work)


async def _checked(call: Call, screen: Screen, settings: Settings, store: Store) -> int:
    kept = Kept(store.database)
    items = await kept.items()
    if not items and not call.options.json:
        if not call.options.quiet:
            screen.err(NOTHING)
        return 0
    ledger, turn = Ledger(store.database, settings.daily), Turn("", settings.thread, 0, ())
    meter = Meter(ledger, log_for(settings), turn, settings.model, most=_MOST * len(items))
    found = await _asked(items, settings, meter, kept, screen)
    _tell(call, screen, found, meter)
    return next((each.error.exit_status for each in found if each.error), 0)


async def _asked(
    items: Sequence[Item], settings: Settings, meter: Meter, kept: Kept, screen: Screen
) -> list[Checked]:
    search = SerpApi(settings.serpapi_key, settings.serpapi_url)
    screen.passing(f"asking for {counted(len(items), 'prices')} …")
    watcher.set(screen.passing)
    try:
        return await checked(items, market_of(settings).country, meter.engines(search), kept)
    finally:
        screen.clear()
        await search.close()


def _tell(call: Call, screen: Screen, found: Sequence[Checked], meter: Meter) -> None:
    lines = list(enumerate(found, 1))
    if call.options.quiet:
        lines = [(n, each) for n, each in lines if each.state == CHEAPER]
    if call.options.json:
        screen.out(dumped([_record(n, each) for n, each in lines]))
        return
    if call.options.quiet:
        for _, each in lines:
            screen.out(_told(each))
    else:
        show(screen, table_of([_entry(each) for each in found]))
    _tell_amiss(screen, found, is_quiet=call.options.quiet)
    if meter.near and not call.options.quiet:
        screen.err(meter.near)
    if meter.credits and call.options.verbose:
        screen.err(counted(meter.credits, "searches"))


def _tell_amiss(screen: Screen, found: Sequence[Checked], *, is_quiet: bool) -> None:
    """Tell which have no price now, and why: failures also to whoever wants to know no more."""
    hints: list[str] = []
    for n, each in enumerate(found, 1):
        title, where = one_line(each.item.title, _LONGEST), store_of(each.item)
        if each.error:
            screen.err(f"{n} {title} could not be looked up: {reason(each.error)}")
            hints.append(each.error.hint)
        elif not is_quiet and each.state == GONE:
            screen.err(f"{n} {title} is not to be had{f' at {where}' if where else ''} any more.")
        elif not is_quiet and each.state == UNKNOWN:
            screen.err(f"{n} {title} can't be looked up again: no service knows it.")
    for hint in dict.fromkeys(filter(None, hints)):
        show_hint(screen, hint)


def _told(each: Checked) -> str:
    """Return a line on what became cheaper."""
    entry, item = _entry(each), each.item
    now, before = entry.now, entry.then
    costs = f"{now.money.told}, {before.money.told} before ({entry.change} %)" if now and before else ""
    where = f" at {one_line(now.source)}" if now and now.source else ""
    return f"{one_line(item.title, _LONGEST)}: {costs}{where}{f'  {item.url}' if item.url else ''}"


def _entry(each: Checked) -> Entry:
    """Return what it cost when that was seen last, and what it costs now."""
    return Entry(each.item, each.item.price, each.now)


def _record(n: int, each: Checked) -> dict[str, Any]:
    error = _error(each.error) if each.state == FAILED and each.error else None
    return {"line": n, **_entry(each).record, "state": each.state, "error": error}


def _error(error: JarvisError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
