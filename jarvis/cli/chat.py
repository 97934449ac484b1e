"""A chat: line after line, each a command of the chat or done as on the command line."""

import difflib
import gc
import itertools
import re
import shlex
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from .. import __version__
from ..brain.client import connect, may_use_brain
from ..config.settings import Settings, check_thread
from ..core.errors import Interrupted, SettingsError, Terminated, UsageError, attempt
from ..core.text import LONGEST_TITLE, one_line, pluralize, words_in
from ..core.types import DEFAULT_THREAD, TERMINALS, Options
from ..desktop.clipboard import copied_by
from ..language.command_grammar import parse_words
from ..output.screen import Screen, as_typed_at, fitted, is_tty
from ..output.styles import FAINT, styled
from ..output.tables import tab_separated
from ..store.addresses import tables_in
from ..store.open import Store
from ..store.threads import glance
from ..store.turns import PastTurn
from ..store.usage import few_of, today
from .app import Misfit, command, misfit_of, offered, run_command
from .ask import do_request
from .chat_prompt import Completed, Prompt, quiet
from .completion import Found
from .did_you_mean import refuse_mistyped
from .invocation import settings_for, visit_store
from .line import COMMANDS, RequestLine, command_in, command_or_words, model_of, telling_failures
from .thread_list import pick_thread, show_last_exchange

_T = TypeVar("_T")
# Not a path such as /etc/hosts, nor a line that begins with a space.
_LIKE_COMMAND = re.compile(r"/([A-Za-z?][\w-]*)?(?:\s|\Z)")


def run_chat(options: Options, screen: Screen) -> int:
    """Chat until the user leaves. Return the exit status."""
    screen.is_chat = True
    settings = settings_for(options, screen)
    if not screen.is_at_terminal:
        raise UsageError("A chat needs a terminal.", hint='Ask without a chat: jarvis "your words"')
    threading.Thread(target=attempt, args=(lambda: _warm_up(options, screen),), daemon=True).start()
    gc.enable()  # single commands end before they need it
    screen.margin = "" if screen.is_dumb else " "
    chat = Chat(options, settings, screen)
    with quiet(screen):
        if (options.thread or options.continue_last) and not options.resume:
            show_last_exchange(settings.thread, settings, screen)
        if not options.quiet:
            greeting = f"Jarvis {__version__}. Type what you want, /help for help, Ctrl-D to leave."
            screen.err(f"\n{styled(greeting, FAINT, color=screen.err_color)}\n")
        return chat.run()


def _warm_up(options: Options, screen: Screen) -> None:
    """Start a brain while the user types: importing would make that stutter. A request reports failures."""
    if not may_use_brain(options, screen.environment):
        return
    if connection := connect(screen.environment, options.env_file, lambda _: None, options.model or ""):
        connection.await_ready(lambda _: None)
        connection.close()


