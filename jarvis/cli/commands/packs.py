"""`jarvis packs …`: list the packs, turn them on and off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ... import packs
from ...config.settings import read_settings
from ...core.errors import UsageError
from ...core.text import one_line
from ...output.results import dumped, fitted
from ...packs import PackState
from ..work import with_settings

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ..grammar import Call

ON, OFF = "on", "off"


def list_packs(call: Call, screen: Screen) -> int:
    def work(settings: Settings) -> None:
        listed = packs.states(settings)
        screen.warn(packs.warnings(settings))
        if call.options.json:
            screen.out(dumped([_record(state) for state in listed]))
            return
        widest = max(len(state.pack.name) for state in listed)
        for state in listed:
            pack = state.pack
            screen.out(
                fitted(f"{pack.name:<{widest}}  {ON if state.is_on else OFF:<3}  {pack.purpose}", screen)
            )
            if state.missing:
                screen.out(fitted(f"{'':<{widest}}       {_unusable(state)}", screen))

    return with_settings(call, screen, work)


def switch_packs(call: Call, screen: Screen) -> int:
    """Turn packs on or off, as the command's name says."""

    def work(settings: Settings) -> None:
        from ...config.file_text import write_packs  # what lists them changes nothing

        before = packs.names_on(settings)
        to = call.command.name
        # One that is not there can be turned off, so that it is not warned of any more.
        _check_known(call.words, before if to == OFF else ())
        after = _switched(before, call.words, to)
        if after != before:
            write_packs(settings.folders.toml, after)
        now = read_settings(screen.environment, env_file=call.options.env_file)
        screen.warn(packs.warnings(now))
        _tell(call, screen, before, now)

    return with_settings(call, screen, work)


def may_be_pack(words: Sequence[str]) -> bool:
    """Return whether *words* name packs, and are no sentence: `packs on sale this week`."""
    return len(words) < 2 or words[0] in packs.known()


def _switched(before: Sequence[str], names: Sequence[str], to: str) -> tuple[str, ...]:
    if to == OFF:
        return tuple(name for name in before if name not in names)
    return tuple(dict.fromkeys([*before, *names]))


def _tell(call: Call, screen: Screen, before: Sequence[str], now: Settings) -> None:
    """Tell which of the packs that were named are on now. before: the names that were."""
    states = {state.pack.name: state for state in packs.states(now)}
    if call.options.json:
        screen.out(dumped([_record(states[name]) for name in call.words if name in states]))
        return
    for name in dict.fromkeys(call.words):
        is_on = name in packs.names_on(now)
        to, other = (ON, OFF) if is_on else (OFF, ON)
        if is_on == (name in before):
            screen.out(f"{name} was {to} already.")
        else:
            undo = f"   undo: jarvis packs {other} {name}" if name in states else ""
            screen.out(fitted(f"{one_line(name, 40)} is {to} now (config.toml){undo}", screen))
        if is_on and states[name].missing:
            screen.err(_unusable(states[name]))


def _check_known(names: Sequence[str], also: Collection[str]) -> None:
    """Raise UsageError for a name that no pack has, unless it is one of *also*."""
    there = packs.known()
    for name in names:
        if name not in there and name not in also:
            raise UsageError(
                f"There is no pack of the name “{one_line(name, 40)}”.",
                hint=f"There are: {', '.join(there)}.",
            )


def _unusable(state: PackState) -> str:
    return f"It can't be used without {state.missing}: {state.cure}"


def _record(state: PackState) -> dict[str, object]:
    pack = state.pack
    return {
        "name": pack.name,
        "purpose": pack.purpose,
        "on": state.is_on,
        "ready": state.is_ready,
        "missing": state.missing or None,
        "cure": state.cure or None,
        "actions": pack.actions,
        "needs": pack.needs,
        "budgets": dict(pack.budgets),
    }
