"""The options of a request, and those that several commands share."""

from __future__ import annotations

from .rows import CommandOption

THREAD = CommandOption(
    "--thread",
    "thread",
    "the conversation to use (default: JARVIS_THREAD, else this terminal's own)",
    short="-t",
    takes="NAME",
    needs="a name",
    kind="thread",
)
CONTINUE = CommandOption("--continue", "continue_last", "the conversation used last", short="-c")
MODEL = CommandOption(
    "--model",
    "model",
    "the model to ask (default: JARVIS_MODEL); jarvis models lists them",
    short="-m",
    takes="NAME",
    needs="a model's name",
    read="commands.models.model_of",
)
RESUME = CommandOption("--resume", "resume", "a conversation that you pick from a list", short="-r")
DRY_RUN = CommandOption(
    "--dry-run", "dry_run", "say what would be done on the desktop, and do nothing there", short="-n"
)
YES = CommandOption(
    "--yes", "yes", "say yes to what would be asked; what is refused stays refused", short="-y"
)
ANSWER = CommandOption(
    "--answer",
    "answer",
    "answer a question that was asked where nobody could answer it",
    takes="ID=OPTION",
    needs="ID=OPTION",
)
FILE = CommandOption(
    "--file",
    "files",
    "read FILE beside the words, as what is piped in is; may be given several times",
    short="-f",
    takes="FILE",
    needs="a file",
    kind="file",
    repeats=True,
)
QUIET = CommandOption("--quiet", "quiet", "the answer only", short="-q")
VERBOSE = CommandOption(
    "--verbose",
    "verbose",
    "each step, with its reason; -vv prompts, raw answers and the log too",
    short="-v",
    counts=True,
)
JSON = CommandOption("--json", "json", "one JSON object")
NDJSON = CommandOption("--ndjson", "ndjson", "one JSON record a line, as it happens")
CSV = CommandOption("--csv", "csv", "tables as CSV, with a header; all else goes to stderr")
TIMEOUT = CommandOption(
    "--timeout",
    "timeout",
    "give up after so long (default: 60, or what config.toml says)",
    takes="SECONDS",
    needs="a number of seconds",
    read="timeout.seconds_of",
)
ENV_FILE = CommandOption(
    "--env-file",
    "env_file",
    "read NAME=value settings from FILE",
    takes="FILE",
    needs="a file",
    kind="file",
)
LOG_FILE = CommandOption(
    "--log-file",
    "log_file",
    "write the log to FILE (default: jarvis.log in the state folder)",
    takes="FILE",
    needs="a file",
    kind="file",
)
VERSION = CommandOption("--version", "version", "print the version")
HELP = CommandOption("--help", "help", "print this", short="-h")

CHAT = (THREAD, CONTINUE, RESUME, MODEL, DRY_RUN, YES, QUIET, VERBOSE, TIMEOUT, ENV_FILE, LOG_FILE)
REQUEST = (
    THREAD,
    CONTINUE,
    RESUME,
    FILE,
    MODEL,
    DRY_RUN,
    YES,
    ANSWER,
    QUIET,
    VERBOSE,
    JSON,
    NDJSON,
    CSV,
    TIMEOUT,
    ENV_FILE,
    LOG_FILE,
)
# Of a command that prints what it knows.
PRINTED = (JSON._replace(help="print JSON"), ENV_FILE)
