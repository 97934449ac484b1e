"""What the words of a turn ask for, read once and held in memory; and what is left of it.

What makes it safe is what its prompt holds: the person's own words, and what came of earlier ones, told from
the intents and states that we wrote down. No title, reply, host, query, file or name of anybody else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from ..actions.base import Action, Want, wants_of
from ..core.intent import LINE, SITE, START, TYPED, Intent, Part, Unreadable, parsed
from ..core.text import one_line
from ..core.types import APP, INSTEAD, Address, Facts, Meanings, Request, Step
from ..policy.verdict import PASTED
from ..store.turns import Exchange
from . import prompt
from .plan_schema import wants_schema

EARLIER = 10  # turns
_TRIES = 2  # of one thing: a failed one may be tried once more, with another address
_USING = ("done", "unknown", "declined")  # the states of a step that use up what it was for


class Reading:
    """The reading of a turn's words. Made once; only the person adds to it."""

    def __init__(
        self,
        words: str,
        typed: Sequence[Address],
        actions: Mapping[str, Action],
        look_up: Callable[[Part], Awaitable[Meanings | None]],
        wants: Sequence[Want] | None = None,
    ) -> None:
        """typed: the addresses in *words*. look_up: what a name means here; None: nothing in particular.

        wants: the parts that there are, if not those of *actions* alone.
        """
        self.intent: Intent | None = None
        self.added: list[Address] = []  # typed by the person in the middle of the turn
        self.is_pasted = "\n" in words
        self._words = words
        self._typed = list(typed)
        self._earlier: list[Exchange] = []
        self._lines = 0
        self._actions = actions
        self._forms = [want.form for want in (wants_of(actions) if wants is None else wants)]
        self._look_up = look_up
        self._meanings: dict[int, tuple[Address, ...]] = {}
        self._near: set[int] = set()
        self._settled: set[str] = set()
        self._since = 0  # the steps until then count for no part
        self._is_refused = False  # all of it

    def as_record(self) -> dict[str, Any]:
        """Return what was read and settled so far, as plain values, for `recall`."""
        intent, meanings = self.intent, sorted(self._meanings.items())
        return {
            "words": self._words,
            "typed": [each._asdict() for each in self._typed],
            "added": [each._asdict() for each in self.added],
            "intent": None if intent is None else [part._asdict() for part in intent.parts],
            "meanings": [[place, [each._asdict() for each in meant]] for place, meant in meanings],
            "near": sorted(self._near),
            "settled": sorted(self._settled),
            "since": self._since,
            "is_refused": self._is_refused,
        }

    def recall(self, record: Mapping[str, Any]) -> None:
        """Take up what `as_record` returned, in whatever process."""
        parts, meanings = record["intent"], record["meanings"]
        self._words, self.is_pasted = record["words"], "\n" in record["words"]
        self._typed, self.added = addresses_of(record["typed"]), addresses_of(record["added"])
        self.intent = None if parts is None else Intent(tuple(Part(**part) for part in parts))
        self._meanings = {place: tuple(addresses_of(meant)) for place, meant in meanings}
        self._near, self._settled = set(record["near"]), set(record["settled"])
        self._since, self._is_refused = record["since"], record["is_refused"]

    def names(self, typed: Sequence[Address], look_up: Callable[[Part], Awaitable[Meanings | None]]) -> None:
        """Note what the words name. typed, look_up: as of the class."""
        self._typed, self._look_up = list(typed), look_up

    def comes_after(self, earlier: Sequence[Exchange], lines: int) -> None:
        """Note the turns before this one, and how many lines the list last shown has."""
        self._earlier = [exchange for exchange in earlier if exchange.is_own][-EARLIER:]
        self._lines = lines

    @property
    def own_words(self) -> str:
        """What the person said in this turn."""
        return self._words

    @property
    def words_before(self) -> str:
        """What the person said before that; empty: nothing yet."""
        return self._earlier[-1].goal if self._earlier else ""

    @property
    def prompt(self) -> str:
        """What the small call is about."""
        return prompt.reading(self._words, self._earlier, self._lines, self._actions)

    async def take(self, wants: str) -> None:
        """Freeze the intent that *wants* is. Raises Unreadable."""
        before = [seen for exchange in self._earlier if (seen := prompt.seen(exchange))]
        intent = parsed(wants, self._forms, self._words, before)
        meanings = {place: await self._look_up(part) for place, part in enumerate(intent.parts)}
        self._meanings = {place: found.addresses for place, found in meanings.items() if found is not None}
        self._near = {place for place, found in meanings.items() if found is not None and found.is_near}
        self.intent = intent

    def take_nothing(self) -> None:
        self.intent = Intent()

    def left(self, steps: Iterable[Step]) -> list[int]:
        """Return the places of the parts that are not used up."""
        if self.intent is None or self._is_refused:
            return []
        return left(self.intent, self._own(steps), self._meanings)

    def serving(self, action: Action, steps: Iterable[Step]) -> list[Part]:
        """Return the parts that are left and let *action* act."""
        parts, own = (self.intent or Intent()).parts, self._own(steps)
        return [
            parts[place]
            for place in self.left(own)
            if lets(action, place, parts[place], self._meanings.get(place), own)
        ]

    def allows(self, action: Action, steps: Iterable[Step]) -> bool:
        """Return whether *action* may still be planned: a part for it is left, or it needs none."""
        return not action.wants or self.intent is None or bool(self.serving(action, steps))

    def told_left(self, steps: Iterable[Step]) -> str:
        """Return what is asked for and not done yet; empty: nothing, or it was not read."""
        parts = self.intent.parts if self.intent else ()
        return "; ".join(self._told(place, parts[place]) for place in self.left(steps))

    def facts(self, facts: Facts, steps: Sequence[Step]) -> Facts:
        """Return *facts* with all that is known of the intent."""
        return facts._replace(
            intent=self.intent,
            left=tuple(self.left(steps)),
            typed=tuple(address.id for address in self._typed),
            meanings=self._meanings,
            near=frozenset(self._near),
            settled=frozenset(self._settled),
            is_pasted=self.is_pasted,
            words=self._words,
        )

    def settle(self, request: Request, chosen: Address | None) -> None:
        """Note a yes to *request*: its part is sure, and means what they chose, if they chose."""
        if chosen is None or request.choices:  # what they type in its place says nothing of the rest
            self._settled.update(request.doubts)
        place = request.part - 1
        if place < 0 or self.intent is None:
            return
        part = self.intent.parts[place]._replace(unsure=False)
        if chosen is not None and request.choices:
            self._meanings[place] = (chosen,)
        elif chosen is not None:  # typed in place of what they were asked about
            self._typed.append(chosen)
            self.added.append(chosen)
            part = Part(TYPED, str(len(self._typed)))
        self._near.discard(place)
        parts = [*self.intent.parts[:place], part, *self.intent.parts[place + 1 :]]
        self.intent = Intent(tuple(parts))

    def refuse(self, request: Request) -> None:
        """Note a no to *request*. A no to all that was pasted leaves nothing of it."""
        if PASTED in request.doubts:
            self._is_refused = True

    def begin_anew(self, sentence: str, typed: Sequence[Address], n: int) -> None:
        """Read *sentence*, said instead of an answer at step *n*, in place of what is left."""
        told = self.intent.told if self.intent else None
        acts = (("", "declined"),)
        before = Exchange(self._words, "", "", "done", is_own=True, intent=told, acts=acts)
        self._earlier = [*self._earlier, before][-EARLIER:]
        self._words, self._typed, self._since = sentence, list(typed), n
        self.added += typed
        self.intent, self._meanings, self._near, self._settled = None, {}, set(), set()
        self.is_pasted, self._is_refused = "\n" in sentence, False

    def _own(self, steps: Iterable[Step]) -> list[Step]:
        """Return the steps that the words were read for."""
        return [step for step in steps if step.n > self._since]

    def _told(self, place: int, part: Part) -> str:
        if self._meanings.get(place) == ():
            return f"{part.told} (no such app is installed: they may want its site)"
        return f"{part.told} (there is no such line)" if self._is_beyond(part) else part.told

    def _is_beyond(self, part: Part) -> bool:
        """Return whether *part* is a line that the list last shown does not have."""
        return part.form == LINE and part.number > self._lines

    @property
    def has_list(self) -> bool:
        """Whether anything was ever listed in the thread."""
        return self._lines > 0

    @property
    def lines_beyond(self) -> list[int]:
        """The lines that are asked for and that the list last shown does not have."""
        return [part.number for part in (self.intent or Intent()).parts if self._is_beyond(part)]


