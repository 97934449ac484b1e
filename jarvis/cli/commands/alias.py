"""`jarvis alias …`: list, add and remove the person's own names for addresses."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ...core.text import one_line
from ...core.types import ALIAS, APP, SITE
from ...launcher import aliases
from ...launcher.aliases import Alias
from ...output.results import dumped, fitted
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call


def add_alias(call: Call, screen: Screen) -> int:
    name, address = call.words

    def work(settings: Settings) -> None:
        before = aliases.load(settings.folders.aliases)
        alias = aliases.add(settings.folders.aliases, name, address)
        if call.options.json:
            screen.out(dumped({"saved": alias._asdict()}))
            return
        undo = f"jarvis alias rm {shlex.quote(alias.name)}"
        screen.out(fitted(f"Saved {_shown(alias)} (aliases.json)   undo: {undo}", screen))
        if (old := before.get(alias.name)) and old != alias:
            screen.err(f"Before, it meant {one_line(old.target, 300)}.")

    return with_settings(call, screen, work)


def list_aliases(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        kept = sorted(aliases.load(settings.folders.aliases).values())
        if call.options.json:
            screen.out(dumped([alias._asdict() for alias in kept]))
            return
        for alias in kept:
            screen.out(_shown(alias))
        if not kept:
            screen.err("No aliases yet.")

    return with_settings(call, screen, work)


def remove_alias(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        alias = aliases.remove(settings.folders.aliases, " ".join(call.words))
        if call.options.json:
            screen.out(dumped({"removed": alias._asdict()}))
            return
        again = f"   undo: jarvis alias add {shlex.quote(alias.name)} {shlex.quote(alias.target)}"
        screen.out(
            fitted(f"Removed {_shown(alias)} (aliases.json){again if alias.kind == ALIAS else ''}", screen)
        )

    return with_settings(call, screen, work)


def _shown(alias: Alias) -> str:
    picked = {SITE: "   the site, as you picked", APP: "   the app, as you picked"}
    takes = "   takes words" if alias.takes_words else ""
    return f"{alias.name}  {one_line(alias.target, 300)}{picked.get(alias.kind, takes)}"
