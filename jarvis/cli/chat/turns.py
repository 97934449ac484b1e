"""The turns of a chat: plain commands are done here at once, others by the brain, if there is one.

Each can be given up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...actions import Hands
from ...brain.client import Client, ask_for, connect
from ...config.settings import read_settings
from ...core.concurrency import aside, run_async
from ...core.errors import Interrupted, JarvisError, NoKey, Terminated, ThreadBusy, attempt
from ...core.events import Question
from ...core.frontend import Words
from ...core.text import words_in
from ...core.types import Options
from ...language.command_grammar import of_list
from ...launcher.command import is_name, meant_by
from ...launcher.meant import Meant
from ...output.dialog import Dialog
from ...output.library_logs import hush
from ...output.prompts import said_beforehand
from ...output.screen import Screen
from ..one_shot import do_plain
from ..work import own_thread, settings_for, wants_brain

if TYPE_CHECKING:
    from ..in_process import InProcess
    from ..missing import Missing
    from ..suggestions import Nearby

_END_SECONDS = 3.0  # for something plain to end in order, once the chat was told to end

_T = TypeVar("_T")
Plainly = Callable[..., tuple[int, str] | None]  # given options, words, a screen, and how to ask


class Turns:
    def __init__(
        self,
        options: Options,
        screen: Screen,
        hands: Hands,
        answer: Callable[[Dialog], Coroutine[Any, Any, str]],
        hidden: Callable[[str], Coroutine[Any, Any, str]],
    ) -> None:
        """answer: shows a question, and reads the keys that answer it. hidden: reads a key, unseen."""
        self._options = options
        self._screen = screen
        self._hands = hands
        self._answer = answer
        self._hidden = hidden
        self.model = options.model  # that is asked; None: the one of the settings
        self._give_up: Callable[[JarvisError], None] | None = None  # what is under way
        self._work: asyncio.Task[int | None]  # of the model's, once there is one
        self._asking: asyncio.Task[str] | None = None  # the person, before something plain is done
        self._reason: JarvisError = Interrupted("Interrupted.")  # why they are not asked any more

    @property
    def is_under_way(self) -> bool:
        return self._give_up is not None

    async def do(self, words: str, thread: str) -> None:
        """Do what *words* ask. Raises JarvisError where there is no turn to tell of."""
        try:
            while (instead := await self._at_once(words, thread)) is not None:
                if not instead:
                    return
                words = words_in(instead)
            await self._ask(words, thread)
        finally:
            self._give_up = None

    def cancel(self, reason: JarvisError) -> None:
        """End do(), at once if need be."""
        if self._give_up:
            self._give_up(reason)

    async def _at_once(self, words: str, thread: str) -> str | None:
        """Do what *words* plainly ask; return what the person said to do instead. None: they aren't plain."""
        if of_list(words):
            from ..following import do_follow_up  # few words are about a list

            if (instead := await self._plainly(words, thread, do_follow_up)) is not None:
                return instead
        environment = self._screen.environment
        meant = meant_by(words, self._options, environment) or await self._picked(words)
        return await self._plainly(words, thread, partial(do_plain, meant)) if meant else None

    async def _picked(self, words: str) -> Meant | None:
        """Ask what a name that only comes near means; return what the words plainly mean then."""
        if not is_name(words):
            return None
        from ..missing import Missing, missing  # most words are no name

        environment = self._screen.environment
        gone = await self._unless_given_up(aside(lambda: missing(words, self._options, environment)))
        if isinstance(gone, Missing):
            if self._options.yes:
                raise gone.error
            return await self._pick(gone)
        if gone or self._options.yes:
            return gone
        from ..suggestions import Nearby, nearby  # where nothing has that name

        asked = await self._unless_given_up(aside(lambda: nearby(words, self._options, environment)))
        return await self._pick(asked) if isinstance(asked, Nearby) else asked

    async def _pick(self, offer: Missing | Nearby) -> Meant | None:
        self._give_up = self._ask_no_more
        answer = await self._answered(self._answer(Dialog(self._screen, offer.question)))
        return offer.picked(answer, self._screen.err)

    async def _unless_given_up(self, work: Awaitable[_T]) -> _T:
        """Return the result of *work*. Raises the reason where the person gives it up."""
        task = asyncio.ensure_future(work)

        def give_up(reason: JarvisError) -> None:
            self._reason = reason
            task.cancel()

        self._give_up = give_up
        try:
            return await task
        except asyncio.CancelledError:
            raise self._reason from None

    async def _ask(self, words: str, thread: str) -> None:
        """Do what takes the model."""
        try:
            await self._by_model(words, thread)
        except NoKey:  # nothing was begun
            if not await self._is_given_key():
                raise
            await self._by_model(words, thread)

    async def _by_model(self, words: str, thread: str) -> None:
        """Have the brain do it; without one, this process."""
        options = self._options._replace(thread=thread, continue_last=False, model=self.model or None)
        status = None
        try:
            if wants_brain(options, self._screen.environment):
                status = await self._done(self._by_brain(options, words))
            if status is None:
                await self._done(await self._in_process(options, words))
        except JarvisError as error:
            if error.code == ThreadBusy.code:  # its person need not leave the chat
                error.hint = "Wait for it, or begin another thread: /new"
            raise

    def _by_brain(self, options: Options, words: str) -> Client:
        pictures, own = self._hands.pictures(), own_thread(self._screen)
        request = ask_for(options, self._screen, pictures, own, words, is_chat=True)
        return Client(request, self._screen, self._hands, self._answer_on_thread, options.env_file)

    async def _in_process(self, options: Options, words: str) -> InProcess:
        def answer(question: Question) -> str:
            return said_beforehand(question, yes=options.yes) or self._answer_on_thread(question)

        self._screen.passing("starting…")
        reading = aside(lambda: settings_for(options, self._screen, needs_model=True))
        settings = await self._unless_given_up(reading)
        from ..in_process import InProcess  # most turns are the brain's

        return InProcess(options, Words(words), settings, self._screen, self._hands, answer)

    async def _done(self, turn: Client | InProcess) -> int | None:
        """Have *turn* done on a thread, as the prompt stays alive meanwhile; return its exit status."""
        self._give_up = turn.cancel
        self._work = asyncio.ensure_future(aside(turn.run))
        try:
            return await self._work
        finally:
            self._screen.clear()
            await self._take_question_away()

    def _answer_on_thread(self, question: Question) -> str:
        """Return what the person answers. Called on the thread of the turn that is under way."""
        return self._ask_from_thread(self._work, Dialog(self._screen, question))

    async def _is_given_key(self) -> bool:
        """Ask for the key of the model where somebody can answer; return whether one was kept."""
        if not self._screen.is_interactive:
            return False
        from ...config.keys import GOOGLE, NEEDS_MODEL
        from ..key_prompt import LABEL, show_way, take  # most have one

        screen, options = self._screen, self._options
        screen.err(NEEDS_MODEL)
        show_way(GOOGLE, screen)
        while True:
            self._give_up = self._ask_no_more
            if not (typed := await self._answered(self._hidden(LABEL))):
                return False
            taken = aside(partial(take, GOOGLE, typed, settings_for(options, screen), options, screen))
            if await self._unless_given_up(taken):
                return True

    def _ask_from_thread(self, work: asyncio.Task[Any], dialog: Dialog) -> str:
        """Return what the person answers in *dialog*, for *work*, which runs on a thread."""

        async def answered() -> str:
            if work.done() or work.cancelling():  # given up: the next line they type is no answer
                raise Interrupted("Interrupted.")
            return await self._answered(self._answer(dialog))

        return asyncio.run_coroutine_threadsafe(answered(), work.get_loop()).result()

    async def _take_question_away(self) -> None:
        """Take away a question whose turn has ended: it would take what is typed at the next prompt."""
        if self._asking:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _answered(self, asking: Coroutine[Any, Any, str]) -> str:
        """Return what the person answers. Raises the reason where they are not asked any more."""
        self._asking = asyncio.ensure_future(asking)
        try:
            return await self._asking
        except asyncio.CancelledError:
            raise self._reason from None
        finally:
            self._asking = None

    def _ask_no_more(self, reason: JarvisError) -> None:
        if self._asking:
            self._reason = reason
            self._asking.cancel()

    async def _plainly(
        self, words: str, thread: str, do: Callable[..., tuple[int, str] | None]
    ) -> str | None:
        """Have *do* do what *words* plainly ask; return what the person said to do instead, as `_at_once`."""
        screen = Screen(self._screen.environment)
        screen.is_chat = True
        options = self._options._replace(thread=thread, continue_last=False)

        def ask(question: Question) -> str:
            if said := said_beforehand(question, yes=options.yes):
                return said
            return self._ask_from_thread(work, Dialog(screen, question))

        work = asyncio.ensure_future(aside(lambda: do(options, words, screen, ask)))

        def give_up(reason: JarvisError) -> None:
            if self._asking:  # nothing is done yet: the turn ends by itself, and tells why
                self._ask_no_more(reason)
            elif isinstance(reason, Terminated):  # it may be ending: its question went with the terminal
                work.get_loop().call_later(_END_SECONDS, work.cancel)
            else:
                work.cancel()

        self._give_up = give_up
        try:
            done = await work
            return done[1] if done else None
        except asyncio.CancelledError:
            screen.clear()
            screen.close()  # what is said from now on would land in the next prompt
            raise Interrupted(
                "Stopped waiting: this may or may not have happened.",
                hint=f"See what came of it: jarvis threads show {thread}",
            ) from None


def prepare(options: Options, screen: Screen) -> None:
    """Start a brain in the background, or load what a turn in this process takes: it takes seconds.

    What keeps that from being done is told by the first turn.
    """
    work = _start_brain
    if not wants_brain(options, screen.environment):
        hush(options, screen.log, screen.aside)
        work = _load
    threading.Thread(target=attempt, args=(partial(work, options, screen),), daemon=True).start()


def _start_brain(options: Options, screen: Screen) -> None:
    if connection := connect(screen.environment, options.env_file, lambda _: None):
        connection.close()


def _load(options: Options, screen: Screen) -> None:
    """Build a session once, which imports all of it."""
    from ...turns import build  # as above

    async def built() -> None:
        settings = read_settings(screen.environment, env_file=options.env_file, own_thread=own_thread(screen))
        async with build.session(settings):
            pass

    run_async(built())
