"""A chat: one line after the other, each a command of its own or done by what does it outside a chat.

The brain is started in the background, so that typing does not stutter while it imports.
"""

import difflib
import gc
import itertools
import re
import shlex
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar

from .. import __version__
from ..brain.client import connect, wants_brain
from ..config.settings import Settings, check_thread
from ..core.errors import Interrupted, Terminated, UsageError, attempt
from ..core.text import LONGEST_TITLE, counted, one_line, shortened, words_in
from ..core.types import DEFAULT_THREAD, TERMINALS, Options
from ..desktop.clipboard import copied_by
from ..language.command_grammar import parse_words
from ..output.screen import Screen, as_typed_at, fitted, is_tty
from ..output.styles import FAINT, styled
from ..output.tables import tab_separated
from ..store.addresses import tables_in
from ..store.open import Store
from ..store.threads import Thread
from ..store.turns import PastTurn
from .app import Misfit, misfit_of, offered, run_command
from .ask import do_request
from .chat_prompt import Completed, Prompt, quiet
from .did_you_mean import refuse_mistyped
from .invocation import settings_for, visit_store
from .line import (
    COMMANDS,
    RequestLine,
    command_in,
    command_or_words,
    model_of,
    own_thread,
    telling_failures,
)
from .thread_list import pick_thread

_T = TypeVar("_T")
# A path such as /etc/hosts is no command, nor is what begins with a space.
_LIKE_ONE = re.compile(r"/([A-Za-z?][\w-]*)?(?:\s|\Z)")


def run_chat(options: Options, screen: Screen) -> int:
    """Chat, in the thread that is chosen, until the person leaves; return the exit status."""
    screen.is_chat = True
    settings = settings_for(options, screen)
    if not screen.is_at_terminal:
        raise UsageError("A chat needs a terminal.", hint='Without one: jarvis "your words"')
    threading.Thread(target=attempt, args=(lambda: _warm_up(options, screen),), daemon=True).start()
    gc.enable()  # which a single command does without
    chat = Chat(options, settings, screen)
    with quiet(screen):
        if not options.quiet:
            told = f"Jarvis {__version__}: say what you want. /help tells more, Ctrl-D leaves."
            screen.err(styled(told, FAINT, color=screen.err_color))
        return chat.run()


def _warm_up(options: Options, screen: Screen) -> None:
    """Start a brain before there is a turn, which tells what keeps that from being done."""
    if not wants_brain(options, screen.environment):
        return
    if connection := connect(screen.environment, options.env_file, lambda _: None, options.model or ""):
        connection.await_ready(lambda _: None)
        connection.close()


