"""The events that a front end receives while a turn runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .errors import JarvisError
from .types import APP, FILE, TERMINALS, ActionRequest, AppsFound, NamedFile, Outcome, Performed, Plan

if TYPE_CHECKING:
    from .tables import Table

SCHEMA = 1


class TurnStarted(NamedTuple):
    thread: str
    turn: str
    goal: str


class Unreported(NamedTuple):
    """The outcome of an earlier turn that no front end has confirmed showing."""

    thread: str
    turn: str
    n: int  # its step; 0: the turn as a whole
    action: str
    target: str
    state: str  # of the step, or of the turn
    summary: str
    was_shown: bool = False  # then only news of it is reported: it is looked for again

    @property
    def text(self) -> str:
        return f"From an earlier request: {self.summary}"


def to_show(thread: str) -> str:
    """Return the command that shows *thread*: a terminal's own has no name there."""
    return f"jarvis threads show {'' if thread.startswith(TERMINALS) else thread}".rstrip()


class Planned(NamedTuple):
    n: int
    plan: Plan
    effect: str  # one of EFFECTS
    target: str  # what it acts on, in words: an address instead of its id
    origin: str = ""  # where that address is known from, in words


class Option(NamedTuple):
    """One of the answers to a question."""

    id: str
    title: str
    host: str = ""
    whole: str = ""  # of a choice its address; else what exactly this answer does. Not part of the records
    is_marked: bool = False  # Enter takes this choice. Not part of the records


class Question(NamedTuple):
    """A question to the user before a step."""

    id: str  # bound to the turn, the step and what would be done
    # approval | choice | write: of what is sent to a service | name: what a name that only comes near means
    kind: str
    text: str
    options: tuple[Option, ...]
    reason: str = ""  # why it is asked
    rule: str = ""
    doubts: tuple[str, ...] = ()  # the kinds of doubt that a yes settles. Not part of the records
    # Of a write:
    host: str = ""  # where it goes
    table: Table | None = None  # what it would change there, row by row. In records these are lines
    lines: tuple[str, ...] = ()  # what else to know of that
    body: Mapping[str, Any] = {}  # exactly what is sent
    expires_at: float = 0.0  # seconds since the epoch: a later answer counts for nothing; 0: it does not

    @property
    def is_over(self) -> bool:
        """Whether it is too late to answer it."""
        return 0 < self.expires_at < time.time()

    @property
    def choices(self) -> list[Option]:
        """The options that have a number."""
        return [option for option in self.options if option.id.isdigit()]

    @property
    def marked(self) -> int:
        """The number of the choice that Enter takes, or 0."""
        return next((int(each.id) for each in self.choices if each.is_marked), 0)

    @property
    def answer_hint(self) -> str:
        """The command to type later: the answer, or, if a file is possible, each exact target."""
        if FILE not in [option.host for option in self.choices]:
            return f"To answer: jarvis --answer {self.id}={self.options[0].id}"
        targets = [each.whole for each in self.choices if each.host not in (APP, FILE)]
        files = [f"./{os.path.relpath(each.whole)}" for each in self.choices if each.host == FILE]
        return "Choose one: " + "   or: ".join(f"jarvis open {quote(each)}" for each in files + targets)

    @property
    def takes_words(self) -> bool:
        """Whether they may say what to do instead: where nothing was begun, they need not."""
        return bool(self.id)

    def as_record(self) -> dict[str, object]:
        """Return it for programs."""
        names = ("id", "title", "host")
        options = [{name: getattr(option, name) for name in names} for option in self.options]
        rows = self.table.lines if self.table else ()
        record = {**self._asdict(), "options": options, "lines": [*rows, *self.lines]}
        del record["doubts"], record["table"]
        return record


def question_in(record: Mapping[str, Any]) -> Question:
    """Return the question that `as_record` recorded. *record* may hold more."""
    options = tuple(Option(**option) for option in record["options"])
    fields = {name: record[name] for name in Question._fields if name in record}
    return Question(**{**fields, "options": options})


class QuestionAsked(NamedTuple):
    """The turn waits for the user's answer."""

    n: int
    question: Question


class StepFinished(NamedTuple):
    """The outcome of a step."""

    n: int
    action: str
    effect: str  # one of EFFECTS
    outcome: Outcome
    is_implied: bool = False  # a reply goes by it, as by a search that worked


class TableShown(NamedTuple):
    """A table of a turn is shown: what was found, or what was worked out from it."""

    table: Table
    first: int = 1  # the number of its first line: lines run on through a turn; 0: it is not listed


class ReplyDelta(NamedTuple):
    """The next piece of a reply that is still being written."""

    text: str


class Source(NamedTuple):
    """An address listed to the person, whose line number is its place in the list."""

    id: str
    title: str
    url: str
    read: bool = False  # whether its page was read, and not only found


