"""A typed line: request or command, its terminal, and its failures.

It parses a request's options and words with the standard library only. If a line begins with a command, or a
similar word, or has an option of no request, it imports Typer, which parses all of it. If that doesn't fit,
nothing was done, and the line is words.
"""

import getopt
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from .. import __version__, packs
from ..core.errors import FAULT, Interrupted, JarvisError, Terminated, UsageError, report_bugs, stop
from ..core.files import read_text
from ..core.text import digest, one_line
from ..core.types import DEFAULT_THREAD, TERMINALS, Options
from ..output.screen import Screen

if sys.platform != "win32" and not sys.platform.startswith("linux"):
    from ..desktop.running import began_by_ps

# A test compares them with the app.
_OWN_COMMANDS = (
    "alias ask brain chat completion config demo doctor help keys models packs paths policy setup threads"
    " usage version why"
)
_FOLDER = packs.__path__[0]
PACK_COMMANDS = sorted(
    each for each in os.listdir(_FOLDER) if os.path.isfile(f"{_FOLDER}/{each}/commands.py")
)
COMMANDS = frozenset((*_OWN_COMMANDS.split(), *PACK_COMMANDS))
# The options of a request, by the field that each sets: its names, what stands for its value, its help.
OPTIONS = {
    "thread": ("-t --thread", "NAME", "The conversation to use (default: this terminal's own)."),
    "continue_last": ("-c --continue", "", "Continue the last conversation."),
    "resume": ("-r --resume", "", "Choose a conversation from a list."),
    "files": ("-f --file", "FILE", "Read FILE along with the words. Repeatable."),
    "model": ("-m --model", "NAME", "The model to use. To list them: jarvis models"),
    "dry_run": ("-n --dry-run", "", "Dry run: show what would happen on the desktop."),
    "yes": ("-y --yes", "", "Answer yes to warnings, never to secrets, choices, pasted text, or sends."),
    "answer": ("--answer", "ID=OPTION", "Answer a question that is still open."),
    "quiet": ("-q --quiet", "", "Print only the answer."),
    "verbose": (
        "-v --verbose",
        "",
        "Show each step and its reason. -vv adds prompts, raw answers, and the log.",
    ),
    "json": ("--json", "", "Print one JSON object."),
    "ndjson": ("--ndjson", "", "Print JSON records as things happen, one a line."),
    "csv": ("--csv", "", "Print tables as CSV with a header. The rest goes to stderr."),
    "timeout": ("--timeout", "SECONDS", "Stop after SECONDS (default: 60, with a pack up to 120)."),
    "env_file": ("--env-file", "FILE", "Read NAME=value settings from FILE."),
    "log_file": ("--log-file", "FILE", "Write the log to FILE."),
}
NOT_OF_CHATS = ("files", "answer", "json", "ndjson", "csv")
_NAMES = {name: field for field, (names, *_) in OPTIONS.items() for name in names.split()}
_NAMES |= {"-h": "help", "--help": "help", "--version": "version"}  # instead of a request
_TAKING = {name for name, field in _NAMES.items() if field in OPTIONS and OPTIONS[field][1]}
_SHORT = "".join(name[1] + ":" * (name in _TAKING) for name in _NAMES if name[1] != "-")
_FLAGS = {name[1] for name in _NAMES if name[1] != "-" and name not in _TAKING}
# Each is listed again with a dot, so that getopt takes no --verb for --verbose: it begins two options.
_TWICE = [name + dot + "=" * (name in _TAKING) for name in _NAMES for dot in ("", ".")]
_LONG = [name[2:] for name in _TWICE if name.startswith("--")]
_ENV_FILE = "--env-file"
_BOOT = "/proc/sys/kernel/random/boot_id"
_FEW = 3  # words of a line that may be a command with a slip: more are a sentence

VARIABLE = "_JARVIS_COMPLETE"  # in which a shell asks for completions
VERSION = f"jarvis {__version__}"
FRONT_PAGE = f"""\
Type what you want:

  jarvis open github.com
  jarvis "find the MIT website and open it"
  jarvis "find me a used Switch under 150 dollars"     then: jarvis open 2
  git log | jarvis what changed
  jarvis -f notes.txt "sum this up"
  jarvis                                               a chat (Ctrl-D leaves)

  -t NAME, -c, -r    conversation: by name, the last one, or choose from a list
  -n, -y             dry run, answer yes to warnings
  --json, --csv, -q  for scripts: JSON, CSV tables, answer only

  demo               see it work on recorded answers, without a key
  setup, keys        set up and test API keys
  threads, why       past conversations, why Jarvis did what it did
  usage, doctor      what you used, find and fix problems
  alias, policy      your own names for addresses, permission rules
  {", ".join([*PACK_COMMANDS, "packs"]):<17}  saved items, extra skills

jarvis help all      all commands        jarvis help ask     all options
jarvis -- why me     send words that look like a command"""


