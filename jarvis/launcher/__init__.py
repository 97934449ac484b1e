"""Finds the command in plain words without a model, and describes it as an intent for the guard.

It is cheap, since every request comes here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..actions.base import Action, DesktopAction, catalogue
from ..actions.open_file import path_here, path_in, path_of
from ..actions.open_website import address_in
from ..config.sources import folders_of
from ..core import types
from ..core.intent import MOST_LINES, Form, Intent, Part
from ..core.text import distinct_title
from ..core.types import ADDRESS, APP, FILE, Address, Facts, NameMatch, Options, ParsedWords
from ..core.urls import may_be_file, unwrapped
from ..language import command_grammar
from ..language.command_grammar import OPENS, SHOWS

if TYPE_CHECKING:
    from .names import Names


class Command(NamedTuple):
    """A command in plain words: an action and its arguments."""

    action: Action
    arguments: Mapping[str, str]
    meanings: tuple[NameMatch, ...] = ()  # where they have a name: what it means here, best first
    is_unsure: bool = False  # whether they only name it, and it may be something else
    others: tuple[Command, ...] = ()  # what else they ask for, in their order

    @property
    def each(self) -> tuple[Command, ...]:
        """All that they ask for, one thing after the other."""
        return (self._replace(others=()), *self.others)

    @property
    def target(self) -> str:
        """The target: an address, a name, a path, or a line number. Empty for a picture."""
        return next(iter(self.arguments.values()), "")


def command_for(*meanings: NameMatch, is_unsure: bool = False) -> Command:
    """Return the command that opens the first of *meanings*, which are those of one name."""
    first = meanings[0]
    action = catalogue()[{APP: "open_app", FILE: "open_file"}.get(first.kind, "open_website")]
    alone = len(meanings) == 1 and first.kind in (ADDRESS, FILE)
    return Command(action, {action.argument: first.target}, () if alone else meanings, is_unsure)


def understood(words: ParsedWords, names: Names | None = None) -> Command | None:
    """Return the command in *words*, or None if they aren't plain. names: of this machine."""
    if not command_grammar.is_typed(words.as_typed):
        return None
    return bare(words, names) or _one(words, names) or _several(words, names)


def _one(parsed: ParsedWords, names: Names | None) -> Command | None:
    """Return the single command in *parsed*, or None."""
    is_either = (
        parsed.verb in (OPENS, SHOWS) and not parsed.doubts
    )  # “go to a.example” says that it is a site
    word = unwrapped(command_grammar.address(parsed)) if is_either else ""
    if word and not may_be_file(word) and len(both := _typed(word)) > 1:
        return command_for(*both)
    for action in catalogue().values():
        if not isinstance(action, DesktopAction) or parsed.verb not in action.verbs or parsed.doubts:
            continue
        if (arguments := action.plain(parsed)) is not None:
            return Command(action, arguments)
    meanings = names.meanings(parsed) if names else ()
    # What means nothing else may be what lies here.
    if names and not meanings and (path := path_in(parsed, path_here) or names.folder(parsed)):
        meanings = (NameMatch(FILE, parsed.as_typed, path),)
    return command_for(*meanings) if meanings else None


def _several(words: ParsedWords, names: Names | None) -> Command | None:
    """Return the command in `open A, B and C`, if each part is plain and means one thing."""
    listed = command_grammar.listed(words)
    if not 1 < len(listed) <= MOST_LINES:
        return None
    found = {}
    for each in listed:
        command = _one(command_grammar.parse_words(each), names)
        if command is None or len(command.meanings) > 1:
            return None
        found[command.action.name, command.target] = command
    first, *others = found.values()
    return first._replace(others=tuple(others))


def parse_command(words: ParsedWords, options: Options, environment: Mapping[str, str]) -> Command | None:
    """Return the command in *words*, or None. Raises SettingsError if the names are unreadable."""
    if (command := understood(words)) or not (words.verb or command_grammar.bare_name(words)):
        return command
    from .names import Names  # the apps are looked up for words that may hold a name alone

    folders = folders_of(environment, options.env_file)
    return understood(words, Names(environment, folders.aliases, folders.cache))


# Words that are nothing but an address, or the full name of an alias, a known site or an app.


def bare(words: ParsedWords, names: Names | None) -> Command | None:
    """Return the command to open what *words* name, if they say nothing else, or None."""
    text = words.as_typed
    typed = _typed(text)
    if typed and typed[-1].kind == ADDRESS:
        return command_for(*typed, is_unsure=len(typed) == 1 and may_be_file(text))
    if names and (name := command_grammar.bare_name(words)):
        here = path_here(text)
        meanings = names.of(name, NameMatch(FILE, name, here) if here else None)
        if meanings:
            return command_for(*meanings)
    return command_for(*typed, is_unsure=True) if typed else None


