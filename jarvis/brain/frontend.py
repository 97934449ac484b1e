"""A client as a turn sees it: printing, acting and asking become messages to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from ..actions import FIND_APPS, apps_in
from ..core.errors import JarvisError, Terminated
from ..core.events import Event, Question, TurnEnded
from ..core.types import AppsFound, Effect, Outcome, Request
from ..output.prompts import nobody_answers, nobody_is_left, said_beforehand
from ..output.tellers import tellers_for
from ..store.log import Log
from . import protocol

Send = Callable[[protocol.FromBrain], None]


class RemoteFrontend:
    """Implements frontend.Front for the turn of a client, and surface.Surface for its terminal."""

    def __init__(self, ask: protocol.Ask, send: Send, log: Log | None) -> None:
        self.place = ask.place
        self.pictures = ask.pictures
        self.width = max(20, ask.width)
        self.out_tty = ask.out_tty
        self.err_tty = ask.err_tty
        self.out_colour = ask.out_colour
        self.err_colour = ask.err_colour
        self.interruption: JarvisError = Terminated("Terminated.")
        self.ended: int | None = None  # the exit status, once the turn's end was told
        self._asked = ask
        self._send = send
        # The methods of a Surface.
        ways = (partial(self._print, how) for how in protocol.WAYS_TO_PRINT)
        self.out, self.reply, self.err, self.passing, self.clear = ways
        self._tellers = tellers_for(ask.said, self, log)
        self.streams = self._tellers.streams
        self._awaited: dict[str, asyncio.Future[Any]] = {}  # what the client was asked for, by name
        self._is_gone = False

    def _print(self, how: str, *what: object) -> None:
        self._send(protocol.Print(how, [*what]))

    def tell(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            self.ended = event.exit_status
        self._tellers.tell(event)

    async def act(self, request: Request) -> Outcome:
        outcome: Outcome = await self._answered(protocol.Act.of(request), f"act {request.n}")
        return outcome

    async def find_apps(self, name: str) -> AppsFound:
        found = await self.act(Request(0, FIND_APPS, Effect("reads", name)))
        return apps_in(found.value)

    async def has_shown(self) -> bool:
        return not self._is_gone and await self._answered(protocol.Confirm(is_shown=False), "confirm")

    async def ask(self, question: Question) -> str:
        if said := said_beforehand(question, yes=self._asked.said.yes):
            return said
        if not self._asked.is_asked:
            nobody_answers(question)
        query = protocol.Query(question.as_message())
        answer: protocol.Answer = await self._answered(query, f"answer {question.id}")
        if not answer.is_given:
            raise nobody_is_left(question)
        return answer.answer

    def hear(self, message: protocol.Message) -> None:
        """Take what the client was asked for; drop what nobody waits for any more. Raises BadMessage."""
        said: object
        match message:
            case protocol.Did():
                name, said = f"act {message.step.n}", message.step.outcome
            case protocol.Answer():
                name, said = f"answer {message.question}", message
            case protocol.Confirm():
                name, said = "confirm", message.is_shown
            case _:
                raise protocol.BadMessage("makes no sense now")
        if (awaited := self._awaited.get(name)) and not awaited.done():
            awaited.set_result(said)

    def leave(self) -> None:
        """Have the client confirm nothing more: it is gone."""
        self._is_gone = True
        self.hear(protocol.Confirm(is_shown=False))

    async def _answered(self, message: protocol.FromBrain, name: str) -> Any:
        """Send *message*, and return what the client says to it under that *name*."""
        self._awaited[name] = asyncio.get_running_loop().create_future()
        self._send(message)
        try:
            return await self._awaited[name]
        finally:
            self._awaited.pop(name, None)
