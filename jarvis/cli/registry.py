"""The registry: a row for every command of the command line and of a chat.

Help, the reading of a line, typo checks and completion derive from these rows. They are plain values, and
name the functions that do the work by their place below cli/, so that `--help` imports none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from .options import CHAT, ENV_FILE, PRINTED, REQUEST, THREAD, YES
from .rows import MANY, Argument, Command, CommandOption, Group, Slash

_WORDS = Argument("words", least=0, most=MANY, kind="words")
_ALIAS = Argument("name", kind="alias")
_THREAD = Argument("name", kind="thread")
_RULE = (
    Argument("effect", "open, launch, screenshot or search", kind="effect"),
    Argument("name", "a host or an app; without one: any", least=0, most=8, kind="name"),
)
_KEEP, _IS_RULE = "commands.policy.keep_rule", "commands.policy.is_rule"

_ALIAS_COMMANDS = (
    Command("list", "list the names", "commands.alias.list_aliases", options=PRINTED),
    Command(
        "add",
        "let NAME stand for ADDRESS",
        "commands.alias.add_alias",
        (_ALIAS, Argument("address", kind="address")),
        PRINTED,
    ),
    Command("rm", "forget NAME", "commands.alias.remove_alias", (_ALIAS._replace(most=3),), PRINTED),
)
_ALIAS_ABOUT = """
`jarvis alias add gh https://github.com`; with {query} in it, what follows the name is filled in:
`jarvis alias add gh 'https://github.com/search?q={query}'`, then `jarvis open gh langgraph interrupt`."""

_BRAIN_COMMANDS = (
    Command(
        "status",
        "tell which brains of yours are running; exit status 1: none",
        "commands.brain.show_brains",
        options=(ENV_FILE,),
    ),
    Command(
        "stop",
        "end them; a turn that is under way is ended in order",
        "commands.brain.stop_brains",
        options=(ENV_FILE,),
    ),
    Command("restart", "end them, and start a new one", "commands.brain.restart_brain", options=(ENV_FILE,)),
)

_POLICY_COMMANDS = (
    Command("list", "list the rules", "commands.policy.list_rules", options=PRINTED),
    Command(
        "test",
        "say what the rules say of WORDS; nothing is done, asked or looked up",
        "commands.policy.check_rules",
        (_WORDS._replace(least=1),),
        (THREAD._replace(help="the thread of `open 2`"), *PRINTED),
    ),
    Command(
        "allow",
        "let it be done unasked, once you ask for it: whatever the doubt, or for one doubt only",
        _KEEP,
        _RULE,
        (
            CommandOption(
                "--for",
                "doubt",
                "the only doubt: odd letters, another host, shortener, unusual port, private, piped in, "
                "another is official, near name, changes something, a rule asks",
                takes="DOUBT",
                needs="a doubt",
                kind="doubt",
            ),
            *PRINTED,
        ),
        fits=_IS_RULE,
    ),
    Command("ask", "have it asked about each time", _KEEP, _RULE, PRINTED, fits=_IS_RULE),
    Command("deny", "have it refused", _KEEP, _RULE, PRINTED, fits=_IS_RULE),
    Command(
        "rm",
        "remove the rule of that NUMBER",
        "commands.policy.remove_rule",
        (Argument("number", kind="rule"),),
        PRINTED,
        fits="commands.policy.is_number",
    ),
)
_POLICY_ABOUT = """
deny comes before ask, ask before allow.
Rules, like -y, settle doubts about what you asked for; they never allow what you did not ask for.
A rule is about an effect: open, launch, screenshot, search; and about a host or an app, or about any.
`jarvis policy allow open www.example.com`, `jarvis policy deny open '*.example.com'` (its subdomains),
`jarvis policy deny launch firefox`, `jarvis policy deny screenshot`."""

_THREADS_COMMANDS = (
    Command(
        "list", "list the threads, the one used last first", "commands.threads.list_threads", options=PRINTED
    ),
    Command(
        "show",
        "show a thread: each turn, its steps and its reply",
        "commands.threads.show_thread",
        (_THREAD._replace(least=0),),
        PRINTED,
    ),
    Command(
        "search",
        "find turns by words of the request, the reply or what was done; the newest 20",
        "commands.threads.search_threads",
        (_WORDS._replace(least=1, most=20),),
        (THREAD._replace(help="only in this thread"), *PRINTED),
    ),
    Command(
        "delete",
        "delete a thread: its turns, steps and addresses; asks first, on a terminal",
        "commands.threads.delete_thread",
        (_THREAD,),
        (YES._replace(help="do not ask"), *PRINTED),
    ),
    Command(
        "export",
        "print threads, all or those named, one a line, for `threads import` elsewhere",
        "commands.threads.export_threads",
        (Argument("names", least=0, most=MANY, kind="thread"),),
        (ENV_FILE,),
    ),
    Command(
        "import",
        "read threads from FILE, or from stdin where it is `-`; one that exists is left as it is",
        "commands.threads.import_threads",
        (Argument("file", kind="file"),),
        (
            CommandOption(
                "--as", "name", "under this name; FILE holds one thread", takes="NAME", needs="a name"
            ),
            ENV_FILE,
        ),
    ),
)

ASK = Command("ask", "the same as WORDS…, for scripts", "commands.ask.ask", (_WORDS,), REQUEST, near=0)
# The options of these two are not heeded, but the wrapper, scripts/jarvis, always gives one.
SHOW_HELP = Command(
    "help",
    "this, or what a command takes",
    "commands.help.show_help",
    (Argument("command", least=0, kind="command"),),
    REQUEST,
    fits="commands.help.is_command",
    near=0,
)
SHOW_VERSION = Command("version", "the version", "commands.help.show_version", options=REQUEST, near=0)
_ROWS: tuple[Command | Group, ...] = (
    Group("alias", "your own names for addresses: jarvis open NAME", _ALIAS_COMMANDS, _ALIAS_ABOUT),
    ASK,
    Group("brain", "the process that plans and searches for you, and stays for a while", _BRAIN_COMMANDS),
    Command(
        "chat", "one request after the other; /help there tells more", "chat.chat.run_chat", options=CHAT
    ),
    SHOW_HELP,
    Group("policy", "what may be done unasked, and what may not be done", _POLICY_COMMANDS, _POLICY_ABOUT),
    Group("threads", "what was asked and what came of it", _THREADS_COMMANDS),
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
                "its number in the thread, its id, or how that begins; else the last",
                least=0,
                kind="turn",
            ),
        ),
        (THREAD._replace(help="in this thread"), *PRINTED),
        fits="commands.why.may_be_turn",
        near=1,  # two words may be a question: why not
    ),
)
COMMANDS = {row.name: row for row in _ROWS}
SLASHES = (
    Slash("help", "", "what can be said here", "chat.commands.list_commands", words=("help", "?")),
    Slash("new", "[NAME]", "begin a new thread", "chat.commands.begin_thread", words=("reset",)),
    Slash("quit", "", "leave, as Ctrl-D does", "chat.commands.leave_chat", words=("exit", "quit")),
    Slash(
        "threads", "[NAME]", "list the threads, or go on in NAME", "chat.commands.go_to_thread", kind="thread"
    ),
)


def single_commands() -> Iterator[Command]:
    """Yield all commands, those of groups one by one."""
    for row in COMMANDS.values():
        yield from row.commands if isinstance(row, Group) else (row,)