class Chat:
    """A chat and the state that its commands work on."""

    def __init__(self, options: Options, settings: Settings, screen: Screen) -> None:
        self.screen = screen
        self.options = options._replace(thread=settings.thread, continue_last=False)  # of each request
        self.prompt = Prompt(screen, settings, self.complete)
        self.is_over = False
        self._first: Settings | None = settings  # for the first status: reading them takes a while

    @property
    def thread(self) -> str:
        return self.options.thread or DEFAULT_THREAD

    @property
    def settings(self) -> Settings:
        """The settings, which may change during a chat."""
        return settings_for(self.options, self.screen)

    def stored(self, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Return the result of *work* on the store."""
        return visit_store(self.settings, self.screen, work)

    def run(self) -> int:
        """Do line after line until the user leaves. Return the exit status. Raises Terminated."""
        while not self.is_over:
            try:
                line = self.prompt.ask(self.thread, self._status())
            except EOFError:
                return int(not is_tty(self.screen.stdin))  # 1: the terminal is gone
            except (Interrupted, KeyboardInterrupt):
                self.screen.err("Ctrl-D to leave")
                continue
            status = self._turn(line) if line.strip() else 0
            if status == Terminated.exit_status:
                return status
            if status == Interrupted.exit_status:
                self.prompt.hold()
        return 0

    def _status(self) -> str:
        """Return the status: today's searches if few are left, the model, the conversation."""
        try:
            settings, self._first = self._first or self.settings, None
        except SettingsError:  # the next request reports it
            return ""
        # A server would take its time.
        title, used = glance(settings.folders.history * (not settings.database_url), self.thread, today())
        is_named = not self.thread.startswith((TERMINALS, DEFAULT_THREAD))
        limit, thread = settings.daily.searches or 0, self.thread if is_named else one_line(title or "")
        left = max(0, limit - (used or 0))
        few = f"{pluralize(left, 'searches')} left today" if limit and left <= few_of(limit) else ""
        return " · ".join(filter(None, (few, settings.model, thread)))

    def _turn(self, line: str) -> int:
        """Do *line*, report its failures, and leave an empty line below. Return its exit status."""
        status = telling_failures(self.options, self.screen, lambda: self._do(line))
        self.screen.ended = None  # that was the turn's status, not the chat's
        self.screen.ask("")
        return status

    def _do(self, line: str) -> int:
        """Do *line*. Return its exit status."""
        words = command_of(line)
        own = _OWN.get(words[0]) if words else None
        if own and not (words[1:] and own.name in COMMANDS):
            return own.do(self, " ".join(words[1:])) or 0
        return self.call(words, line) if words else self._ask(line)

    def call(self, command: Sequence[str], line: str) -> int:
        """Do a command of the command line, or what the words of *line* ask if it isn't one."""
        name = command[0]
        if name == "ask":
            return self._ask(" ".join(command[1:]))
        if name == "chat":
            raise UsageError("You're already in a chat.", hint="Start a new conversation: /new")
        try:
            return run_command(command, self._screen_here(), self.options.env_file)
        except Misfit as error:
            if line.startswith("/"):
                raise UsageError(error.message, hint=f"/help {name}") from None
            self._refuse_slip(line, name)
            return self._ask(line)

    def _refuse_slip(self, line: str, name: str) -> None:
        """Raise UsageError if a shell wouldn't send *line* as words. name: its command."""
        try:
            read = command_or_words(_cut(line), misfit_of)
            if isinstance(read, RequestLine):
                refuse_mistyped(read, self.screen.environment)
        except UsageError as error:
            hint = f"See /help {name}, or start the line with a space to send it as words"
            raise UsageError(as_typed_at(self.screen, error.message), hint=hint) from None

    def _ask(self, line: str) -> int:
        """Do what the words of *line* ask, as on the command line."""
        return do_request(RequestLine((line,), self.options), parse_words(words_in(line)), self.screen)

    def _screen_here(self) -> Screen:
        """Return a screen for a command, with this thread as its own."""
        screen = Screen({**self.screen.environment, "JARVIS_THREAD": self.thread})
        screen.is_chat, screen.margin = True, self.screen.margin
        return screen

    def complete(self, line: str) -> Completed:
        """Return the word that *line* ends with, and all words that it can become."""
        *before, begun = line.lstrip(" ").split(" ")
        before = [word for word in before if word]
        if not before:
            return begun, [each for each in _menu() if begun and each[0].startswith(begun)]
        name = before[0].removeprefix("/").casefold()
        if before[0].startswith("/") and name not in COMMANDS:
            return begun, []
        words = [name if name in COMMANDS else before[0], *before[1:]]
        found = offered(words, begun, self._screen_here(), self.options.env_file)
        return begun, [each for each in found if " " not in each[0]]


class Slash(NamedTuple):
    """A command that only a chat has: `/new [NAME]`."""

    name: str
    argument: str  # as help shows it; empty: none
    help: str
    do: Callable[[Chat, str], int | None]  # takes its argument, returns an exit status or None for 0


def command_of(line: str) -> list[str]:
    """Return the words of the command that *line* may be, split as in a shell. Empty: it is words.

    Raises UsageError for an unknown command.
    """
    words = _cut(line)
    if not (found := _LIKE_COMMAND.match(line)):
        if line.strip().casefold() in ("exit", "quit"):
            return ["quit"]
        return [] if len(line.splitlines()) > 1 or line[:1] == " " else command_in(words)
    name = (found[1] or "help").casefold()
    if name in COMMANDS or name in _OWN:
        return [name, *words[1:]]
    near = difflib.get_close_matches(name, [*_OWN, *COMMANDS], n=1, cutoff=0.5)
    next_step = f"Did you mean /{near[0]}?" if near else "See /help."
    hint = "To send it as words, start the line with a space"
    raise UsageError(f"No command called /{name}. {next_step}", hint=hint)


def _cut(line: str) -> list[str]:
    """Split *line* as a shell does, and drop a leading `jarvis`."""
    try:
        words = shlex.split(line)
    except ValueError:  # it has an apostrophe
        words = line.split()
    return words[words[:1] == ["jarvis"] :]


@cache
def _menu() -> list[Found]:
    """Return all commands with what each does, the most used first. Imports them all, in 50 ms."""
    names = sorted(COMMANDS - _OWN.keys() - {"chat"})
    helps = {own.name: own.help for own in _SLASHES} | {n: command(n).get_short_help_str(80) for n in names}
    return [(f"/{name}", helps[name]) for name in dict.fromkeys((*_MOST_USED, *helps))]


# The chat's own commands.


def list_commands(chat: Chat, argument: str) -> None:
    others = ", ".join(f"/{name}" for name in sorted(COMMANDS) if name not in ("chat", "help"))
    lines = [
        "Type what you want in plain words, or use:",
        *(f"  {f'/{own.name} {own.argument}':<16}  {own.help}" for own in _SLASHES),
        f"All commands work here too: {others}. /help NAME explains one.",
        "Ctrl-C stops the request. Alt-Enter (or Ctrl-J) starts a new line. "
        "Ctrl-R searches what you typed, Tab completes, Ctrl-X Ctrl-E opens your editor.",
    ]
    for line in lines:
        chat.screen.out(fitted(line, chat.screen))


def begin_thread(chat: Chat, name: str) -> None:
    taken = {thread.id for thread in chat.stored(lambda store: store.threads.all())}
    today = time.strftime("%Y-%m-%d")
    name = name or next(free for n in itertools.count(1) if (free := f"{today}-{n}") not in taken)
    check_thread(name)
    if name in taken:
        hint = f"Continue it: /resume {name}"
        raise UsageError(f"There's already a conversation called {name}.", hint=hint)
    chat.options = chat.options._replace(thread=name)
    chat.screen.err(f"New conversation: {name}")


def resume_thread(chat: Chat, typed: str) -> None:
    thread = pick_thread(chat.settings, chat.screen, now=chat.thread, typed=typed)
    chat.options = chat.options._replace(thread=thread.id)


def title_thread(chat: Chat, words: str) -> None:
    if not (title := one_line(words, LONGEST_TITLE)):
        raise UsageError("No title given.", hint="/title holidays in May")
    if not chat.stored(lambda store: store.threads.rename(chat.thread, title)):
        raise UsageError("This conversation is empty.", hint="Ask something first")
    chat.screen.err(f"Renamed this conversation to “{title}”.")


def choose_model(chat: Chat, name: str) -> None:
    if name:
        chat.options = chat.options._replace(model=model_of(name))
        chat.screen.err(f"Next request: {chat.options.model}")
    else:
        chat.screen.err(f"Using {chat.settings.model}. See others: /models")


def copy_reply(chat: Chat, argument: str) -> None:
    """Copy the last reply with its tables, and say which program did it."""
    turns = chat.stored(lambda store: store.threads.turns(chat.thread))
    last = next((turn for turn in reversed(turns) if turn.reply or turn.tables), PastTurn())
    rows = [row for table, first in tables_in(last.tables) if first for row in tab_separated(table, first)]
    if not (text := "\n".join(filter(None, [*rows, last.reply]))):
        raise UsageError("Nothing to copy yet.", hint="Ask something first")
    amount = pluralize(len(text), "characters")
    if program := copied_by(text, chat.screen.environment):
        chat.screen.err(f"Copied {amount} with {program}.")
    elif chat.prompt.copy_by_terminal(text):  # over SSH the clipboard is at the other end
        chat.screen.err(f"Sent {amount} to your terminal's clipboard. Some terminals ignore this.")
    else:
        raise UsageError("Can't copy: no clipboard program found.", hint="Install xclip or wl-clipboard")


def leave_chat(chat: Chat, argument: str) -> None:
    chat.is_over = True


_SLASHES = (
    Slash("new", "[NAME]", "Start a new conversation.", begin_thread),
    Slash("resume", "[N|NAME]", "Continue a conversation, by number, name, or title.", resume_thread),
    Slash("copy", "", "Copy the last reply and its tables, as Markdown.", copy_reply),
    Slash("threads", "", "List your conversations.", lambda chat, _: chat.call(["threads", "list"], "")),
    Slash("title", "NAME", "Rename this conversation.", title_thread),
    Slash("model", "[NAME]", "Show or change the model.", choose_model),
    Slash("help", "", "Show what you can type here.", list_commands),
    Slash("quit", "", "Leave (so do Ctrl-D, quit, and exit).", leave_chat),
)
_OWN = {each.name: each for each in _SLASHES}
_MOST_USED = ("new", "resume", "why", "copy", "usage", "help", "title", "threads", "model")
