"""A whole Jarvis in this process, built as it truly is, with a desktop that only writes down."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jarvis import launcher, packs
from jarvis.actions.base import desktop_actions
from jarvis.cli.commands.threads import record_of_turn
from jarvis.cli.in_process import LocalFrontend
from jarvis.core.concurrency import run_async
from jarvis.core.errors import ActionFailed
from jarvis.core.events import (
    Event,
    Planned,
    Question,
    Replied,
    ReplyDelta,
    StepFinished,
    Tell,
    TurnEnded,
    Words,
)
from jarvis.core.types import AppFound, AppsFound, NamedFile, Options
from jarvis.desktop.desktop import HANDED_OVER, RUNNING, Desktop, Launched
from jarvis.language.command_grammar import parse_words
from jarvis.launcher.names import Names
from jarvis.output.questions import nobody_answers
from jarvis.output.screen import Screen
from jarvis.output.tellers import answer_teller, tell_all
from jarvis.pages.files import named_file
from jarvis.store.database import Sqlite, run_sync
from jarvis.store.turns import find_asking
from jarvis.turns import build, plain
from jarvis.turns.plain import PlainTurn

from .shell import Home

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from jarvis.launcher import Command
    from jarvis.store.database import T
    from jarvis.store.history import History
    from jarvis.store.open import Store
    from jarvis.turns.session import Session

    from .twins.gemini import GeminiTwin
    from .twins.serpapi import SerpApiTwin


def front_end(tell: Tell = lambda event: None) -> LocalFrontend:
    """Return one without a desktop, that tells by *tell* alone."""
    return LocalFrontend(tell, Desktop(RecordingDesktop(Path()), {}), Screen(), streams=True)


def understood(words: str, names: Names | None = None) -> Command | None:
    """What *words* plainly ask for."""
    return launcher.understood(parse_words(words), names)


class RecordingDesktop:
    """Implements actions.Platform: does nothing, remembers all, fails where it is told to."""

    def __init__(self, folder: Path) -> None:
        self.opened: list[str] = []
        self.shown: list[str] = []  # files
        self.launched: list[str] = []
        self.captured: list[str] = []
        self.parts: list[bool] = []  # whether each was to be of a part
        self.picture = b""  # of the screen
        self.copied = ""  # what is on the clipboard
        self.fails: dict[str, ActionFailed] = {}  # target → how
        self.state = HANDED_OVER
        self.meanwhile: Callable[[], None] = lambda: None
        self.apps: dict[str, AppsFound] = {}  # what a name means; any other is the name of one app
        self._folder = folder

    def open_url(self, url: str) -> str:
        self._act(url)
        self.opened.append(url)
        return self.state

    def open_file(self, path: str) -> str:
        self._act(path)
        self.shown.append(path)
        return self.state

    def find_apps(self, name: str) -> AppsFound:
        return self.apps.get(name, AppsFound((AppFound(name, name.title()),)))

    def launch_app(self, name: str) -> Launched:
        self._act(name)
        self.launched.append(name)
        return Launched(name.title(), RUNNING)

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        self._act(path)
        self.captured.append(path)
        self.parts.append(is_part)
        if self.picture:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(self.picture)
        return 1280, 800

    def clipboard(self, path: str) -> str:
        self._act("clipboard")
        return self.copied

    def pictures(self) -> str:
        return str(self._folder / "Pictures")

    def _act(self, target: str) -> None:
        self.meanwhile()
        if error := self.fails.get(target) or self.fails.get("*"):
            raise error


class Asked(list[Event]):
    """The events of one turn."""

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self if isinstance(event, kind)]

    @property
    def ended(self) -> TurnEnded:
        return self.of(TurnEnded)[0]

    @property
    def status(self) -> tuple[str, int]:
        return self.ended.status, self.ended.exit_status

    @property
    def summary(self) -> dict[str, Any]:
        return dict(self.ended.summary)

    @property
    def reply(self) -> str:
        return str(self.ended.summary["reply"])

    @property
    def streamed(self) -> str:
        return "".join(event.text for event in self.of(ReplyDelta))

    @property
    def note(self) -> str:
        return "".join(replied.note for replied in self.of(Replied))

    @property
    def sources(self) -> list[str]:
        return [source.url for replied in self.of(Replied) for source in replied.sources]

    @property
    def steps(self) -> list[tuple[str, str]]:
        return [(event.action, event.outcome.state) for event in self.of(StepFinished)]

    @property
    def planned(self) -> list[str]:
        return [event.plan.action for event in self.of(Planned)]


class House(Home):
    def __init__(self, home: Path, gemini: GeminiTwin, serpapi: SerpApiTwin, database_url: str = "") -> None:
        super().__init__(home, gemini, serpapi, database_url)
        self.environment["JARVIS_HOME"] = str(home / "jarvis")
        self.desktop = RecordingDesktop(home)
        self.answers: list[str] = []  # what the person says when asked
        self.otherwise: Callable[[Question], str] = nobody_answers  # what they say to one more question
        self.questions: list[Question] = []
        self.files: list[str] = []  # that their words name
        # Where their apps are, and what else a name means: see `names`.
        self.desk = {"PATH": "", "XDG_DATA_HOME": str(home), "XDG_DATA_DIRS": str(home / "none")}
        self.heard = Asked()  # of the plain command that came last
        self._staying: tuple[asyncio.Runner, Session] | None = None

    def elsewhere(self, folder: str) -> House:
        """The same house with its files in *folder*."""
        other = House(self.home, self.gemini, self.serpapi, self.environment.get("DATABASE_URL", ""))
        other.environment["JARVIS_HOME"] = folder
        return other

    def model_plans(self, *steps: Any) -> None:
        self.gemini.plans(*steps)

    @contextlib.contextmanager
    def staying(self) -> Iterator[None]:
        """One session for all that is asked meanwhile, as the brain that stays has it: quicker for many."""
        with asyncio.Runner() as runner:
            manager = build.session(self.settings)
            self._staying = runner, runner.run(manager.__aenter__())
            try:
                yield
            finally:
                self._staying = None
                runner.run(manager.__aexit__(None, None, None))

    def of_session(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """What *work* makes of the store of the one session that is `staying`."""
        assert self._staying
        runner, session = self._staying
        return runner.run(work(session._store))

    def ask(
        self,
        words: str,
        thread: str = "default",
        *,
        piped: str = "",
        dry_run: bool = False,
        patience: float = 10,
        screen: Screen | None = None,
        answer: str = "",
    ) -> Asked:
        """One turn, as a new process would have it, unless it is `staying`: everything is built anew.

        screen: to be told there too.
        """
        asked = Asked()
        desktop = Desktop(self.desktop, desktop_actions(), dry_run=dry_run)
        shown = [answer_teller(Options(), screen)] if screen else []
        tell = tell_all(_Collector(asked).tell, *shown)
        frontend = LocalFrontend(tell, desktop, screen or Screen(), self._answer, streams=True)
        if self._staying:
            runner, session = self._staying
            own = Words(words, piped, answer=answer, files=self._named)
            runner.run(session.turn(own, thread, frontend))
            return asked

        async def turn() -> None:
            async with build.session(self.settings) as session:
                if not self.is_on_a_server:
                    wait = f"PRAGMA busy_timeout = {int(patience * 1000)}"
                    await session._store.database.run(wait)
                own = Words(words, piped, answer=answer, files=self._named)
                await session.turn(own, thread, frontend)

        run_async(turn())
        return asked

    def plain(self, words: str, meant: Command | None = None) -> Asked:
        """What comes of a plain command. meant: what *words* were understood as, where that was before."""
        meant = meant or understood(words, self.names)
        assert meant, f"{words!r} is not plain."
        self.heard = Asked()
        run_sync(self._plain_turn(self.history, self.heard).run(words, meant))
        return self.heard

    def answer(self, asked: Asked, said: str) -> Asked:
        """What comes of `jarvis --answer ID=SAID` to the question that *asked* ended with."""
        told, given = Asked(), f"{asked.summary['question']['id']}={said}"

        async def work(store: Store) -> bool:
            asks = await find_asking(store.database, given.partition("=")[0])
            meant = understood(asks.goal) if asks.is_own else None
            if meant:
                await self._plain_turn(store.history, told).answer(given, meant)
            return meant is not None

        return told if self.kept(work) else self.ask("", answer=given)

    def _plain_turn(self, history: History, asked: Asked) -> PlainTurn:
        def desktop() -> Desktop:
            return Desktop(self.desktop, desktop_actions())

        return PlainTurn(history, desktop, self.settings, asked.append, self._say)

    @functools.cached_property
    def history(self) -> History:
        """That of plain commands, until the house is closed."""
        return plain.plain_history(self.settings)

    def close(self) -> None:
        if "history" in vars(self):
            run_sync(self.history.database.close())

    @property
    def names(self) -> Names:
        return Names(self.desk, self.settings.folders.aliases, self.settings.folders.cache)

    def install(self, name: str, app_id: str = "", command: str = "/bin/true", **keys: str) -> Path:
        """A desktop entry for the app of that *name*."""
        file = self.home / "applications" / f"{app_id or name}.desktop"
        file.parent.mkdir(exist_ok=True)
        lines = [f"{key}={value}" for key, value in {"Name": name, "Exec": command, **keys}.items()]
        file.write_text("\n".join(["[Desktop Entry]", "Type=Application", *lines, ""]))
        return file

    @property
    def _named(self) -> tuple[NamedFile, ...]:
        return tuple(named_file(each)._replace(name=os.path.basename(each)) for each in self.files)

    async def _answer(self, question: Question) -> str:
        return self._say(question)

    def _say(self, question: Question) -> str:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else self.otherwise(question)

    @property
    def is_on_a_server(self) -> bool:
        return "DATABASE_URL" in self.environment

    def rows(self, sql: str, *arguments: object) -> list[tuple[Any, ...]]:
        """Of a statement on history's tables."""
        return self.kept(lambda store: store.database.run(sql, *arguments))

    def lock_out(self, file: str = "") -> Sqlite:
        """A second writer on the file of history, or another, which lets go when it is closed."""
        other = Sqlite(file or self.settings.folders.history)
        run_sync(other.run("BEGIN IMMEDIATE"))
        return other

    @property
    def checkpoints(self) -> set[str]:
        """The turns of which something is kept to go on with."""

        async def work() -> set[str]:
            async with build.session(self.settings) as session:
                kept = session._engine.savers.make().alist(None)
                return {each.config["configurable"]["thread_id"] async for each in kept}

        return run_async(work())

    def change_checkpoint(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Have *change* made to the state of the one turn that waits, as who writes its file may do."""

        async def work() -> None:
            async with build.session(self.settings) as session:
                saver = session._engine.savers.make()
                (kept,) = [each async for each in saver.alist(None, limit=1)]
                change(kept.checkpoint["channel_values"])
                where = {"thread_id": kept.config["configurable"]["thread_id"], "checkpoint_ns": ""}
                before = (kept.parent_config or {"configurable": {}})["configurable"]
                where |= {"checkpoint_id": before.get("checkpoint_id")}
                await saver.aput({"configurable": where}, kept.checkpoint, kept.metadata, {})

        run_async(work())

    def turns(self, thread: str = "default") -> list[dict[str, Any]]:
        """What history holds of *thread*."""
        return [record_of_turn(turn) for turn in self.kept(lambda store: store.threads.turns(thread))]

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.gemini.requests]


@contextlib.contextmanager
def packs_beside_ours(folder: Path) -> Iterator[None]:
    """Have the packs in *folder*, too, meanwhile: after it nothing of them is loaded."""
    loaded = {*sys.modules}
    packs.__path__.append(str(folder))
    try:
        yield
    finally:
        packs.__path__.remove(str(folder))
        for name in {*sys.modules} - loaded:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(f"{folder}/"):
                del sys.modules[name]


class _Collector:
    streams = True

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    def tell(self, event: Event) -> None:
        self._events.append(event)
