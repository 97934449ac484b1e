"""A client as the brain sees it: what happens, acts and questions become messages to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ..config.settings import check_thread
from ..core.errors import FAULT, Interrupted, JarvisError, Terminated, report_bugs
from ..core.events import Event, Notice, Question, TurnEnded
from ..core.text import piped_in, words_in
from ..core.types import ActionRequest, AppsFound, Effect, Outcome
from ..desktop.desktop import FIND_APPS, apps_in
from ..output.questions import answer_from_yes_flag, nobody_answers
from ..output.tellers import log_teller
from ..packs.pack import warnings
from . import protocol

if TYPE_CHECKING:
    from ..turns.session import Session

_log = logging.getLogger(__name__)
BEAT = 1.0  # seconds between two signs of life
_SHOWN = "shown"  # what a client confirms
_SHOWN_SECONDS = 5.0  # for it to do so


class ServedClient:
    """A client and its one turn. Implements events.Frontend, and events.AsyncDesktop."""

    _coming: ClassVar[list[tuple[str, float]]] = []  # whose thread is looked up: as it is named, and when

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._secrets: tuple[str, ...] = ()  # never sent
        self.interruption: JarvisError = Terminated("Terminated.")
        self._ended: int | None = None  # the exit status, once the turn's end was told
        self._awaited: dict[str, asyncio.Future[Any]] = {}  # what the client was asked for, by name
        self.desktop = self

    async def serve(self, opened: asyncio.Future[Session]) -> None:
        """Serve until the turn ends, the client hangs up, or it sends what makes no sense."""
        beating = asyncio.create_task(self._beat())
        if not opened.done():
            self._send(protocol.Alive())
        try:
            with self._telling():
                session = await asyncio.shield(opened)
                self._secrets = session.settings.secrets()
                self._send(protocol.Ready())
                if (line := await self._reader.readline()) and not self._reader.at_eof():  # it was given up
                    await self._do(protocol.decode(line), session)
        finally:
            beating.cancel()

    def _send(self, message: protocol.Message) -> None:
        """Send *message*, whenever the client reads it: nobody else waits for that."""
        is_shown = isinstance(message, protocol.Tell | protocol.Query | protocol.Failed)  # and no more
        if not self._writer.is_closing():
            self._writer.write(protocol.encode(message, self._secrets if is_shown else ()))

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Tell the client what goes wrong in this block, unless it is gone."""
        try:
            yield
        except (ValueError, TypeError, KeyError, ConnectionError):  # a line that is too long, or no outcome
            pass
        except JarvisError as error:
            self._send(protocol.Failed(error.code, error.message, error.hint, error.exit_status))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self._send(protocol.Alive())

    async def _do(self, ask: protocol.Message, session: Session) -> None:
        """Do the turn, and tell the client that it has ended. Raises what kept it from that."""
        if not isinstance(ask, protocol.Ask):
            raise protocol.BadMessage("makes no sense now")
        self._take(ask, session)
        listening = asyncio.create_task(self._listen(asyncio.current_task()))
        try:
            with report_bugs():
                await self._do_turn(session)
        except asyncio.CancelledError:
            if self._ended is None:
                raise self.interruption from None
        except JarvisError as error:
            if error.code == FAULT:
                _log.exception("a fault of ours", exc_info=error.__cause__)
            if self._ended is None:
                raise
        finally:
            listening.cancel()

    def _take(self, ask: protocol.Ask, session: Session) -> None:
        """Be what *ask* says of the client."""
        self._ask = ask
        self.place, self.pictures, self.streams = ask.place, ask.pictures, ask.streams
        self._log = log_teller(session.log)
        settings = session.settings._replace(model=ask.words.model or session.settings.model)
        for warning in () if ask.options.quiet else warnings(settings):
            self.tell(Notice(warning, is_warning=True))

    async def _thread(self, ask: protocol.Ask, session: Session) -> str:
        """Return the thread of *ask*, to those first that asked first: once a brain is ready, all wake up."""
        name, asked_at = mine = ask.thread or ask.own_thread, ask.asked_at
        self._coming.append(mine)
        try:
            await asyncio.sleep(0)
            while min(at for each, at in self._coming if each == name) < asked_at:  # noqa: ASYNC110 (shortly)
                await asyncio.sleep(0.01)
            return await session.thread(ask.thread, ask.own_thread, used_last=ask.options.continue_last)
        finally:
            self._coming.remove(mine)

    async def _do_turn(self, session: Session) -> TurnEnded:
        """Do the requested turn. Raises JarvisError if it can't begin."""
        words = self._ask.words
        thread = await self._thread(self._ask, session)
        check_thread(thread)
        piped = piped_in(words.piped) if words.piped else ""
        own = words_in(words.own) if words.own or not (piped or words.answer) else ""
        words = words._replace(own=own, piped=piped)
        return await session.turn(words, thread, self)

    async def _listen(self, turn: asyncio.Task[None] | None) -> None:
        """Heed what the client says. End the *turn* where it cancels it, hangs up or makes no sense."""
        with self._telling():
            while line := await self._reader.readline():
                match protocol.decode(line):
                    case protocol.Did(performed):
                        self._deliver(f"act {performed.n}", performed.outcome)
                    case protocol.Answer(question) as answer:
                        self._deliver(f"answer {question}", answer)
                    case protocol.Shown():
                        self._deliver(_SHOWN, value=True)
                    case protocol.Cancel(reason):
                        if reason == Interrupted.code:
                            self.interruption = Interrupted("Interrupted.")
                        cancel(turn if self._ended is None else None)
                    case _:
                        raise protocol.BadMessage("makes no sense now")
        self._deliver(_SHOWN, value=False)
        cancel(turn if self._ended is None else None)  # what is left to do then is none of the person's

    def _deliver(self, name: str, value: object) -> None:
        """Deliver the client's reply to the coroutine waiting for *name*. Ignore it if none waits."""
        if (awaited := self._awaited.get(name)) and not awaited.done():
            awaited.set_result(value)

    async def _wait_for_answer(self, message: protocol.Message, name: str) -> Any:
        """Send *message*, and return what the client says to it under that *name*."""
        self._awaited[name] = asyncio.get_running_loop().create_future()
        self._send(message)
        try:
            return await self._awaited[name]
        finally:
            self._awaited.pop(name, None)

    def tell(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            self._ended = event.exit_status
        self._log(event)
        self._send(protocol.Tell.of(event))

    async def confirmed(self) -> bool:
        with contextlib.suppress(TimeoutError):  # it was stopped, or its terminal takes no words for now
            async with asyncio.timeout(_SHOWN_SECONDS):
                message = protocol.Ended(self._ended or 0)
                return not self._reader.at_eof() and bool(await self._wait_for_answer(message, _SHOWN))
        return False

    async def act(self, request: ActionRequest) -> Outcome:
        outcome: Outcome = await self._wait_for_answer(protocol.Act.of(request), f"act {request.n}")
        return outcome

    async def find_apps(self, name: str) -> AppsFound:
        found = await self.act(ActionRequest(0, FIND_APPS, Effect("reads", name)))
        return apps_in(found.value)

    async def ask(self, question: Question) -> str:
        if option := answer_from_yes_flag(question, yes=self._ask.options.yes):
            return option
        if not self._ask.is_asked:
            nobody_answers(question)
        query, name = protocol.Query(question), f"answer {question.id}"
        answer: protocol.Answer = await self._wait_for_answer(query, name)
        if not answer.is_given:
            nobody_answers(question)
        return answer.answer


def cancel(task: asyncio.Task[None] | None) -> None:
    """Cancel *task*, once: a second time would cut short what the first one writes down."""
    if task and not task.cancelling():
        task.cancel()
