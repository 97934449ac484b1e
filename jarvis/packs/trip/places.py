"""Which place a name is: looked up once by Google Flights' own suggestions, and remembered for good.

Neither a model says it nor a table of airports: a city's id stands for all of its airports. A name that
several places have, or that none has quite so, is asked about once.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...actions import Service
from ...core.errors import JarvisError, SearchFailed
from ...core.tables import Column, Row
from ...core.text import folded
from ...core.types import WHICH, Facts, Outcome
from ...search.serpapi import Engines
from ...store.items import SavedItem, SavedItems
from ..entries import entries_at, table_of, token_at, words_at
from . import PLACE, PLACES

SAVED = Service("saved", lambda context: context.items)
_ENGINE = "google_flights_autocomplete"
_ID = r"/[mg]/\w{2,20}|[A-Z]{3}(?:,[A-Z]{3}){0,6}"  # a place of Google's, or airports
_MOST = 9  # places that are asked about
_COLUMNS = (Column("name", "place", rank=0), Column("what", "what it is", rank=1))


class Location(NamedTuple):
    id: str  # as the searches want it: /m/04llb, BOS, or several airports
    name: str  # Lisbon, Portugal
    what: str = ""  # Capital of Portugal


def answered(names: Sequence[str], facts: Facts) -> dict[str, Location]:
    """Return which of *names* are lines that the person was asked about: by those, and what they had said."""
    rows = [row.private for table in facts.tables if table.kind == PLACE for row in table.rows]
    picked = [(row, _kept({**row, "name": row["place"]})) for row in rows if row.get("place") in names]
    return {folded(row[said]): place for row, place in picked if place for said in ("place", "asked")}


async def located(
    names: Sequence[str], picked: Mapping[str, Location], country: str, engines: Engines, saved: SavedItems
) -> list[Location] | Outcome:
    """Return what each of *names* is, which is remembered; or what asks about one that is no place's alone.

    picked: what the person just chose, by names. country: theirs, of two letters. Raises SearchFailed for
    what nobody knows.
    """
    items = await saved.all(PLACES)
    known = {item.id: place for item in items if (place := _kept(item.body))} | dict(picked)
    new = [name for name in dict.fromkeys(names) if folded(name) not in known]
    asked = [(_ENGINE, {"q": name, "gl": country, "hl": "en"}) for name in new]
    pages = dict(zip(new, await engines.ask_all(asked) if asked else [], strict=True))
    found = {name: _bearers(page, name) for name, page in pages.items()}
    sure = {folded(name): each[0] for name, each in found.items() if len(each) == 1} | dict(picked)
    await saved.add([SavedItem(PLACES, name, place._asdict()) for name, place in sure.items()])
    known |= sure
    unsure = [name for name in new if folded(name) not in known]
    return _asking(unsure[0], pages[unsure[0]]) if unsure else [known[folded(name)] for name in names]


def _asking(said: str, page: object) -> Outcome:
    """Return the outcome that asks which place of a *page* was meant, on lines that can be named.

    Where none has the name that was *said*, all of them are asked about.
    """
    if isinstance(page, JarvisError):
        raise page
    if not (places := (_bearers(page, said) or _suggested(page))[:_MOST]):
        raise SearchFailed(f"Google Flights knows no place called “{said}”.", hint="Name the nearest city.")
    rows = [
        Row("", {"name": name, "what": what or None}, private={"place": name, "id": id_, "asked": said})
        for id_, name, what in places
    ]
    told = f"Which place is “{said}”?" if rows[1:] else f"Is “{said}” {places[0].name}?"
    hint = f"Say {'the line, or the country' if rows[1:] else 'yes'}: it is remembered."
    table = table_of(PLACE, _COLUMNS, rows, {})
    return Outcome("failed", told, said, code=WHICH, hint=hint, exit_status=1, table=table)


def _kept(body: Mapping[str, object]) -> Location | None:
    """Return a place as it was remembered; None for what is none: anybody may have written it."""
    id_, name = token_at(body, "id"), words_at(body, "name")
    return Location(id_, name) if name and re.fullmatch(_ID, id_) else None


def _bearers(page: object, said: str) -> list[Location]:
    """Return the places on a *page* of suggestions that have the name that was *said*."""
    airports = [each for entry in entries_at(page, "suggestions") for each in entries_at(entry, "airports")]
    names = [words_at(each, "name") for each in airports if token_at(each, "id") == said]
    if names and re.fullmatch("[A-Z]{3}", said):
        return [Location(said, names[0] or said)]
    return [place for place in _suggested(page) if _bears(place, said)]


def _suggested(page: object) -> list[Location]:
    read = []
    for entry in entries_at(page, "suggestions"):
        id_ = token_at(entry, "id")
        if words_at(entry, "type") == "region":  # flights are searched for by airports there
            codes = [token_at(each, "id") for each in entries_at(entry, "airports")]
            id_ = ",".join(codes[:7])  # so many are taken
        read.append(Location(id_, words_at(entry, "name"), words_at(entry, "description")))
    return [place for place in read if place.name and re.fullmatch(_ID, place.id)]


def _bears(place: Location, said: str) -> bool:
    """Return whether a *place* is called as was *said*: Naples; Naples, Italy; Naples Italy."""
    head, words = _words(place.name.partition(",")[0]), _words(said)
    return words[: len(head)] == head and {*words[len(head) :]} <= {*_words(f"{place.name} {place.what}")}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", folded(text))