class Chat:
    """The loop of a chat, and where it is: what its commands work on."""

    def __init__(self, options: Options, settings: Settings, screen: Screen) -> None:
        self.screen = screen
        self.options = options._replace(continue_last=False)  # of each request
        self.prompt = Prompt(screen, settings, self.completed)
        self.is_over = False  # they want to leave
        self.turn_to(settings.thread)
        if self.name and settings.thread.startswith(TERMINALS):  # that of another, by -c or -r
            known = {each.id: each for each in self.threads()}
            self.turn_to(known.get(settings.thread, settings.thread))

    @property
    def thread(self) -> str:
        return self.options.thread or DEFAULT_THREAD

    @property
    def settings(self) -> Settings:
        """Those of now, which may change while a chat is open."""
        return settings_for(self.options, self.screen)

    def turn_to(self, thread: Thread | str) -> None:
        """Go on in *thread*, which the prompt names, but for the usual one; a terminal's by its title."""
        id_, told = (thread.id, thread.told) if isinstance(thread, Thread) else (thread, "")
        self.options = self.options._replace(thread=id_)
        usual = own_thread(self.screen.environment, self.screen.has_terminal)
        is_usual = id_ in (DEFAULT_THREAD, usual)
        self.name = "" if is_usual else one_line(told) * id_.startswith(TERMINALS) or id_  # in the prompt

    def stored(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Return the result of *work* on the store."""
        return visit_store(self.settings, self.screen, work)

    def threads(self) -> Sequence[Thread]:
        """Return the threads there are, the one used last first."""
        return self.stored(lambda store: store.threads.all())

    def run(self) -> int:
        """Do line after line until the person leaves; return the exit status. Raises Terminated."""
        while not self.is_over:
            try:
                line = self.prompt.ask(f"{shortened(self.name, self.screen.width // 3)}> ", self.thread)
            except EOFError:
                return int(not is_tty(self.screen.stdin))  # it is gone
            except (Interrupted, KeyboardInterrupt):
                self.screen.err("Ctrl-D to leave")
                continue
            status = self._turn(line) if line.strip() else 0
            if status == Terminated.exit_status:
                return status
            if status == Interrupted.exit_status:
                self.prompt.hold()
        return 0

    def _turn(self, line: str) -> int:
        """Do *line*, tell its failures, and leave an empty line below; return its exit status."""
        status = telling_failures(self.options, self.screen, lambda: self._do(line))
        self.screen.ended = None  # what is told of the chat itself is another thing
        self.screen.reply("")
        self.screen.ask("")
        return status

    def _do(self, line: str) -> int:
        """Do *line*; return its exit status."""
        words = command_of(line)
        own = _OWN.get(words[0]) if words else None
        if own and not (words[1:] and own.name in COMMANDS):
            return own.do(self, " ".join(words[1:])) or 0
        return self.call(words, line) if words else self._ask(line)

    def call(self, command: Sequence[str], line: str) -> int:
        """Do a command of the command line, or where it is none after all the words of *line*."""
        name = command[0]
        if name == "ask":
            return self._ask(" ".join(command[1:]))
        if name == "chat":
            raise UsageError("This is a chat already.", hint="To begin a new thread: /new")
        try:
            return run_command(command, self._screen_here(), self.options.env_file)
        except Misfit as error:
            if line.startswith("/"):
                raise UsageError(error.message, hint=f"/help {name}") from None
            self._refuse_slip(line, name)
            return self._ask(line)

    def _refuse_slip(self, line: str, name: str) -> None:
        """Raise UsageError where a shell would not send *line* as words. name: of its command."""
        try:
            meant = command_or_words(_cut(line), misfit_of)
            if isinstance(meant, RequestLine):
                refuse_mistyped(meant, self.screen.environment)
        except UsageError as error:
            hint = f"/help {name} tells more. To send it as words, begin with a space."
            raise UsageError(as_typed_at(self.screen, error.message), hint=hint) from None

    def _ask(self, line: str) -> int:
        """Do what the words of *line* ask, as a request of the command line."""
        return do_request(RequestLine((line,), self.options), parse_words(words_in(line)), self.screen)

    def _screen_here(self) -> Screen:
        """Return a screen for a command of the command line, which is then about this thread."""
        screen = Screen({**self.screen.environment, "JARVIS_THREAD": self.thread})
        screen.is_chat = True
        return screen

    def completed(self, line: str) -> Completed:
        """Return the end of *line* that Tab completes, and all that it may become."""
        *before, begun = line.lstrip(" ").split(" ")
        before = [word for word in before if word]
        if not before:
            # With their help where it costs no import.
            told = {**dict.fromkeys(sorted(COMMANDS), ""), **{each.name: each.help for each in _SLASHES}}
            slashes = [(f"/{name}", help_) for name, help_ in told.items()]
            return begun, [each for each in slashes if begun and each[0].startswith(begun)]
        name = before[0].removeprefix("/").casefold()
        if before[0].startswith("/") and name not in COMMANDS:
            return begun, []
        line_of = [name if name in COMMANDS else before[0], *before[1:]]
        found = offered(line_of, begun, self._screen_here(), self.options.env_file)
        return begun, [each for each in found if " " not in each[0]]


class Slash(NamedTuple):
    """A command that only a chat has: `/new [NAME]`."""

    name: str
    argument: str  # as help shows it; empty: it takes none
    help: str
    do: Callable[[Chat, str], int | None]  # with its argument; returns an exit status, or nothing for 0


def command_of(line: str) -> list[str]:
    """Return the words of the command that *line* is, or may be, as a shell cuts them; none for other words.

    Raises UsageError for what is like a command and is none.
    """
    words = _cut(line)
    if not (found := _LIKE_ONE.match(line)):
        if line.strip().casefold() in ("exit", "quit"):
            return ["quit"]
        return [] if len(line.splitlines()) > 1 or line[:1] == " " else command_in(words)
    name = (found[1] or "help").casefold()
    if name in COMMANDS or name in _OWN:
        return [name, *words[1:]]
    near = difflib.get_close_matches(name, [*_OWN, *COMMANDS], n=1, cutoff=0.5)
    meant = f"Did you mean /{near[0]}?" if near else "/help lists those there are."
    told = f"There is no command /{name}. {meant}"
    raise UsageError(told, hint="To send it as words, begin with a space.")


def _cut(line: str) -> list[str]:
    """Return the words of *line* as a shell cuts them, without the name of the program before them."""
    try:
        words = shlex.split(line)
    except ValueError:  # it has an apostrophe
        words = line.split()
    return words[words[:1] == ["jarvis"] :]


# What the chat's own do.


def list_commands(chat: Chat, argument: str) -> None:
    others = ", ".join(f"/{name}" for name in sorted(COMMANDS) if name not in ("chat", "help"))
    lines = [
        "Say in plain words what you want, or:",
        *(f"  {f'/{own.name} {own.argument}':<16}  {own.help}" for own in _OWN.values()),
        f"Every command of the command line is one here too: {others}. /help NAME tells of one.",
        "Ctrl-C stops what is under way. Alt-Enter, or Ctrl-J, begins a new line. "
        "Ctrl-R searches what was typed, Tab completes, Ctrl-X Ctrl-E opens your editor.",
    ]
    for line in lines:
        chat.screen.out(fitted(line, chat.screen))


def begin_thread(chat: Chat, name: str) -> None:
    taken = {thread.id for thread in chat.threads()}
    today = time.strftime("%Y-%m-%d")
    name = name or next(free for n in itertools.count(1) if (free := f"{today}-{n}") not in taken)
    check_thread(name)
    if name in taken:
        raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /resume {name}")
    chat.turn_to(name)
    chat.screen.err(f"A new thread: {name}")


def resume_thread(chat: Chat, typed: str) -> None:
    chat.turn_to(pick_thread(chat.settings, chat.screen, now=chat.thread, typed=typed))


def title_thread(chat: Chat, words: str) -> None:
    if not (title := one_line(words, LONGEST_TITLE)):
        raise UsageError("A title needs words.", hint="/title holidays in May")
    if not chat.stored(lambda store: store.threads.rename(chat.thread, title)):
        raise UsageError("Nothing was asked here yet.", hint="Say in plain words what you want.")
    chat.name = title
    chat.screen.err(f"This is “{title}” now.")


def choose_model(chat: Chat, name: str) -> None:
    if name:
        chat.options = chat.options._replace(model=model_of(name))
        chat.screen.err(f"The next request goes to {chat.options.model}.")
    else:
        chat.screen.err(f"{chat.settings.model} is asked here. /models lists others.")


def copy_reply(chat: Chat, argument: str) -> None:
    """Put the last reply on the clipboard, below the rows of its tables, and tell by what."""
    turns = chat.stored(lambda store: store.threads.turns(chat.thread))
    last = next((turn for turn in reversed(turns) if turn.reply or turn.tables), PastTurn())
    tables = [(table, first) for table, first in tables_in(last.tables) if first]
    rows = [row for table, first in tables for row in tab_separated(table, first)]
    if not (text := "\n".join(filter(None, [*rows, last.reply]))):
        raise UsageError("There is no reply in this thread yet.", hint="Ask something first.")
    told = counted(len(text), "characters")
    if program := copied_by(text, chat.screen.environment):
        chat.screen.err(f"Copied {told} by {program}.")
    elif chat.prompt.copy_by_terminal(text):  # over SSH: the clipboard is where the person is
        chat.screen.err(f"Sent {told} to the terminal, for its clipboard. Not every terminal takes them.")
    else:
        raise UsageError("Nothing here can copy.", hint="Install xclip or wl-clipboard.")


def leave_chat(chat: Chat, argument: str) -> None:
    chat.is_over = True


_SLASHES = (
    Slash("help", "", "what can be said here", list_commands),
    Slash("new", "[NAME]", "begin a new thread", begin_thread),
    Slash("threads", "", "list the threads", lambda chat, _: chat.call(["threads", "list"], "")),
    Slash("resume", "[N|NAME]", "go on in a thread, by its number, name or part of its title", resume_thread),
    Slash("title", "NAME", "name this conversation", title_thread),
    Slash("model", "[NAME]", "tell which model is asked here, or ask another", choose_model),
    Slash("copy", "", "copy the last reply, as Markdown, and its tables", copy_reply),
    Slash("quit", "", "leave, as Ctrl-D and the words quit and exit do", leave_chat),
)
_OWN = {each.name: each for each in _SLASHES}
