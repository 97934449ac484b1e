"""Begins the turn of a plain command: what it asks for is written down, and what its names mean is known."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.events import Unsure
from ..core.intent import OWN_FILE, TYPED, Intent, Part
from ..core.types import APP, FILE, Address, Facts, Plan, Request, Turn
from ..launcher.meant import Meant, commanded, files_in, is_line, parts_of
from ..store.addresses import nth
from ..store.history import History


class Planning(NamedTuple):
    """One of the things that a plain command asks for, as a plan."""

    plan: Plan
    target: str  # what it acts on, in words


class Commanded(NamedTuple):
    """A plain command whose turn has begun."""

    turn: Turn
    facts: Facts
    each: tuple[Planning, ...]


async def begin(words: str, meant: Meant, history: History, thread: str, id_: str = "") -> Commanded:
    """Begin the turn of *words*. Raises, with nothing begun, UsageError for a line that is not listed.

    Raises StoreFailed where it can't be known what was listed.
    id_: of the turn, where it was begun before and goes on.
    """
    shown = await history.addresses.shown(thread) if any(_is_line(each) for each in meant.each) else []
    lines = [await _line(each, shown, history, thread) for each in meant.each]
    parts = parts_of(meant, [shown.index(line) + 1 if line else 0 for line in lines])
    typed = [each.named for each in meant.each if _is_typed(each)]
    named = [_named(each) for each in meant.each]
    turn = await history.begin(
        thread,
        words,
        typed,
        known=[row for rows in named for row in rows],
        intent=[p.told for p in parts],
        id_=id_,
    )
    minted, known = iter(turn.typed), iter(turn.typed[len(typed) :])
    addresses = [[next(known) for _ in rows] for rows in named]
    facts = Facts(
        {address.id: address for address in (*turn.typed, *shown)},
        typed=tuple(address.id for address in turn.typed if address.source == "typed"),
        shown=tuple(address.id for address in shown),
    )
    files = iter(files_in(meant))
    each = tuple(
        _planning(one, line or (next(minted) if _is_typed(one) else None), rows, files)
        for one, line, rows in zip(meant.each, lines, addresses, strict=True)
    )
    return Commanded(turn, commanded(meant, parts, facts, addresses), each)


async def left_in(thread: str, history: History, state: str) -> list[Unsure]:
    """Close what a crash left open in *thread*, unless somebody is at work in it. Return what is untold.

    state: the folder for locks.
    """
    if not await history.has_left(thread):
        return []
    # Few turns are left open.
    from ..store.locks import FileLock
    from ..store.turns import close_thread

    lock = FileLock(state, thread)
    if await lock.take():
        try:
            await close_thread(history.database, thread)
        finally:
            await lock.release()
    return await history.unreported(thread)


def allowed_in(thread: str, consents: str) -> frozenset[tuple[str, str, str]]:
    """Return what they allowed for *thread*: most people nothing. consents: the file."""
    if not os.path.lexists(consents):
        return frozenset()
    from ..policy.consents import Consents  # most people gave none

    return Consents(consents).allowed(thread)


def with_folder(facts: Facts, path: str) -> tuple[Facts, str]:
    """Return *facts* in which the folder of *path* is asked for, which is not sure; and its id."""
    intent = facts.intent or Intent()
    number = 1 + sum(address.source == FILE for address in facts.addresses.values())
    folder = Address(f"f{number}", os.path.dirname(path), source=FILE)
    parts = (*intent.parts, Part(OWN_FILE, str(number), unsure=True))
    known = facts._replace(
        addresses={**facts.addresses, folder.id: folder},
        intent=intent._replace(parts=parts),
        left=(len(parts) - 1,),
    )
    return known, folder.id


def settled(facts: Facts, request: Request, chosen: Address) -> Facts:
    """Return *facts* once the person chose *chosen*, or typed it in place of what they were asked about."""
    place = request.part - 1
    if request.choices:
        return facts._replace(meanings={**facts.meanings, place: (chosen,)})
    typed, intent = (*facts.typed, chosen.id), facts.intent or Intent()
    part = Part(TYPED, str(len(typed)))
    parts = (*intent.parts[:place], part, *intent.parts[place + 1 :])
    return facts._replace(typed=typed, intent=intent._replace(parts=parts))


def _planning(
    meant: Meant, address: Address | None, named: Sequence[Address], files: Iterator[Address]
) -> Planning:
    action, argument = meant.action, meant.action.argument
    kind = meant.meanings[0].kind if meant.meanings else ""
    if action.wants and action.wants[0].form == OWN_FILE:
        address = next(files)
    elif named and kind != APP:
        address = named[0]
    named_so = {argument: address.id} if address else {}
    plan = Plan(action.name, {**meant.arguments, **named_so}, finish=True)
    return Planning(plan, address.url if address else " ".join(meant.arguments.values()))


def _is_line(meant: Meant) -> bool:
    return any(field.offered for field in meant.action.fields) and is_line(meant.named)


def _is_typed(meant: Meant) -> bool:
    """Return whether it is an address that stands in the words by itself."""
    is_offered = any(field.offered for field in meant.action.fields)
    return is_offered and not (meant.meanings or is_line(meant.named))


def _named(meant: Meant) -> list[tuple[str, str, str]]:
    """Return the addresses among the meanings of its name, each as (address, kind of name, the name)."""
    return [
        (each.target, each.kind, "" if each.kind == "typed" else each.name)
        for each in meant.meanings
        if each.kind not in (APP, FILE)
    ]


async def _line(meant: Meant, shown: Sequence[Address], history: History, thread: str) -> Address | None:
    """Return the address on the line that *meant* names; None where it names none."""
    if not _is_line(meant):
        return None
    address = nth(shown, int(meant.named))
    if history.trouble and not shown:
        raise history.trouble
    if address is None:
        from ..store.history import no_line  # few are missing

        raise await no_line(history, thread, int(meant.named), lines=len(shown), by="jarvis")
    if not address.url:
        from ..store.history import no_page  # most lines have one

        raise no_page(address, int(meant.named), by="jarvis")
    return address