class Replied(NamedTuple):
    """The whole reply, and what it rests on."""

    text: str
    sources: tuple[Source, ...] = ()
    note: str = ""  # what is to be known of these words, from the steps
    unverified: tuple[str, ...] = ()  # the addresses in what is told that nothing vouches for
    first: int = 1  # the number of the first of its sources: those of the tables stand before it


class TurnFailed(NamedTuple):
    """The turn could not be finished."""

    code: str
    message: str
    hint: str


class Notice(NamedTuple):
    """Something to know while waiting. Shown to people, not part of the records, unless they must know it."""

    text: str
    must_know: bool = False  # of their history or their permissions: told on every surface but under -q
    is_warning: bool = False  # of the settings: told once in a session


class Waiting(NamedTuple):
    """The reason for waiting, shown meanwhile. Empty: the wait is over. Not part of the records."""

    text: str
    done: int = 0
    total: int = 0  # parts of the work; 0: it has none


class TurnEnded(NamedTuple):
    status: str  # done | failed | needs_answer | refused | interrupted
    exit_status: int
    summary: Mapping[str, object]  # the object that --json prints


Event = (
    TurnStarted
    | Unreported
    | Planned
    | QuestionAsked
    | ActionRequest  # the desktop is at work on it
    | StepFinished
    | TableShown
    | ReplyDelta
    | Replied
    | TurnFailed
    | Notice
    | Waiting
    | TurnEnded
)
Tell = Callable[[Event], None]  # tells of an event: a person, a program or the log


# The person's side of a turn.


class Words(NamedTuple):
    """A user's request."""

    own: str  # empty: several lines were piped in, and nothing was said beside them
    piped: str = ""  # material that they piped in besides
    model: str = ""  # that is to be asked; empty: the one of the settings
    turn: str = ""  # the id of their turn; empty: they get one
    answer: str = ""  # QUESTION=OPTION, to one that nobody could answer when it was asked
    files: tuple[NamedFile, ...] = ()  # that the words name and that are there
    did: tuple[Performed, ...] | None = None  # by the desktop, where a brain died at it; None: it is new
    missing: tuple[str, ...] = ()  # the names of files in the words that are not there
    notices: tuple[str, ...] = ()  # what the person must know of those, and of the others


class AsyncDesktop(Protocol):
    """Acts in the user's session."""

    @property
    def pictures(self) -> str:
        """The folder for the person's pictures."""

    async def act(self, request: ActionRequest) -> Outcome:
        """Perform *request* in the person's session. A failure is an outcome too."""

    async def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean, in the person's session."""


class NoDesktop:
    """The desktop of a front end that has none: nothing can be opened, started or captured."""

    pictures = ""

    async def act(self, request: ActionRequest) -> Outcome:
        what = f"{request.action.replace('_', ' ')} {request.effect.formatted}"
        message = f"There is no desktop here for this: {what}."
        return Outcome("failed", message, request.effect.target, "no_display", exit_status=1)

    async def find_apps(self, name: str) -> AppsFound:
        return AppsFound()


class Frontend(Protocol):
    """Shows each Event, and asks the person. One that drops a TurnFailed shows an empty turn."""

    @property
    def desktop(self) -> AsyncDesktop: ...

    @property
    def place(self) -> str:
        """The person's time and place, on one line, for the model."""

    @property
    def streams(self) -> bool:
        """Whether a reply is shown while it is being written."""

    @property
    def interruption(self) -> JarvisError:
        """The reason why a turn is being canceled: Interrupted or Terminated."""

    async def confirmed(self) -> bool:
        """Return whether all of the turn, which has ended, was shown: a closed terminal takes nothing."""

    def tell(self, event: Event) -> None: ...

    async def ask(self, question: Question) -> str:
        """Return the id of the option that the person chooses, or a sentence that they type instead.

        Raises NeedsAnswer where there is nobody to ask.
        """


_unheard: list[Notice] = []


def _keep_for_later(event: Event) -> None:
    """Keep what the person must know until somebody listens."""
    if isinstance(event, Notice) and event.must_know:
        _unheard.append(event)


# Who is told what holds the turn up. A turn's own: many may be under way in one process.
listener: ContextVar[Tell] = ContextVar("listener", default=_keep_for_later)


def listen(tell: Tell) -> None:
    """Send events to *tell* from now on, starting with those that nobody has received."""
    listener.set(tell)
    while _unheard:
        tell(_unheard.pop(0))


def notice(text: str, *, must_know: bool = False) -> None:
    """Tell *text* to the person whose turn is under way, if somebody listens."""
    listener.get()(Notice(text, must_know))


def waiting(text: str, done: int = 0, total: int = 0) -> None:
    """Show what is waited for, and how many of its parts are done, if somebody listens."""
    listener.get()(Waiting(text, done, total))


Changes = Callable[[str, str], bool]  # whether a text differs from what was told about the same before


def always(_about: str, _text: str) -> bool:
    """Return True: show a text even if the same topic was shown before."""
    return True
