"""The options of a request, and the few that a plain command may come with. Imports next to nothing."""

from __future__ import annotations

from collections.abc import Sequence

from .stdlib import NamedTuple

USAGE = """\
Usage: jarvis [OPTIONS] WORDS…

  jarvis open github.com
  jarvis "find the MIT website and open it"
  jarvis "who won the 2022 Fields medals?"     then: jarvis open 2
  jarvis "take a screenshot"
  jarvis                                        a chat, on a terminal

Say in plain words what you want. What was opened, started or saved is told from what happened.

Options:
  -t, --thread NAME   the conversation to use (default: JARVIS_THREAD, else default)
  -c, --continue      the conversation used last
  -n, --dry-run       say what would be done on the desktop, and do nothing there
  -y, --yes           say yes to what would be asked; what is refused stays refused
  --answer ID=OPTION  answer a question that was asked where nobody could answer it
  -q, --quiet         the answer only
  -v, --verbose       each step, with its reason; -vv prompts, raw answers and the log too
  --json              one JSON object
  --ndjson            one JSON record a line, as it happens
  --timeout SECONDS   give up after so long (default: 60, or what config.toml says)
  --env-file FILE     read NAME=value settings from FILE
  --log-file FILE     write the log to FILE (default: jarvis.log in the state folder)
  --version           print the version
  -h, --help          print this

Commands:
  chat                              one request after the other; /help there tells more
  threads list|show|search|delete   what was asked and what came of it
  threads export|import             to another database, and back
  policy list|test|allow|ask|deny|rm
                                    what may be done unasked, and what may not be done
  alias list|add|rm                 your own names for addresses: jarvis open NAME
  why [TURN]                        what the last turn's steps were done for, and by which rule
  usage [--days N]                  model calls, searches and tokens per day and thread
  brain status|stop|restart         the process that plans and searches for you, and stays for a while
  ask WORDS…                        the same as WORDS…, for scripts

After -- everything is words, but for a last - , which stands for what is piped in. Words may have 20,000
characters, what is piped in beside them 100,000; more is refused. There are jarvis help and jarvis version.
Keys: GOOGLE_API_KEY and SERPAPI_API_KEY, in the environment, in --env-file, or in .env in the configuration
folder (~/.config/jarvis on Linux).
"""


# What a first word may be besides words; what may follow each stands in cli/app.py.
COMMANDS = ("chat", "threads", "policy", "why", "usage", "alias", "brain", "ask", "help", "version")


class Options(NamedTuple):
    thread: str | None = None
    continue_last: bool = False
    dry_run: bool = False
    quiet: bool = False
    verbose: int = 0  # 1: steps; 2: prompts, raw answers and the log too
    json: bool = False
    ndjson: bool = False
    timeout: float | None = None  # seconds
    env_file: str | None = None
    log_file: str | None = None
    yes: bool = False
    answer: str | None = None  # ID=OPTION, to a question that nobody could answer


_FLAGS = {
    "-c": "continue_last",
    "--continue": "continue_last",
    "-n": "dry_run",
    "--dry-run": "dry_run",
    "-q": "quiet",
    "--quiet": "quiet",
    "--json": "json",
    "--ndjson": "ndjson",
    "-y": "yes",
    "--yes": "yes",
}
_VALUES = {"-t": "thread", "--thread": "thread", "--env-file": "env_file", "--log-file": "log_file"}
_VERBOSE = {"-v": 1, "-vv": 2, "--verbose": 1}


def simple(argv: Sequence[str]) -> tuple[Options, list[str]] | None:
    """The options and words of a simple command line; None for one that the full grammar must read."""
    chosen: dict[str, object] = {}
    words: list[str] = []
    verbose = 0
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            words += rest
            break
        if word in _FLAGS:
            chosen[_FLAGS[word]] = True
        elif word in _VERBOSE:
            verbose += _VERBOSE[word]
        elif word in _VALUES and rest:
            chosen[_VALUES[word]] = rest.pop(0)
        elif equals and name.startswith("--") and name in _VALUES:
            chosen[_VALUES[name]] = value
        elif word.startswith("-") and word != "-":
            return None
        else:
            words.append(word)
    return Options(**chosen, verbose=verbose), words  # type: ignore[arg-type]


def may_be_command(words: Sequence[str]) -> bool:
    """Whether *words* may be a command, or one that was misspelt: for the full grammar to decide."""
    if not words:
        return False
    return words[0] in COMMANDS or (len(words) <= 2 and any(_is_near(words[0], name) for name in COMMANDS))


def _is_near(word: str, name: str) -> bool:
    """Whether they may have most letters in common: importing difflib would cost a bare start."""
    common = sum(min(word.count(letter), name.count(letter)) for letter in set(word))
    return 2 * common >= 0.8 * (len(word) + len(name))
