"""Reads the words of an earlier turn again, before a late answer to its question is carried out.

A plain command is understood again, without a call. For any other the model reads the words once more, from
the same that it was given then; nothing that a database holds is believed to be what they ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..actions import Hands
from ..actions.base import Action
from ..config.settings import Settings
from ..core.intent import Intent
from ..core.types import APP, FILE, SITE, Address, AppsFound, Facts, Request, Turn
from ..core.urls import typed_addresses
from ..launcher.meant import Meant, commanded, is_line, parts_of
from ..store.kept_questions import Taken
from ..store.log import Log
from ..store.open import Store
from ..store.turns import exchanges_before
from .build import models_of
from .direct import DirectTurn


class Evidence:
    """What the words of that turn ask for. Implements answered_later.Evidence."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        actions: Mapping[str, Action],
        hands: Hands,
        plain: DirectTurn,
        understand: Callable[[str], Meant | None],
        log: Log,
    ) -> None:
        """plain: the turn that the call counts for. understand: what words plainly ask for."""
        self._store = store
        self._settings = settings
        self._actions = actions
        self._hands = hands
        self._plain = plain
        self._understand = understand
        self._log = log

    async def __call__(self, taken: Taken, request: Request, new: Turn) -> Facts:
        addresses = self._store.history.addresses
        shown = await addresses.shown(taken.thread, taken.n)
        ids = await addresses.typed(taken.thread, taken.n)
        typed = tuple(ids[url] for url in typed_addresses(taken.goal) if url in ids)
        known = Facts({}, shown=tuple(address.id for address in shown), typed=typed)
        if not taken.is_own:  # words of an import, or mixed with what was piped in
            return known._replace(intent=Intent())
        if meant := self._understand(taken.goal):
            return _plainly(meant, known)
        return await self._read(taken, known, new)

    async def _read(self, taken: Taken, known: Facts, new: Turn) -> Facts:
        """Have the model read the words, in a small call, with the window of that turn."""
        # What was asked plainly is understood without them.
        from .. import packs
        from ..agent.meter import Meter
        from ..agent.plan_schema import Reader
        from ..agent.prompt import meaning_of_wants
        from ..agent.reading import Reading, read_words
        from ..config.system_keyring import with_kept_keys
        from ..core.concurrency import Clock
        from ..launcher import aliases
        from ..launcher.lookup import Lookup, sites_named
        from ..packs.open_actions import OpenActions
        from ..store.usage import Ledger

        settings, actions = with_kept_keys(self._settings), self._actions
        wants = OpenActions(actions, packs.ready(settings)).wants
        models = models_of(settings)
        model = models.patient("", Clock(settings.budgets.seconds).left)
        meter = Meter(Ledger(self._store.database, settings.daily), self._log, new, settings.model)
        reader = Reader(actions)
        sites = [Address("", url, source=SITE, official_name=name) for name, url in sites_named(taken.goal)]

        async def find_apps(name: str) -> AppsFound:
            return self._hands.find_apps(name)

        async def ask(system: str, words: str, wanted: dict[str, object]) -> str | None:
            model.check()
            async with meter.model_call(words) as answered:
                used = self._plain.usage
                self._plain.usage = used._replace(model_calls=used.model_calls + 1)
                answer = await model.ask(system, words, wanted, lambda text: False, lambda text: None)
                answered(answer)
            return reader.wants_in(answer)

        typed = [Address(id_, "") for id_ in known.typed]
        look_up = Lookup(find_apps, sites, lambda: aliases.load(settings.folders.aliases))
        reading = Reading(taken.goal, typed, actions, look_up, wants)
        before = Turn(taken.turn, taken.thread, taken.n, ())
        reading.comes_after(await exchanges_before(self._store.database, before), len(known.shown))
        try:
            await read_words(reading, ask, meaning_of_wants(wants))
        finally:
            await meter.count_rest()
            await models.close()
        return reading.facts(known, ())


def _plainly(meant: Meant, known: Facts) -> Facts:
    """Return what a plain command asks for."""
    lines = [_line(each.named, len(known.shown)) for each in meant.each]
    named = [
        [Address("", m.target, source=m.kind) for m in each.meanings if m.kind not in (APP, FILE)]
        for each in meant.each
    ]
    return commanded(meant, parts_of(meant, lines), known, named)


def _line(named: str, last: int) -> int:
    """Return the number of the line that is *named*, 0 where it is none. last: the number of the last one."""
    return 0 if not is_line(named) else int(named) if int(named) > 0 else last
