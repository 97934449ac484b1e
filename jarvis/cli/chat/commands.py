"""The commands of a chat, and the thread and the screen that they work on."""

from __future__ import annotations

import itertools
import textwrap
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeVar

from ...config.settings import Settings, check_thread
from ...core.errors import UsageError
from ...core.events import Tabled
from ...core.text import counted, fitting, one_line
from ...core.types import TERMINALS
from ...desktop.clipboard import copied_by
from ...output.screen import Screen
from ...store.addresses import tables_in
from ...store.history import LONGEST_TITLE
from ...store.open import Store
from ...store.threads import Thread
from ...store.turns import PastTurn
from ..commands.threads import known_as
from ..resuming import named, on_line, picked, show_last_exchange, show_threads
from ..router import COMMANDS, model_of
from ..work import own_thread, visit_store
from .slash import SLASHES, Slash

_T = TypeVar("_T")
_KEYS = (
    "Ctrl-C stops what is under way. Alt-Enter, or Enter after a \\, begins a new line. Ctrl-R searches what "
    "was typed, Tab completes, Ctrl-X Ctrl-E opens your editor."
)
_MOST_COPIED = 100_000  # bytes that are sent to a terminal, which may drop more


class Commands:
    """The state that the commands of a chat work on."""

    def __init__(self, thread: str, settings: Callable[[], Settings], screen: Screen) -> None:
        """settings: reads the settings of now, which may change while a chat is open."""
        self.thread = thread  # that the chat is in
        self.title = ""  # by which the person knows it; empty: by its name, or that it is their terminal's
        self.asked = ""  # the last request in it
        self.screen = screen
        self.model = ""  # that was chosen here; empty: the one of the settings
        # Puts a text on the clipboard by the terminal; returns whether that may do it.
        self.send: Callable[[str], bool] = lambda text: False
        self.is_over = False  # they want to leave
        self._settings = settings

    def run(self, slash: Slash, argument: str) -> str | None:
        """Do *slash*; return words that are to be done next, if any. Raises UsageError."""
        next_words: str | None = _DOES[slash.name](self, argument)
        return next_words

    def call(self, line: Sequence[str], env_file: str | None) -> int:
        """Do a command of the command line in this thread, unless it names another; return its exit status.

        env_file: of the chat. Raises Misfit where the line fits no command.
        """
        from ..app import run_command  # Typer: few lines of a chat are commands

        environment = {**self.screen.environment, "JARVIS_THREAD": self.thread}
        environment |= {"JARVIS_MODEL": self.model} if self.model else {}
        screen = Screen(environment)
        screen.is_chat = True
        return run_command(line, screen, env_file)

    def stored(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Return the result of *work* on the store."""
        return visit_store(self._settings(), self.screen, work)

    @property
    def usual_model(self) -> str:
        """The model that the settings name."""
        return self._settings().model

    def known(self) -> list[Thread]:
        """Return the threads there are, the one used last first."""
        return self.stored(lambda store: store.threads.all())

    def turn_to(self, thread: str, title: str = "") -> None:
        """Go on in *thread*."""
        self.thread, self.title, self.asked = thread, title, ""

    def print(self, line: str) -> None:
        """Print *line*, no wider than the terminal."""
        indent = "    " if line.startswith(" ") else ""
        width = self.screen.width
        self.screen.out(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))


def list_commands(chat: Commands, argument: str) -> None:
    chat.print("Say in plain words what you want, or:")
    for slash in SLASHES:
        words = f" (or: {', '.join(slash.words)})" if slash.words else ""
        chat.print(f"  {slash.shown:<16} {slash.help}{words}")
    others = ", ".join(f"/{name}" for name in sorted(COMMANDS) if name not in ("chat", "help"))
    chat.print(f"Every command of the command line is one here too: {others}. /help NAME tells of one.")
    chat.print(_KEYS)


def begin_thread(chat: Commands, name: str) -> None:
    taken = {thread.id for thread in chat.known()}
    name = name or _free(taken)
    check_thread(name)
    if name in taken:
        raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /resume {name}")
    chat.turn_to(name)
    chat.screen.err(f"A new thread: {name}")


def _free(taken: Collection[str]) -> str:
    """Return a thread's name that is not in use: the date, and a number."""
    today = time.strftime("%Y-%m-%d")
    return next(name for n in itertools.count(1) if (name := f"{today}-{n}") not in taken)


def leave_chat(chat: Commands, argument: str) -> None:
    chat.is_over = True


def list_threads(chat: Commands, argument: str) -> None:
    known = chat.known()
    show_threads(known, chat.screen.out, chat.screen.width, now=chat.thread)
    if not known:
        chat.screen.err("No threads yet.")


def resume_thread(chat: Commands, typed: str) -> None:
    """Go on in the thread that is meant by what was *typed*; without that, let the person pick one."""
    known = chat.known()
    if not known:
        raise UsageError("There are no threads yet.", hint="Ask something first.")
    found = _meant(typed, known) if typed else [picked(known, chat.screen, chat.thread)]
    if len(found) != 1:
        many = f"{len(found)} threads have that" if found else "There is no thread"
        hint = "/threads lists them; /new NAME begins another"
        raise UsageError(f"{many}: {one_line(typed, 64)}.", hint=hint)
    (thread,) = found
    is_other = thread.id.startswith(TERMINALS) and thread.id != own_thread(chat.screen)
    chat.turn_to(thread.id, one_line(thread.told) if is_other else "")
    if typed:
        chat.screen.err(fitting(f"In the thread: {known_as(thread)}", chat.screen.width))
    show_last_exchange(chat.stored(lambda store: store.threads.turns(thread.id)), chat.screen)


def _meant(typed: str, known: Sequence[Thread]) -> Sequence[Thread]:
    """Return the thread of that name or number, else those that have *typed* in their titles.

    A name comes before a number: no list stands above what is typed here.
    """
    if any(thread.id == typed for thread in known):
        return named(typed, known)
    return on_line(typed, known) or named(typed, known)


def title_thread(chat: Commands, words: str) -> None:
    """Give the thread the title that the person knows it by."""
    title = one_line(words, LONGEST_TITLE)
    if not title:
        raise UsageError("A title needs words.", hint="/title holidays in May")
    if not chat.stored(lambda store: store.threads.known([chat.thread])):
        raise UsageError("Nothing was asked here yet.", hint="Say in plain words what you want.")
    chat.stored(lambda store: store.threads.rename(chat.thread, title))
    chat.title = title
    chat.screen.err(f"This is “{title}” now.")


def copy_reply(chat: Commands, argument: str) -> None:
    """Put the last reply on the clipboard, below the rows of its tables, and tell by what."""
    turns = chat.stored(lambda store: store.threads.turns(chat.thread))
    last = next((turn for turn in reversed(turns) if turn.reply or turn.tables), PastTurn())
    if not (reply := "\n".join(filter(None, [*_rows(tables_in(last.tables)), last.reply]))):
        raise UsageError("There is no reply in this thread yet.", hint="Ask something first.")
    told = counted(len(reply), "characters")
    if program := copied_by(reply, chat.screen.environment):
        chat.screen.err(f"Copied {told} by {program}.")
    elif len(reply.encode()) > _MOST_COPIED:
        raise UsageError(
            f"The reply has {told}: too long for the terminal to copy, and no program here could.",
            hint=f"jarvis threads show {chat.thread} > replies.txt",
        )
    elif chat.send(reply):
        chat.screen.err(f"Sent {told} to the terminal, for its clipboard. Not every terminal takes them.")
    else:
        raise UsageError("Nothing here can copy.", hint="Install xclip or wl-clipboard.")


def _rows(tables: Sequence[Tabled]) -> list[str]:
    if not tables:
        return []
    from ...output.tables import tab_separated  # few replies have tables

    return [line for table, first in tables if first for line in tab_separated(table, first)]


def choose_model(chat: Commands, name: str) -> None:
    """Have *name* asked from the next request on; without one, tell which is."""
    if name:
        chat.model = model_of(name)
        chat.screen.err(f"The next request goes to {chat.model}.")
    else:
        chat.screen.err(f"{chat.model or chat.usual_model} is asked here. /models lists others.")


def open_line(chat: Commands, line: str) -> str:
    if not line:
        raise UsageError("Which line?", hint="/open 2")
    return f"open {line}"


def ask_again(chat: Commands, argument: str) -> str:
    if not chat.asked:
        raise UsageError("Nothing was asked here yet.", hint="Say in plain words what you want.")
    chat.screen.err(f"Once more: {one_line(chat.asked, 200)}")
    return chat.asked


_DOES = {
    "help": list_commands,
    "new": begin_thread,
    "threads": list_threads,
    "resume": resume_thread,
    "title": title_thread,
    "model": choose_model,
    "copy": copy_reply,
    "open": open_line,
    "retry": ask_again,
    "quit": leave_chat,
}