def addresses_of(records: Iterable[Mapping[str, Any]]) -> list[Address]:
    return [Address(**record) for record in records]


async def read_words(
    reading: Reading,
    ask: Callable[[str, str, dict[str, object]], Awaitable[str | None]],
    meaning: str,
    *,
    may_repair: bool = True,
) -> None:
    """Have the words of *reading* read by themselves; if no answer can be used, they ask for nothing.

    ask: (system, prompt, schema) → the `wants` of the answer, None where it has none.
    """
    amiss = ""
    for _ in range(2 if may_repair else 1):
        mended = f"\n\nYour last answer could not be used: {amiss}" if amiss else ""
        wants = await ask(prompt.READING, f"{reading.prompt}{mended}", wants_schema(meaning))
        try:
            if wants is None:
                raise Unreadable("`wants` is missing")
            return await reading.take(wants)
        except Unreadable as error:
            amiss = one_line(str(error), 300)
    reading.take_nothing()
    return None


def left(intent: Intent, steps: Iterable[Step], meanings: Mapping[int, Sequence[Address]]) -> list[int]:
    """Return the places of the parts that are not used up: by what was done, is unknown, or got a no.

    meanings: what the name in a part means here. What is not installed comes last, so that it keeps nothing
    else from being started.
    """
    done = list(steps)
    places = [place for place, part in enumerate(intent.parts) if not _is_used_up(place, part, done)]
    missing = {place for place in places if meanings.get(place) == ()}
    tried = {place for place in missing if _is_tried(place, done)}
    return sorted(places, key=lambda place: (place in missing, place in tried))


def lets(
    action: Action, place: int, part: Part, meant: Sequence[Address] | None, steps: Sequence[Step]
) -> bool:
    """Return whether *part*, whose name means *meant* here, lets *action* act. None: it was not looked up."""
    if part.form not in (START, SITE):
        return part.form in [want.form for want in action.wants]
    apps = [address for address in meant or () if address.source == APP]
    match action.effect:
        case "opens":  # what is not installed may have a site
            return part.form == SITE or not apps or len(apps) < len(meant or ())
        case "launches":  # that it is not installed is found out once
            return bool(apps) or (part.form == START and not meant and not _is_tried(place, steps))
    return False


def _is_used_up(place: int, part: Part, steps: Sequence[Step]) -> bool:
    own = [step for step in steps if step.outcome.part == place + 1]
    used = sum(step.outcome.state in _USING and step.outcome.code != INSTEAD for step in own)
    failed = sum(step.outcome.state == "failed" for step in own)
    return used + failed // _TRIES >= part.most


def _is_tried(place: int, steps: Iterable[Step]) -> bool:
    return any(step.outcome.part == place + 1 for step in steps)


__all__ = ["Meanings", "Reading", "read_words"]