def _typed(text: str) -> list[NameMatch]:
    """Return the targets of *text* as typed: a file in this folder, then an address."""
    path, url = path_of(text), address_in(text) if unwrapped(text) == text else ""
    # What is no address either is told not to be there.
    lying = [NameMatch(FILE, text, path)] if path and (not url or os.path.lexists(path)) else []
    return [*lying, NameMatch(ADDRESS, text, url)] if url else lying


# What a plain command asks for, as an intent.


def is_line(target: str) -> bool:
    """Return whether the target *target* is the number of a line. -1 is the last line."""
    return target.removeprefix("-").isdigit()


def parts_of(command: Command, lines: Sequence[int]) -> tuple[Part, ...]:
    """Return the parts of a plain command as a reading of its words has them.

    lines: for each target its line number, or 0.
    """
    counted = {Form.TYPED: 0, Form.FILE: 0}
    parts = []
    for each, line in zip(command.each, lines, strict=True):
        part = _part(each, line)
        if part.form in counted:
            counted[part.form] += 1
            part = part._replace(value=str(counted[part.form]))
        parts.append(part._replace(unsure=each.is_unsure))
    return tuple(parts)


def _part(command: Command, line: int) -> Part:
    """Return the part for *command* without its others."""
    if line:
        return Part(Form.LINE, str(line))
    if command.meanings and command.meanings[0].kind != FILE:
        first = command.meanings[0]
        return Part(Form.START if first.kind == APP else Form.SITE, first.name)
    form = command.action.wants[0].form
    return Part(form, command.target if form == Form.START else "")


def part_chosen(part: Part, chosen: Address) -> Part:
    """Return *part*, which may mean several things, once *chosen* is what it means."""
    name = chosen.official_name or chosen.title if part.form == Form.FILE else part.value
    match chosen.source:
        case types.APP:
            return part._replace(form=Form.START, value=name)
        case types.FILE:
            return part._replace(form=Form.FILE)
        case types.ADDRESS:
            return part._replace(form=Form.TYPED)
    return part._replace(form=Form.SITE, value=name)


def files_in(command: Command) -> tuple[Address, ...]:
    """Return the files that a plain command may open, each under its id in the turn."""
    paths = [each.target for each in command.each if each.action.wants[0].form == Form.FILE]
    return tuple(Address(f"f{n}", path, source=FILE) for n, path in enumerate(paths, 1))


def commanded(
    command: Command, parts: Sequence[Part], before: Facts, addresses: Sequence[Sequence[Address]]
) -> tuple[Facts, list[Address | None]]:
    """Return *before* with what a plain command asks for, and the address of each thing, if it has one.

    addresses: for each thing, the address that it is, or those among its meanings, with their ids.
    """
    files = {file.id: file for file in files_in(command)}
    found = [
        tuple(_meanings(each, part, iter(rows), files))
        for each, part, rows in zip(command.each, parts, addresses, strict=True)
    ]
    facts = before._replace(
        addresses={**before.addresses, **files},
        intent=Intent(tuple(parts), is_command=True),
        left=tuple(range(1, len(parts) + 1)),
        meanings={
            n: before.meaning_of(n)._replace(addresses=those)
            for n, (each, those) in enumerate(zip(command.each, found, strict=True), 1)
            if _may_be_an_app(each)
        },
    )
    return facts, [those[0] if those and those[0].source != APP else None for those in found]


def _may_be_an_app(command: Command) -> bool:
    return len(command.meanings) > 1 or APP in [meaning.kind for meaning in command.meanings]


def _meanings(
    command: Command, part: Part, addresses: Iterator[Address], files: Mapping[str, Address]
) -> Iterator[Address]:
    """Yield the meanings of the name in *part*, in order, or the target itself if it isn't a name."""
    if not command.meanings:
        yield from [files[f"f{part.value}"]] if part.form == Form.FILE else addresses
    apps = [meaning for meaning in command.meanings if meaning.kind == APP]
    titles = [app.title for app in apps]
    ids = {app: f"a{n}" for n, app in enumerate(apps, 1)}
    for meaning in command.meanings:
        if meaning.kind == APP:
            title = distinct_title(meaning.title, meaning.target, titles)
            yield Address(ids[meaning], meaning.target, title, source=APP)
        elif meaning.kind == FILE:
            yield files[f"f{part.value}"]
        elif address := next(addresses, None):
            yield address