class RequestLine(NamedTuple):
    """A request in words."""

    words: Sequence[str]
    options: Options
    are_words: bool = False  # marked as words: by `--` before them, or by `ask`
    asks_for: str = ""  # instead: `help`, `version` or `chat`


def without_env_file(argv: Sequence[str]) -> tuple[list[str], str | None]:
    """Return *argv* without --env-file, which any command may have, and the file that it names."""
    rest, path = list(argv), None
    end = rest.index("--") if "--" in rest else len(rest)
    for at in reversed(range(end)):
        name, equals, value = rest[at].partition("=")
        if name == _ENV_FILE and (equals or at + 1 < end):
            path = path or value or rest[at + 1]
            del rest[at : at + (1 if equals else 2)]
    return rest, path


def command_in(argv: Sequence[str]) -> list[str]:
    """Return the line of the command that *argv* may be, its options after its words, or [] for words."""
    at = _first_word(argv)
    before, rest = argv[:at], argv[at:]
    if not rest or rest[0] not in COMMANDS or "--" in before:
        return []
    if rest[0] in ("ask", "chat") and not {"-h", "--help"} & {*argv}:  # read here
        return []
    end = rest.index("--") if "--" in rest else len(rest)
    try:
        options, words = getopt.gnu_getopt([*before, *rest[:end]], _SHORT, _LONG)
    except getopt.GetoptError:  # one of the command's own is among them
        options, words = [], [*rest[:end], *before]
    given = [each for option in options for each in option if each]
    return [*words, *given, *rest[end:]]


def request_in(argv: Sequence[str], env_file: str | None = None) -> RequestLine | None:
    """Separate options and words, in any order. None if an option isn't one of a request.

    Raises UsageError for an option that makes no sense.
    """
    try:
        given, words = getopt.gnu_getopt(list(argv), _SHORT, _LONG)
    except getopt.GetoptError:  # Click reports the problem: see app.py
        return None
    is_quoted = "--" in argv[: _first_word(argv)]
    is_ask = words[:1] == ["ask"] and not is_quoted
    instead = sorted({_NAMES[name] for name, _ in given} - {*OPTIONS})
    if words == ["chat"] and not (is_quoted or instead):
        words, instead = [], words
    options = _options(given)._replace(env_file=env_file)
    return RequestLine(words[int(is_ask) :], options, is_ask or is_quoted, (*instead, "")[0])


def as_request(argv: Sequence[str], request: RequestLine) -> RequestLine:
    """Return *request*. Raises UsageError for an option without a value among its words.

    “What does apt install -y do” is about the option. Without it, the question would be another.
    """
    rest, words = argv[_first_word(argv) :], request.words
    begun = next((at for at, word in enumerate(words) if rest[at] != word), len(words))
    if 1 < begun < len(words) and not request.are_words and {*rest[begun][1:]} <= _FLAGS:
        message = f"{rest[begun]} is between words. Put options before or after the words."
        raise UsageError(message, hint=as_words(rest))
    return request


def command_or_words(
    argv: Sequence[str], misfit_of: Callable[[Sequence[str]], Any], env_file: str | None = None
) -> list[str] | RequestLine:
    """Parse *argv* as a command's line or a request. Raises UsageError for neither.

    misfit_of: of app.py, which imports Typer. Most lines don't need it.
    """
    command, request = command_in(argv), request_in(argv, env_file)
    if request and not command:
        return as_request(argv, request)
    # For the second: Click reports wrong options.
    misfit = misfit_of(command or ["ask", *argv])
    if command and not misfit:
        return command
    if request and not (misfit and misfit.is_near and are_few(request.words)):
        return as_request(argv, request)
    if misfit and not command and any(" " in word or word[:1] != "-" for word in argv):
        misfit.hint = as_words(argv)
    raise misfit or UsageError("These options make no sense.", hint="jarvis help ask")


def are_few(words: Sequence[str]) -> bool:
    """Return whether *words* may be a command with a slip: up to three, none quoted, and no question."""
    return 0 < len(words) <= _FEW and words[-1][-1:] != "?" and not any(" " in word for word in words)


def seconds_of(text: str) -> float:
    """Return the value of --timeout, in seconds. Raises UsageError for one that makes no sense."""
    with suppress(ValueError):
        if 0.1 <= (seconds := float(text)) <= 86400:
            return seconds
    raise UsageError("--timeout must be from 0.1 to 86400 seconds.", hint="jarvis --timeout 90 …")


def model_of(text: str) -> str:
    """Return the name of a model that --model gives. Raises UsageError for what can't be one."""
    name = text.removeprefix("models/")
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}|[a-z0-9]+:[A-Za-z0-9._:/-]{1,100}", name):
        raise UsageError("That isn't a valid model name.", hint="jarvis models")
    if ":" in name:
        from ..config.services import service_of  # and keys: few lines name a service

        service_of(name)
    return name


