"""A client as a turn sees it: printing and acting become messages to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from zlib import crc32

from ..actions import FIND_APPS, apps_in
from ..core.errors import Interrupted, JarvisError
from ..core.events import (
    Asked,
    Event,
    Observed,
    Option,
    Question,
    Replied,
    Tabled,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    Unsure,
)
from ..core.text import without
from ..core.types import AppFound, AppsFound, Effect, Options, Outcome, Request
from ..output.prompts import nobody_answers, nobody_is_left, said_beforehand
from ..output.tellers import tellers_for
from ..store.log import Log
from .protocol import (
    Act,
    Answer,
    Ask,
    Begun,
    Clear,
    Confirm,
    Did,
    Err,
    FromBrain,
    NoAnswer,
    Out,
    Passing,
    Piece,
    Query,
    Told,
)

Send = Callable[[FromBrain], None]
_PATIENCE = 5.0  # seconds for a client to print what it was sent: it may stand still


class FarScreen:
    """Implements screen.Surface for the terminal that *ask* announces."""

    def __init__(self, ask: Ask, send: Send, secrets: tuple[str, ...]) -> None:
        self.width = max(20, ask.width)
        self.out_tty = ask.out_tty
        self.err_tty = ask.err_tty
        self.out_colour = ask.out_colour
        self.err_colour = ask.err_colour
        self._send = send
        self._secrets = secrets  # never sent

    def out(self, text: str, end: str = "\n") -> None:
        self._send(Out(self.clear_of_keys(text) + end))

    def reply(self, text: str, links: Sequence[str] = ()) -> None:
        self._send(Piece(self.clear_of_keys(text), list(links)))

    def err(self, text: str) -> None:
        self._send(Err(self.clear_of_keys(text)))

    def passing(self, text: str) -> None:
        self._send(Passing(self.clear_of_keys(text)))

    def clear(self) -> None:
        self._send(Clear())

    def clear_of_keys(self, text: str) -> str:
        return without(text, self._secrets)


class FarFront:
    """Implements frontend.Front for one turn of a client."""

    def __init__(self, ask: Ask, screen: FarScreen, send: Send, log: Log | None) -> None:
        self.place = ask.place
        self.pictures = ask.pictures
        self.interruption: JarvisError = Interrupted("Interrupted.")
        self.ended: int | None = None  # the exit status, once the turn's end was told
        self._turn = ask.turn
        self._tellers = tellers_for(options_of(ask), screen, log)
        self.streams = self._tellers.streams
        self._send = send
        self._acting: tuple[int, asyncio.Future[Outcome]] | None = None
        self._asking: tuple[Question, asyncio.Future[str]] | None = None
        self._shown: asyncio.Future[bool] | None = None
        self._is_gone = False
        self._told = frozenset(ask.told)  # by a brain that died
        self._tables = 0  # told so far
        self._screen = screen
        self._says_yes = ask.yes
        self._asks = ask.asks

    def tell(self, event: Event) -> None:
        """Tell *event*, unless a brain that died did. The client notes what it was told."""
        if isinstance(event, TurnEnded):
            self.ended = event.exit_status
        self._tables += isinstance(event, Tabled)
        if (what := self._name(event)) in self._told:
            self._tellers.recall(event)
        else:
            self._tellers.tell(event)
        if isinstance(event, TurnStarted):
            self._send(Begun(self._turn, event.thread))
        if what:
            self._send(Told(self._turn, what))

    def _name(self, event: Event) -> str:
        """Return the name by which it is known that *event* was told; empty where it may be told again."""
        match event:
            case TurnStarted():
                return "start"
            case Unsure(_, turn, n):
                return f"unsure {turn} {n}"
            case Asked(_, question):
                return f"question {question.id}"
            case Observed(n, action, _, outcome):  # another brain may plan another step of that number
                return f"step {n} {action} {outcome.state} {crc32(outcome.text.encode(errors='replace'))}"
            case Tabled():
                return f"table {self._tables}"
            case Replied():
                return "reply"
            case TurnFailed():
                return "failure"
            case TurnEnded():
                return "end"
        return ""

    async def act(self, request: Request) -> Outcome:
        outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._acting = (request.n, outcome)
        self._send(Act.of(self._turn, request))
        return await outcome

    async def has_shown(self) -> bool:
        if self._is_gone:
            return False
        self._shown = asyncio.get_running_loop().create_future()
        self._send(Confirm(self._turn, is_shown=False))
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._shown
        except TimeoutError:
            return False

    def confirmed(self, confirm: Confirm) -> None:
        """Take the word of a client on what it printed."""
        if self._shown and not self._shown.done():
            self._shown.set_result(confirm.is_shown)

    def leave(self) -> None:
        """Expect nothing more: the client is gone."""
        self._is_gone = True
        self.confirmed(Confirm(self._turn, is_shown=False))

    async def find_apps(self, name: str) -> AppsFound:
        found = await self.act(Request(0, FIND_APPS, Effect("reads", name)))
        try:
            return apps_in(found.value)
        except (ValueError, TypeError):  # a fault of the client's: the name itself is tried
            return AppsFound((AppFound(name, name),), is_near=False)

    async def ask(self, question: Question) -> str:
        if said := said_beforehand(question, yes=self._says_yes):
            return said
        if self._asks not in ("typed", "records"):
            nobody_answers(question)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._asking = (question, answer)
        self._send(Query(self._turn, self._cleared(question).as_message()))
        return await answer

    def _cleared(self, question: Question) -> Question:
        """Return *question* without keys: it is shown by the client."""
        clear = self._screen.clear_of_keys
        options = [Option(*map(clear, option)) for option in question.options]
        texts = [clear(text) for text in (question.text, question.reason)]
        return question._replace(text=texts[0], reason=texts[1], options=tuple(options))

    def answered(self, said: Answer) -> None:
        """Take the answer to the question that stands; drop one to any other."""
        if self._asking and self._asking[0].id == said.question and not self._asking[1].done():
            self._asking[1].set_result(said.answer)

    def unanswered(self, said: NoAnswer) -> None:
        if self._asking and self._asking[0].id == said.question and not self._asking[1].done():
            self._asking[1].set_exception(nobody_is_left(self._asking[0]))

    def heard(self, did: Did) -> None:
        """Take the outcome of the act under way; drop one that comes late."""
        if self._acting and self._acting[0] == did.n and not self._acting[1].done():
            self._acting[1].set_result(did.outcome)


def options_of(ask: Ask) -> Options:
    return Options(quiet=ask.quiet, verbose=ask.verbose, json=ask.json, ndjson=ask.ndjson, csv=ask.csv)
