"""The intent in a turn's words: read once and held in memory, with the parts that are still open.

It is safe because of its prompt: only the user's own words, and the results of earlier ones from intents and
states that we recorded. It contains no title, reply, host, query, file, or name from anyone else.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..actions.base import OPEN_SITE, OPEN_WEBSITE, Action, Want
from ..core.errors import Unusable
from ..core.intent import MOST_LINES, Form, Intent, Part, by_ids, by_numbers, parsed
from ..core.text import pluralize
from ..core.types import APP, INSTEAD, ActionRequest, Address, Facts, Meanings, Outcome, Plan, Site, Step
from ..core.urls import host_of
from ..policy.questions import UNDONE
from ..search.extract import key_of
from ..search.hosts import Lookups, searched_site
from ..store.addresses import page_in, pages_in
from ..store.turns import PastTurn
from . import prompt

LookUp = Callable[[Part], Awaitable[Meanings | None]]  # what the name in a part means here
_TRIES = 2  # of one thing: a failed one may be tried once more, with another address
_USING = ("done", "unknown", "declined")  # the states of a step that use up what it was for


class IntentTracker:
    """The reading of a turn's words. Made once. Only the user adds to it."""

    def __init__(self, words: str, actions: Mapping[str, Action], wants: Iterable[Want]) -> None:
        """wants: the parts that there are."""
        self.words = words  # that the person said in this turn
        self.intent: Intent | None = None
        # What the first plan says that they ask for, where its prompt was not clean: it allows nothing.
        self.wish: Intent | None = None
        self._recalled: Intent | None = None  # what a brain that died had read: it allows nothing
        self.added: list[Address] = []  # typed in the middle of the turn, or the known site of a name
        self._typed: list[Address] = []
        self._earlier: list[PastTurn] = []
        self._lines = 0
        self._actions = actions
        self._forms = [want.form for want in wants]
        self._look_up: LookUp  # from `set_context` on
        self._meanings: dict[int, Meanings] = {}  # what the names in its parts mean without a search
        self._settled: set[str] = set()
        self._since = 0  # the steps until then count for no part

    def set_context(
        self, typed: Iterable[Address], earlier: Iterable[PastTurn], lines: int, look_up: LookUp
    ) -> None:
        """Set the context for reading the words: typed addresses, earlier turns, the last table.

        lines: of that list. look_up: returns the meanings of a name here, or None.
        """
        self._typed, self._lines, self._look_up = list(typed), lines, look_up
        self._earlier = [turn for turn in earlier if turn.is_own][-prompt.OF_READING :]

    def as_record(self) -> dict[str, Any]:
        """Return the reading and the answers so far as plain values, for `recall`."""
        return {
            "words": self.words,
            "typed": _records(self._typed),
            "added": _records(self.added),
            "intents": [each and _records(each.parts) for each in (self.intent, self.wish, self._recalled)],
            "named": [
                [n, _records(each.addresses), each.is_near, list(each.site)]
                for n, each in self._meanings.items()
            ],
            "settled": sorted(self._settled),
            "since": self._since,
        }

    def recall(self, record: Mapping[str, Any]) -> None:
        """Restore the values of `as_record`, in any process."""
        self.words, self._since = record["words"], record["since"]
        self._typed, self.added = _pages_of(record["typed"]), _pages_of(record["added"])
        self.intent, self.wish, self._recalled = map(_intent_in, record["intents"])
        self._meanings = {n: _meanings_in(*each) for n, *each in record["named"]}
        self._settled = set(record["settled"])

    @property
    def words_before(self) -> str:
        """The user's words in the turn before, or ""."""
        return self._earlier[-1].goal if self._earlier else ""

    @property
    def prompt(self) -> str:
        """The prompt of the small call."""
        return prompt.reading(self.words, self._earlier, self._lines, self._actions)

    async def take(self, wants: str) -> None:
        """Freeze the intent that *wants* is. Raises Unusable."""
        intent = self.parsed(wants)
        looked_up = [(n, await self._look_up(part)) for n, part in enumerate(intent.parts, 1)]
        self._meanings = {n: found for n, found in looked_up if found is not None}
        self.intent = intent

    def take_nothing(self) -> None:
        self.intent, self._meanings = Intent(), {}

    def parsed(self, wants: str) -> Intent:
        """Return the intent that *wants* is. Raises Unusable."""
        before = [seen for turn in self._earlier if (seen := prompt.seen(turn))]
        return parsed(wants, self._forms, self.words, before)

    def recall_parts(self, parts: Sequence[str] | None) -> None:
        """Restore the *parts* that a dead process had recorded in history, or None."""
        if parts is not None:
            with suppress(Unusable):
                self._recalled = self.parsed("; ".join(by_numbers(parts, self._typed_ids)) or Form.NOTHING)

    @property
    def requested(self) -> Intent | None:
        """The intent in the words, perhaps as a dead process had read it. None: not read."""
        return self.intent or self._recalled

    @property
    def parts_by_id(self) -> tuple[str, ...] | None:
        """The parts of the intent for programs. None: the words were not read."""
        return self.by_id(self.requested.parts) if self.requested else None

    def by_id(self, parts: Iterable[Part]) -> tuple[str, ...]:
        """Return *parts* of it as programs read them."""
        return by_ids((part.canonical for part in parts), self._typed_ids)

    @property
    def _typed_ids(self) -> list[str]:
        return [address.id for address in self._typed]

    def unmet(self, steps: Iterable[Step]) -> list[Part]:
        """Return the parts that no step did, may have done, or was refused for."""
        own, requested = self._own(steps), self.requested or self.wish or Intent()
        used = {step.outcome.part for step in own if step.is_good or step.outcome.state in _USING}
        # “github, that is github.com” may be read as two parts, and is one site.
        done = {key_of(step.outcome.value) for step in own if step.is_good}
        sites = ((n, each.site.url) for n, each in self._meanings.items())
        used |= {n for n, url in sites if url and key_of(url) in done}
        parts = [part for n, part in enumerate(requested.parts, 1) if n not in used]
        return [] if _is_no_to_all(own) else parts

    def describe_unmet(self, parts: Iterable[Part], query: str = "") -> str:
        """Return a line on *parts* not done: `Not opened: paypal, line 2. Not started: gimp.`

        query: a search without results, which explains why there is no page to open.
        """
        wants = {
            want.form: (each.effect, want.meaning) for each in self._actions.values() for want in each.wants
        }
        names: dict[str, list[str]] = {}
        for part in (part for part in parts if not (query and part.form == Form.FOUND)):
            (effect, meaning), name = wants.get(part.form, ("", part.canonical)), self._part_label(part)
            undone = UNDONE.get(effect) if name else None  # without a name it says what is done
            names.setdefault(undone or "Not done", []).append(name or meaning)
        sentences = [f"{undone}: {', '.join(each)}." for undone, each in names.items()]
        return " ".join([*sentences, f"Nothing was found for “{query}”."] if query else sentences)

    def open_parts(self, steps: Iterable[Step]) -> dict[int, Part]:
        """Return the parts that are not used up, by their numbers."""
        own, intent = self._own(steps), self.intent
        if intent is None or _is_no_to_all(own):
            return {}
        missing = [n for n in self._meanings if self._is_missing(n, intent.part(n))]
        return {n: intent.part(n) for n in open_parts(intent, own, missing)}

    def serving(self, action: Action, steps: Sequence[Step]) -> list[Part]:
        """Return the parts that are left and let *action* act."""
        own = self._own(steps)
        return [part for n, part in self.open_parts(own).items() if self._lets(action, n, part, own)]

    def allows(self, action: Action, steps: Sequence[Step]) -> bool:
        """Return whether *action* may still be planned: a part for it is left, or it needs none."""
        return not action.wants or self.intent is None or bool(self.serving(action, steps))

    def as_asked(self, action: Action, steps: Sequence[Step] = ()) -> Action:
        """Return *action*. If it opens an address but the user named a site, return the action for that."""
        site = self._actions[OPEN_SITE]
        is_other = action.name == OPEN_WEBSITE and not self.allows(action, steps) and self.allows(site, steps)
        return site if is_other else action

    def describe_open_parts(self, steps: Iterable[Step]) -> str:
        """Return the parts that are still open, or "" if there are none or nothing was read."""
        parts = self.open_parts(steps).items()
        return "; ".join(f"{part.canonical}{self._caveat(n, part)}" for n, part in parts)

    def facts(self, facts: Facts, steps: Sequence[Step], lookups: Lookups) -> Facts:
        """Return *facts* with all that is known of the intent.

        lookups: of each search of this turn, as State has them.
        """
        addresses = {**facts.addresses, **{address.id: address for address in self.added}}
        meanings = {
            n: each._replace(site=searched_site(each.site, part.value, lookups, addresses))
            for n, part in enumerate(self.intent.parts if self.intent else (), 1)
            if (each := self._meanings.get(n))
        }
        return facts._replace(
            intent=self.intent,
            left=tuple(self.open_parts(steps)),
            typed=tuple(self._typed_ids),
            meanings=meanings,
            addresses=addresses,
            settled=frozenset(self._settled),
            is_pasted="\n" in self.words,
        )

    def settle(self, request: ActionRequest, chosen: Address | None) -> None:
        """Note a yes to *request*: its part is sure, and means what they chose, if they chose."""
        self._settled.update(request.doubts)
        if not (n := request.part) or self.intent is None:
            return
        if meanings := self._meanings.get(n):
            self._meanings[n] = _settled(meanings, chosen)
        self.intent = self.intent.with_part(n, self.intent.part(n)._replace(unsure=False))

    def restart(self, sentence: str, typed: Sequence[Address], n: int) -> None:
        """Read *sentence*, said instead of an answer at step *n*, in place of what is left."""
        parts = self.intent.canonical_parts if self.intent else None
        steps = (Step(n, Plan("", {}), Outcome("declined", "")),)
        before = PastTurn(goal=self.words, is_own=True, status="done", intent=parts, steps=steps)
        self._earlier = [*self._earlier, before][-prompt.OF_READING :]
        self.words, self._typed, self._since = sentence, list(typed), n
        self.added += typed
        self.intent, self._recalled, self._meanings, self._settled = None, None, {}, set()

    def _part_label(self, part: Part) -> str:
        """Return a label of *part* for the user, or "" if it has no name."""
        if part.form == Form.TYPED and part.number <= len(self._typed):
            return host_of(self._typed[part.number - 1].url)
        labels = {Form.LINES: "the lines of the list", Form.PICTURE: "a picture of the screen"}
        labels |= {Form.SCREEN: "the screen", Form.CLIPBOARD: "the clipboard", Form.WINDOW: "the window"}
        numbered = {Form.LINE: f"line {part.number}", Form.FOUND: pluralize(part.number, "pages")}
        return (labels | numbered).get(part.form) or part.value

    def _own(self, steps: Iterable[Step]) -> list[Step]:
        """Return the steps that the words were read for."""
        return [step for step in steps if step.n > self._since]

    def _is_missing(self, n: int, part: Part) -> bool:
        """Return whether *part*, the *n*-th, names an app that is not installed."""
        return part.form == Form.START and not self._meanings[n].addresses

    def _caveat(self, n: int, part: Part) -> str:
        if self._is_missing(n, part):
            return " (no such app is installed: they may want its site)"
        return " (there is no such line)" if part.form == Form.LINE and part.number > self._lines else ""

    def _lets(self, action: Action, n: int, part: Part, steps: Sequence[Step]) -> bool:
        """Return whether *part* lets *action* act."""
        if part.form not in (Form.START, Form.SITE):
            return part.form in [want.form for want in action.wants]
        meanings = self._meanings[n].addresses
        apps = [address for address in meanings if address.source == APP]
        if action.effect == "opens":  # what is not installed may have a site
            may_be_site = part.form == Form.SITE or not apps or len(apps) < len(meanings)
            return may_be_site and Form.SITE in [want.form for want in action.wants]
        if action.effect == "launches":  # that it is not installed is found out once
            return bool(apps) or (self._is_missing(n, part) and not _of_part(n, steps))
        return False


