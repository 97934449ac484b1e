"""`jarvis packs …`: list packs, turn them on and off, import and export saved items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from ...core.errors import UsageError
from ...core.text import one_line, pluralize
from ...output.records import dumped
from ...packs import pack as packs
from ...packs.pack import PackState
from ...store.open import Store
from ..completion import File, Json, only
from ..invocation import current, records_in, report
from .config import write

ON, OFF = "on", "off"
app = typer.Typer(
    name="packs",
    help="""Packs: extra skills, such as shopping and travel.

    Jarvis uses a pack that is on if your words are about it. Until then, the language model sees nothing of
    it. Questions and rules work as everywhere.
    """,
)


# `packs on sale this week` is a sentence.
_names = only(lambda names: len(names) == 1 or names[0] in packs.all_packs(), "it isn't a pack")
_Names = Annotated[list[str], typer.Argument(metavar="NAME…", callback=_names)]


@app.command("list", help="List packs: what each does, and whether it is on.")
def list_packs(as_json: Json = False) -> None:
    settings = current().settings()
    current().screen.warn(packs.warnings(settings))
    states = packs.states(settings)
    report([_record(state) for state in states], *_lines(states))


def _lines(states: Sequence[PackState]) -> Iterator[str]:
    widest = max(len(state.pack.name) for state in states)
    for state in states:
        yield f"{state.pack.name:<{widest}}  {ON if state.is_on else OFF:<3}  {state.pack.purpose}"
        if state.missing:
            yield f"{'':<{widest}}       {_unusable(state)}"


@app.command("on", help="Turn packs on.")
def turn_on(names: _Names, as_json: Json = False) -> None:
    _switch(names, ON)


@app.command("off", help="Turn packs off.")
def turn_off(names: _Names, as_json: Json = False) -> None:
    _switch(names, OFF)


def _switch(names: Sequence[str], to: str) -> None:
    (screen, options), settings = current(), current().settings()
    before = packs.names_on(settings)
    if unknown := [name for name in names if name not in packs.all_packs()]:
        message = f"No pack is called “{one_line(unknown[0], 40)}”."
        raise UsageError(message, hint=f"Choose from: {', '.join(packs.all_packs())}")
    after = [*before, *names] if to == ON else [name for name in before if name not in names]
    write(settings.folders.toml, ["packs", "on"], list(dict.fromkeys(after)))
    now = current().settings()
    screen.warn(packs.warnings(now))
    states = [state for state in packs.states(now) if state.pack.name in names]
    undo = f"undo: jarvis packs {OFF if to == ON else ON}"
    lines = [f"{each.pack.name} is {to} now (config.toml)   {undo} {each.pack.name}" for each in states]
    report([_record(state) for state in states], *lines)
    for state in states:
        if to == ON and state.missing and not options.json:
            screen.err(_unusable(state))


def _unusable(state: PackState) -> str:
    return f"It needs {state.missing}: {state.hint}"


def _record(state: PackState) -> dict[str, object]:
    pack = state.pack
    return {
        "name": pack.name,
        "purpose": pack.purpose,
        "on": state.is_on,
        "ready": state.is_ready,
        "missing": state.missing or None,
        "cure": state.hint or None,
        "actions": pack.actions,
        "needs": pack.needs,
        "budgets": dict(pack.budgets),
    }


@app.command("export", help="Print your saved items, for packs import elsewhere.")
def export_lists(as_json: Json = False) -> None:
    from ...store.transfer import exported_lists  # pydantic

    screen = current().screen
    exported = current().with_store(lambda store: exported_lists(store.database))
    for record in [exported] if as_json else exported:
        screen.out(dumped(record))
    if not exported and not as_json:
        screen.err("No saved items yet.")


@app.command("import", help="Import saved items from FILE. Existing ones are kept.")
def import_lists(file: File, as_json: Json = False) -> None:
    from ...store.transfer import imported_lists  # pydantic

    read = (record for _, record in records_in(file, current().screen))
    records = (each for of in read for each in (of if isinstance(of, list) else [of]))  # a list: by --json

    async def work(store: Store) -> tuple[int, int]:
        try:
            return await imported_lists(store.database, records)
        except UsageError as error:
            raise UsageError(f"{error.message} Nothing was imported.", hint=error.hint) from None

    new, there = current().with_store(work)
    message = f"Imported {pluralize(new, 'items')}{f' ({there} there already)' if there else ''}."
    report({"imported": new, "there": there}, message)
