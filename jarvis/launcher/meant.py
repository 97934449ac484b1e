"""What words plainly ask for; and the same as an intent: its parts, and what the guard has to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..actions.base import Action
from ..core import types
from ..core.intent import LINE, OWN_FILE, SITE, START, TYPED, Intent, Part
from ..core.text import told_apart
from ..core.types import APP, FILE, Address, Facts


class Meaning(NamedTuple):
    """One thing that a name means."""

    kind: str  # ALIAS | SITE | APP | FILE | ADDRESS
    name: str  # as it was said, in lower case without signs
    target: str  # its address; the name or key by which to start the app; the file's path
    title: str = ""  # what the app is called in its menu


class Meant(NamedTuple):
    """What words plainly ask for: an action and its arguments."""

    action: Action
    arguments: Mapping[str, str]
    meanings: tuple[Meaning, ...] = ()  # where they have a name: what it means here, best first
    is_unsure: bool = False  # whether they only name it, and it may be something else
    others: tuple[Meant, ...] = ()  # what else they ask for, in their order
    facts: Facts | None = None  # of the table that they ask something of

    @property
    def each(self) -> tuple[Meant, ...]:
        """All that they ask for, one thing after the other."""
        return (self._replace(others=()), *self.others)

    @property
    def named(self) -> str:
        """What is to be opened: an address, a name, a path, the number of a line; empty: a picture."""
        return next(iter(self.arguments.values()), "")


def by_kind(kind: str, actions: Mapping[str, Action]) -> tuple[Action, str]:
    """Return the action that opens a meaning of that *kind*, and the field of the action that takes it."""
    action = actions[{APP: "open_app", FILE: "open_file"}.get(kind, "open_website")]
    return action, action.argument


def is_line(named: str) -> bool:
    """Return whether *named*, what is to be opened, is the number of a line; -1 is the last one."""
    return named.removeprefix("-").isdigit()


def parts_of(meant: Meant, lines: Sequence[int]) -> tuple[Part, ...]:
    """Return what a plain command asks for, in the form in which a reading of its words has it.

    lines: for each thing that it asks for, the number of the line that is meant; 0: none.
    """
    counted = {TYPED: 0, OWN_FILE: 0}
    parts = []
    for each, line in zip(meant.each, lines, strict=True):
        part = _part(each, line)
        if part.form in counted:
            counted[part.form] += 1
            part = part._replace(value=str(counted[part.form]))
        parts.append(part._replace(unsure=each.is_unsure))
    return tuple(parts)


def _part(meant: Meant, line: int) -> Part:
    """Return what *meant* asks for by itself."""
    if line:
        return Part(LINE, str(line))
    if meant.meanings and meant.meanings[0].kind != FILE:
        first = meant.meanings[0]
        return Part(START if first.kind == APP else SITE, first.name)
    form = meant.action.wants[0].form
    return Part(form, meant.named if form == START else "")


def part_chosen(part: Part, chosen: Address) -> Part:
    """Return *part*, which may mean several things, once *chosen* is what it means."""
    name = chosen.official_name or chosen.title if part.form == OWN_FILE else part.value
    match chosen.source:
        case types.APP:
            return part._replace(form=START, value=name)
        case types.FILE:
            return part._replace(form=OWN_FILE)
        case types.ADDRESS:
            return part._replace(form=TYPED)
    return part._replace(form=SITE, value=name)


def files_in(meant: Meant) -> tuple[Address, ...]:
    """Return the files that a plain command may open, each under its id in the turn."""
    paths = [each.named for each in meant.each if each.action.wants[0].form == OWN_FILE]
    return tuple(Address(f"f{n}", path, source=FILE) for n, path in enumerate(paths, 1))


def commanded(
    meant: Meant, parts: Sequence[Part], known: Facts, named: Sequence[Sequence[Address]]
) -> tuple[Facts, list[Address | None]]:
    """Return *known* with what a plain command asks for, and the address of each thing, if it has one.

    named: for each thing, the address that it is, or those among its meanings, with their ids.
    """
    files = {file.id: file for file in files_in(meant)}
    found = [
        tuple(_meanings(each, part, iter(rows), files))
        for each, part, rows in zip(meant.each, parts, named, strict=True)
    ]
    facts = known._replace(
        addresses={**known.addresses, **files},
        intent=Intent.of_command(*parts),
        left=tuple(range(len(parts))),
        meanings={place: those for place, those in enumerate(found) if _may_be_an_app(meant.each[place])},
    )
    return facts, [those[0] if those and those[0].source != APP else None for those in found]


def _may_be_an_app(meant: Meant) -> bool:
    return len(meant.meanings) > 1 or APP in [meaning.kind for meaning in meant.meanings]


def _meanings(
    meant: Meant, part: Part, named: Iterator[Address], files: Mapping[str, Address]
) -> Iterator[Address]:
    """Yield what the name in *part* means, in the order of its meanings; itself, where it is no name."""
    if not meant.meanings:
        yield from [files[f"f{part.value}"]] if part.form == OWN_FILE else named
    apps = [meaning for meaning in meant.meanings if meaning.kind == APP]
    titles = [app.title for app in apps]
    ids = {app: f"a{n}" for n, app in enumerate(apps, 1)}
    for meaning in meant.meanings:
        if meaning.kind == APP:
            title = told_apart(meaning.title, meaning.target, titles)
            yield Address(ids[meaning], meaning.target, title, source=APP)
        elif meaning.kind == FILE:
            yield files[f"f{part.value}"]
        elif address := next(named, None):
            yield address
