"""The registry: a row for every command of the command line and of a chat.

Help, the reading of a line, typo checks and completion derive from these rows. They are plain values, and
name the functions that do the work by their place below cli/, so that `--help` imports none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .options import CHAT, ENV_FILE, PRINTED, REQUEST, THREAD
from .rows import MANY, WORDS, Argument, Command, CommandOption, Slash


class Group(NamedTuple):
    """Several commands under one name: `threads list`."""

    name: str
    help: str

    @property
    def commands(self) -> tuple[Command, ...]:
        from .groups import COMMANDS  # most lines name no group

        return COMMANDS[self.name]

    @property
    def about(self) -> str:
        from .groups import ABOUTS  # only help tells it

        return ABOUTS.get(self.name, "")


ASK = Command("ask", "the same as WORDS…, for scripts", "commands.ask.ask", (WORDS,), REQUEST)
# The options of these two are not heeded, but the wrapper, scripts/jarvis, always gives one.
SHOW_HELP = Command(
    "help",
    "this, or what a command takes",
    "commands.help.show_help",
    (Argument("command", least=0, kind="command"),),
    REQUEST,
    fits="commands.help.is_command",
)
SHOW_VERSION = Command("version", "the version", "commands.help.show_version", options=REQUEST)
_DOCTOR = """
Nothing is changed by looking. What it prints can be shown to others: no key is
in it, and ~ stands for your home folder. Exit status 1: something is wrong."""
_ROWS: tuple[Command | Group, ...] = (
    Group("alias", "your own names for addresses: jarvis open NAME"),
    ASK,
    Group("brain", "the process that plans and searches for you, and stays for a while"),
    Command(
        "chat", "one request after the other; /help there tells more", "chat.chat.run_chat", options=CHAT
    ),
    Group("completion", "what Tab completes in your shell"),
    Group("config", "the settings that count, and where they come from"),
    Command(
        "doctor",
        "what is wrong, from the keys to the desktop, and what mends it",
        "commands.doctor.examine",
        options=(
            CommandOption("--online", "online", "ask the services too: whether they take the keys"),
            *PRINTED,
        ),
        about=_DOCTOR,
    ),
    SHOW_HELP,
    Group(
        "keys",
        "the keys of the language model and of the search",
    ),
    Group("packs", "more that it can do, such as finding things for sale: what is on"),
    Command("paths", "the folders and files that are used", "commands.paths.list_paths", options=PRINTED),
    Command("models", "the models that your key can use", "commands.models.list_models", options=PRINTED),
    Group(
        "policy",
        "what may be done unasked, and what may not be done",
    ),
    Group("shop", "what you had kept of what was found: prices then and now"),
    Command("setup", "ask for the keys that are missing", "commands.keys.set_up", options=(ENV_FILE,)),
    Group("threads", "what was asked and what came of it"),
    Command(
        "usage",
        "model calls, searches and tokens per day and thread",
        "commands.usage.show_usage",
        options=(
            CommandOption(
                "--days",
                "days",
                "how many days, today included (default: 7)",
                takes="N",
                needs="a number",
                read="commands.usage.days_of",
            ),
            *PRINTED,
        ),
    ),
    SHOW_VERSION,
    Command(
        "why",
        "what the last turn's steps were done for, and by which rule",
        "commands.why.explain_turn",
        (
            Argument(
                "turn",
                "its number in the thread, or its id; else the last",
                least=0,
                kind="turn",
            ),
        ),
        (THREAD._replace(help="in this thread"), *PRINTED),
        fits="commands.why.may_be_turn",
    ),
)
COMMANDS = {row.name: row for row in _ROWS}
SLASHES = (
    Slash("help", "", "what can be said here", "chat.commands.list_commands", words=("help", "?")),
    Slash("new", "[NAME]", "begin a new thread", "chat.commands.begin_thread", words=("reset",)),
    Slash("threads", "", "list the threads", "chat.commands.list_threads"),
    Slash(
        "resume",
        "[N|NAME]",
        "go on in a thread, by its number, name or part of its title",
        "chat.commands.resume_thread",
        kind="thread",
        most=MANY,
    ),
    Slash("model", "[NAME]", "tell which model is asked here, or ask another", "chat.commands.choose_model"),
    Slash("copy", "", "copy the last reply, as Markdown, and its tables", "chat.commands.copy_reply"),
    Slash("open", "N", "open what is on that line of the last list", "chat.commands.open_line", most=MANY),
    Slash("retry", "", "ask the last request once more", "chat.commands.ask_again"),
    Slash("quit", "", "leave, as Ctrl-D does", "chat.commands.leave_chat", words=("exit", "quit")),
)


def single_commands() -> Iterator[Command]:
    """Yield all commands, those of groups one by one."""
    for row in COMMANDS.values():
        yield from row.commands if isinstance(row, Group) else (row,)
