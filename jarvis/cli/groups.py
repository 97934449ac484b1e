"""The rows of commands that stand in a group, such as `threads list`. They are plain values."""

from __future__ import annotations

from . import pack_groups
from .options import ENV_FILE, PRINTED, THREAD, YES
from .rows import MANY, WORDS, Argument, Command, CommandOption

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
`jarvis alias add gh https://github.com`; with {query} in it, what follows the
name is filled in: `jarvis alias add gh 'https://github.com/search?q={query}'`,
then `jarvis open gh langgraph interrupt`."""

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

_COMPLETION_COMMANDS = (
    *(
        Command(
            shell, f"print the script for {shell}", "commands.completion.print_script", options=(ENV_FILE,)
        )
        for shell in ("bash", "zsh", "fish")
    ),
    Command(
        "install",
        "put it where SHELL looks for it (default: the shell that is in SHELL)",
        "commands.completion.install_script",
        (Argument("shell", least=0, kind="shell"),),
        (ENV_FILE,),
    ),
)

_CONFIG_COMMANDS = (
    Command(
        "show",
        "show each setting with its value; of a secret, whether it is set",
        "commands.config.show_settings",
        options=(
            CommandOption("--origin", "origin", "where each comes from, and what that hides"),
            *PRINTED,
        ),
    ),
)
_KEY = (Argument("service", "google or serpapi", least=0, most=MANY, kind="key"),)
_MAY_BE_KEY = "commands.keys.may_be_key"

_KEYS_COMMANDS = (
    Command(
        "set",
        "ask for a key, hidden, or read it from stdin; check it and keep it",
        "commands.keys.set_key",
        _KEY,
        (ENV_FILE,),
        fits=_MAY_BE_KEY,
    ),
    Command(
        "list",
        "list where each key comes from, and what it hides",
        "commands.keys.list_keys",
        options=PRINTED,
    ),
    Command(
        "test",
        "ask the services whether they take the keys that are set",
        "commands.keys.check_keys",
        _KEY,
        PRINTED,
        fits=_MAY_BE_KEY,
    ),
    Command(
        "rm",
        "forget a key that is kept here",
        "commands.keys.remove_key",
        _KEY,
        (ENV_FILE,),
        fits=_MAY_BE_KEY,
    ),
)
_KEYS_ABOUT = """
google is for the language model, and meant where none is named; serpapi for
searching the web. A key is kept in the system keyring, or where there is none,
in .env in the configuration folder. It is asked for, hidden, or read from
stdin; never an argument, which your shell would keep."""

_POLICY_COMMANDS = (
    Command("list", "list the rules", "commands.policy.list_rules", options=PRINTED),
    Command(
        "test",
        "say what the rules say of WORDS; nothing is done, asked or looked up",
        "commands.policy.check_rules",
        (WORDS._replace(least=1),),
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
Rules, like -y, settle doubts about what you asked for; they never allow what
you did not ask for. A rule is about an effect: open, launch, screenshot,
search; and about a host or an app, or about any.
`jarvis policy allow open www.example.com`, `jarvis policy deny screenshot`,
`jarvis policy deny open '*.example.com'` (its subdomains),
`jarvis policy deny launch firefox`."""

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
        (WORDS._replace(least=1, most=20),),
        (THREAD._replace(help="only in this thread"), *PRINTED),
    ),
    Command(
        "rename",
        "give a thread another title; its name stays",
        "commands.threads.rename_thread",
        (_THREAD, Argument("title", most=MANY, kind="words")),
        PRINTED,
    ),
    Command(
        "delete",
        "delete a thread: its turns, steps and addresses; asks first, and without a terminal needs -y",
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

# By the name of the group.
COMMANDS = {
    "alias": _ALIAS_COMMANDS,
    "brain": _BRAIN_COMMANDS,
    "completion": _COMPLETION_COMMANDS,
    "config": _CONFIG_COMMANDS,
    "keys": _KEYS_COMMANDS,
    "packs": pack_groups.PACKS,
    "policy": _POLICY_COMMANDS,
    "shop": pack_groups.SHOP,
    "threads": _THREADS_COMMANDS,
}
ABOUTS = {
    "alias": _ALIAS_ABOUT,
    "keys": _KEYS_ABOUT,
    "packs": pack_groups.ABOUT_PACKS,
    "policy": _POLICY_ABOUT,
    "shop": pack_groups.ABOUT_SHOP,
}
