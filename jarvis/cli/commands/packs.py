"""`jarvis packs …`: list the packs, turn them on and off."""

from __future__ import annotations

from collections.abc import Sequence

from ... import packs
from ...config.settings import read_settings
from ...core.errors import UsageError
from ...core.stdlib import TYPE_CHECKING
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

        screen.warn(packs.warnings(settings))
        _check_known(call.words)
        before = packs.names_on(settings)
        after = _switched(before, call.words, call.command.name)
        if after != before:
            write_packs(settings.folders.toml, after)
        now = read_settings(screen.environment, env_file=call.options.env_file)
        _tell(call, screen, [state for state in packs.states(now) if state.pack.name in call.words], before)

    return with_settings(call, screen, work)


def may_be_pack(words: Sequence[str]) -> bool:
    """Return whether *words* name packs, and are no sentence: `packs on sale this week`."""
    return len(words) < 2 or words[0] in packs.known()


def _switched(before: Sequence[str], names: Sequence[str], to: str) -> tuple[str, ...]:
    if to == OFF:
        return tuple(name for name in before if name not in names)
    return tuple(dict.fromkeys([*before, *names]))


def _tell(call: Call, screen: Screen, states: Sequence[PackState], before: Sequence[str]) -> None:
    if call.options.json:
        screen.out(dumped([_record(state) for state in states]))
        return
    for state in states:
        name, to = state.pack.name, ON if state.is_on else OFF
        if state.is_on == (name in before):
            screen.out(f"{name} was {to} already.")
            continue
        undo = f"jarvis packs {OFF if state.is_on else ON} {name}"
        screen.out(fitted(f"{name} is {to} now (config.toml)   undo: {undo}", screen))
        if state.is_on and state.missing:
            screen.err(_unusable(state))


def _check_known(names: Sequence[str]) -> None:
    """Raise UsageError for a name that no pack has."""
    there = packs.known()
    for name in names:
        if name not in there:
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