_READ: dict[str, Callable[[str], object]] = {"timeout": seconds_of, "model": model_of}  # the others are texts


def _options(given: Sequence[tuple[str, str]]) -> Options:
    values: dict[str, Any] = {"files": (), "verbose": 0}
    for name, value in given:
        match field := _NAMES[name]:
            case "files":
                values[field] += (value,)
            case "verbose":
                values[field] += 1
            case _ if field in OPTIONS:
                values[field] = _READ.get(field, str)(value) if name in _TAKING else True
    return Options(**values)


def _first_word(argv: Sequence[str]) -> int:
    """Return the position of the first word, or the end if an option before it isn't one of a request."""
    try:
        return len(argv) - len(getopt.getopt(list(argv), _SHORT, _LONG)[1])
    except getopt.GetoptError:
        return len(argv)


def as_words(words: Iterable[str]) -> str:
    """Return a hint with the command that sends *words* as words."""
    return f"To send it as words: jarvis -- {shlex.join(words)}"


# The thread of a line's terminal.


def own_thread(environment: Mapping[str, str], has_terminal: bool) -> str:
    """Return the thread of the line's terminal, or the default without one."""
    return (has_terminal and terminal_name(environment)) or DEFAULT_THREAD


def terminal_name(environment: Mapping[str, str]) -> str:
    """Return a name for this process's terminal, or "".

    It is computed each time. Nothing about a terminal is saved.
    """
    if sys.platform == "win32":
        session = environment.get("WT_SESSION", "")  # Windows Terminal makes up another one for each
        return terminal_thread("", "", session, "") if session else ""
    else:  # noqa: RET505 (mypy knows a platform's code by its branch)
        leader = os.getsid(0)
        if sys.platform.startswith("linux"):
            began = _began(leader)
        else:
            began = began_by_ps(leader, environment)
        return terminal_thread(os.uname().nodename, read_text(_BOOT), str(leader), began) if began else ""


def terminal_thread(machine: str, boot: str, session: str, began: str) -> str:
    """Return a thread name that no other terminal will ever have, on any machine.

    boot: the kernel's id of the last start, or "". session: the process that leads the session. began: its
    start time, since process ids are reused.
    """
    return TERMINALS + digest("\0".join((machine, boot, session, began)))


def _began(leader: int) -> str:
    """Return the start time of process *leader* in the kernel's ticks, or "" without a terminal.

    Source: proc(5), fields 7 and 22 of /proc/PID/stat.
    """
    fields = read_text(f"/proc/{leader}/stat").rpartition(")")[2].split()  # those after the program's name
    return fields[19] if fields[4:5] not in ([], ["0"]) else ""  # 0: as setsid and su leave it


# Reporting failures: each once, in one line.


def telling_failures(options: Options, screen: Screen, work: Callable[[], int]) -> int:
    """Run *work* and report its failures. Returns the exit status."""
    raise_on_end_signals()
    try:
        if options.json + options.ndjson + options.csv > 1:
            message = "Can't use --json, --ndjson, and --csv together."
            raise UsageError(message, hint="Choose one.")
        with report_bugs():
            status = work()
    except KeyboardInterrupt:
        status = _report_error(Interrupted("Interrupted."), options, screen)
    except JarvisError as error:
        if error.code == FAULT:
            _note_fault(error, options, screen)
        status = _report_error(error, options, screen)
    # A missing log isn't a failure. Only -v and --log-file report it.
    if screen.log and screen.log.trouble and (options.verbose or options.log_file):
        screen.err(f"jarvis: {one_line(screen.log.trouble)}")
    return status or int(screen.has_lost_output)


def raise_on_end_signals() -> None:
    """Let SIGTERM and SIGHUP raise Terminated, so that results are shown as after Ctrl-C."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, lambda *_: stop(Terminated("Terminated.")))


def _note_fault(fault: JarvisError, options: Options, screen: Screen) -> None:
    """Log the traceback of *fault*, and with -v print it on stderr. It contains no key."""
    import traceback  # faults are rare

    lines = "".join(traceback.format_exception(fault.__cause__ or fault))
    if screen.log:
        screen.log.write("error", code="fault", traceback=lines)
    if options.verbose:
        screen.aside(lines.rstrip())


def _report_error(error: JarvisError, options: Options, screen: Screen) -> int:
    """Report *error*, unless the turn's end was reported already: a program expects one object."""
    if screen.ended is not None:
        return screen.ended
    if screen.log:
        screen.log.write("error", code=error.code, exit_status=error.exit_status)
    from ..agent.reception import tell_unbegun  # few lines fail: it brings history

    return tell_unbegun(error, options, screen)
