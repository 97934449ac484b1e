"""`jarvis packs …`: list the packs, turn them on and off; what is on the person's own lists, in and out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...config.file import write
from ...config.settings import read_settings
from ...core.errors import UsageError
from ...core.text import counted, one_line
from ...output.records import dumped
from ...output.screen import fitted
from ...packs import pack as packs
from ...packs.pack import PackState
from .. import completion
from ..material import lines_in, record_in
from ..parameters import File, Json
from ..work import current, with_store

if TYPE_CHECKING:
    from ...config.settings import Settings
    from ...output.screen import Screen
    from ...store.open import Store

ON, OFF = "on", "off"
app = typer.Typer(
    name="packs",
    help="""More that it can do, such as finding things for sale: what is on.

    A pack that is on is used where your words are about it: nothing of it is offered to the language model
    before. What it does is asked about as ever.
    """,
)


def _names(names: list[str]) -> list[str]:
    """Return *names* of packs, which are no sentence: `packs on sale this week`."""
    if len(names) > 1 and names[0] not in packs.known():
        raise typer.BadParameter("it is no pack")
    return names


_Names = Annotated[
    list[str], typer.Argument(metavar="NAME…", callback=_names, autocompletion=completion.a_pack)
]


@app.command("list", help="List them: what each is for, and whether it is on.")
def list_packs(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()
    listed = packs.states(settings)
    screen.warn(packs.warnings(settings))
    if as_json:
        screen.out(dumped([_record(state) for state in listed]))
        return
    widest = max(len(state.pack.name) for state in listed)
    for state in listed:
        pack = state.pack
        screen.out(fitted(f"{pack.name:<{widest}}  {ON if state.is_on else OFF:<3}  {pack.purpose}", screen))
        if state.missing:
            screen.out(fitted(f"{'':<{widest}}       {_unusable(state)}", screen))


@app.command("on", help="Turn packs on.")
def turn_on(names: _Names, as_json: Json = False) -> None:
    _switch(names, ON, as_json)


@app.command("off", help="Turn packs off.")
def turn_off(names: _Names, as_json: Json = False) -> None:
    _switch(names, OFF, as_json)


def _switch(names: Sequence[str], to: str, as_json: bool) -> None:
    (screen, options), settings = current(), current().settings()
    before = packs.names_on(settings)
    # One that is not there can be turned off, so that it is not warned of any more.
    _check_known(names, before if to == OFF else ())
    after = _switched(before, names, to)
    if after != before:
        write(settings.folders.toml, ["packs", "on"], list(after))
    now = read_settings(screen.environment, env_file=options.env_file)
    screen.warn(packs.warnings(now))
    _tell(names, as_json, screen, before, now)


def _switched(before: Sequence[str], names: Sequence[str], to: str) -> tuple[str, ...]:
    if to == OFF:
        return tuple(name for name in before if name not in names)
    return tuple(dict.fromkeys([*before, *names]))


def _tell(names: Sequence[str], as_json: bool, screen: Screen, before: Sequence[str], now: Settings) -> None:
    """Tell which of the packs that were named are on now. before: the names that were."""
    states = {state.pack.name: state for state in packs.states(now)}
    if as_json:
        screen.out(dumped([_record(states[name]) for name in names if name in states]))
        return
    for name in dict.fromkeys(names):
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


@app.command("export", help="Print what is on your own lists, for packs import elsewhere.")
def export_lists(as_json: Json = False) -> None:
    screen = current().screen

    async def records(store: Store, settings: Settings) -> list[dict[str, Any]]:
        from ...store.transfer import exported_lists  # pydantic, which the rest here does without

        return await exported_lists(store.database)

    exported = with_store(records)
    for record in [exported] if as_json else exported:
        screen.out(dumped(record))
    if not exported and not as_json:
        screen.err("Nothing is on your lists yet.")


@app.command("import", help="Read things from FILE; one that is there is left as it is.")
def import_lists(file: File, as_json: Json = False) -> None:
    screen = current().screen

    async def work(store: Store, settings: Settings) -> tuple[int, int]:
        from ...store.transfer import LISTS_AGAIN, imported_lists  # as above

        read = list(_records(lines_in(screen, file, LISTS_AGAIN), LISTS_AGAIN))
        left = iter(read)
        try:
            return await imported_lists(store.database, (record for _, record in left)), len(read)
        except UsageError as error:
            number, _ = read[-1 - len(list(left))]  # where it stopped
            raise _nothing(number, error) from None

    new, read = with_store(work)
    there = f"; {read - new} there already" if new < read else ""
    told = f"Imported {counted(new, 'things')}{there}."
    screen.out(dumped({"imported": new, "there": read - new}) if as_json else told)


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