def open_parts(intent: Intent, steps: Iterable[Step], missing: Collection[int] = ()) -> list[int]:
    """Return the numbers of the parts that are not used up: by what was done, is unknown, or got a no.

    missing: of those whose app is not installed. They come last, so that they keep nothing else from being
    started.
    """
    done = list(steps)
    left = [n for n, part in enumerate(intent.parts, 1) if _used(_of_part(n, done)) < part.most]
    return sorted(left, key=lambda n: (n in missing, n in missing and bool(_of_part(n, done))))


def _used(steps: Sequence[Step]) -> int:
    """Return how often what *steps* were for is used up by them."""
    used = sum(step.outcome.state in _USING and step.outcome.code != INSTEAD for step in steps)
    used += sum(step.outcome.is_final for step in steps) * MOST_LINES  # nor may another be tried
    return used + sum(step.outcome.state == "failed" for step in steps) // _TRIES


def _is_no_to_all(steps: Iterable[Step]) -> bool:
    """Return whether they said no to all that was pasted."""
    return any(step.outcome.state == "declined" and step.outcome.closes for step in steps)


def _of_part(n: int, steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if step.outcome.part == n]


def _pages_of(records: Iterable[Mapping[str, Any]]) -> list[Address]:
    return pages_in(Address(**record) for record in records)


def _settled(meanings: Meanings, chosen: Address | None) -> Meanings:
    """Return the meaning of a name after a yes: the *chosen* one, if there is one."""
    if chosen is None:
        return meanings._replace(is_near=False)
    site = meanings.site if chosen.source == APP else Site(chosen.url, was_searched=True)
    return Meanings((chosen,), site=site)


def _meanings_in(records: Iterable[Mapping[str, Any]], is_near: bool, site: Iterable[Any]) -> Meanings:
    choices = (Address(**record) for record in records)
    addresses = tuple(each if each.source == APP else page_in(each) for each in choices)
    return Meanings(addresses, is_near, Site(*site))


def _intent_in(records: Iterable[Mapping[str, Any]] | None) -> Intent | None:
    return None if records is None else Intent(tuple(Part(**part) for part in records))


def _records(values: Iterable[Address | Part]) -> list[dict[str, Any]]:
    return [value._asdict() for value in values]
