"""Everything that can go wrong, in one family of errors. Each class has its exit status.

JarvisError                1
├── UsageError             2    the command line makes no sense
├── NeedsAnswer            3    a question that nobody can answer now
├── Refused                4    declined, against the rules, not requested, or it would run a file
├── ActionFailed           1    a desktop action did not work: no such file, several apps fit, …
│   ├── BadTarget               not an address that can be opened
│   ├── NoDisplay               there is no screen in this session
│   ├── NoHandler               no browser, or no app for such a file, is set up
│   ├── NotInstalled            no such app
│   ├── LaunchFailed            it was started and gave up
│   └── CaptureFailed           no picture of the screen
├── ModelFailed            1    the model's answer is unusable or incomplete
│   └── SchemaRefused           it refused the request, perhaps for its list of choices
├── SearchFailed           1    the search result is unusable
├── ReadFailed             1    a page or file is unreadable: wrong kind, too large, …
├── StoreFailed            1    history is unreadable or not writable
│   └── AnothersFile            its place belongs to another user
├── ServiceUnreachable    69
│   └── NotSent                 no connection. Otherwise the request may still take effect
├── RateLimited           75
├── KeyRefused            77
├── SettingsError         78    a bad configuration
│   └── NoKey                   a key is missing
├── OutOfTime            124    a budget or --timeout is spent
├── LimitReached         124    the day's or the turn's limit is used up
├── Interrupted          130    Ctrl-C
└── Terminated           143    the process got a signal to end

Foreign errors become members of this family where they enter, once.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EMFILE, ENFILE, ENOMEM
from typing import NoReturn, TypeVar

_T = TypeVar("_T")
FAULT = "fault"  # the code of a bug, which nobody foresaw
# In words, as `jarvis help ask` and docs/programs.md print them.
EXIT_STATUSES = {
    0: "done",
    1: "action, model, search, or history failed, or conversation in use",
    2: "usage",
    3: "needs an answer, and there is no terminal to ask",
    4: "refused by a rule, or declined",
    69: "can't reach a service",
    75: "rate limited, too many requests wait, or what was sent may still be stored",
    77: "key refused",
    78: "no key, or a bad configuration",
    124: "out of time, or over a limit of the day or the request",
    130: "Ctrl-C",
    143: "terminated",
}


class JarvisError(Exception):
    """Says what happened, in the user's words, and in a hint one thing to try, which works when pasted.

    What nobody catches by itself has no class of its own, but a code.
    """

    code = "failed"
    exit_status = 1

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        if lack := _lack(sys.exception()):  # whatever it was taken for
            message, hint = f"The system refused Jarvis more: {lack}.", "Allow more: ulimit -n 4096"
            code, self.exit_status = "no_resources", 1
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or self.code


def _lack(error: BaseException | None) -> str:
    """Return the system resource that ran out, if that led to *error*."""
    failed = [*chain(error)]
    if any(type(each).__module__.startswith(("sqlite3", "psycopg", "socket")) for each in failed):
        try:  # they don't say why they can't open what they need
            with open(__file__), open(__file__), open(__file__), open(__file__):
                pass
        except OSError as refused:
            failed.append(refused)
    for each in failed:
        if isinstance(each, MemoryError) or getattr(each, "errno", 0) in (EMFILE, ENFILE, ENOMEM):
            return getattr(each, "strerror", "no memory is left").lower()
    return ""


class Unusable(Exception):
    """The model's answer makes no sense. The model gets the reason and tries again, so this isn't our
    error.
    """

    def __init__(self, problem: str, for_person: str = "") -> None:
        """problem: in words for the model. for_person: in words for the user, if it isn't fixed."""
        super().__init__(problem)
        self.for_person = for_person


class UsageError(JarvisError):
    code = "usage"
    exit_status = 2


class NeedsAnswer(JarvisError):
    code = "needs_answer"
    exit_status = 3


class Refused(JarvisError):
    code = "refused"
    exit_status = 4


class ActionFailed(JarvisError):
    code = "action_failed"


class BadTarget(ActionFailed):
    code = "bad_target"


class NoDisplay(ActionFailed):
    code = "no_display"


class NoHandler(ActionFailed):
    code = "no_handler"


class NotInstalled(ActionFailed):
    code = "not_installed"


class LaunchFailed(ActionFailed):
    code = "launch_failed"


class CaptureFailed(ActionFailed):
    code = "capture_failed"


class ModelFailed(JarvisError):
    code = "model_failed"


class SchemaRefused(ModelFailed):
    pass


class SearchFailed(JarvisError):
    code = "search_failed"


class ReadFailed(JarvisError):
    code = "not_read"


class StoreFailed(JarvisError):
    code = "store_failed"


class AnothersFile(StoreFailed):
    pass


class ServiceUnreachable(JarvisError):
    code = "unreachable"
    exit_status = 69


class NotSent(ServiceUnreachable):
    pass


class RateLimited(JarvisError):
    code = "rate_limited"
    exit_status = 75


class KeyRefused(JarvisError):
    code = "key_refused"
    exit_status = 77


class SettingsError(JarvisError):
    code = "settings"
    exit_status = 78


class NoKey(SettingsError):
    code = "no_key"


class OutOfTime(JarvisError):
    code = "out_of_time"
    exit_status = 124


class LimitReached(JarvisError):
    code = "daily_limit"
    exit_status = 124


class Interrupted(JarvisError):
    code = "interrupted"
    exit_status = 130


class Terminated(JarvisError):
    code = "terminated"
    exit_status = 143


@contextmanager
def report_bugs() -> Iterator[None]:
    """Turn unexpected exceptions in this block into a JarvisError with code FAULT."""
    try:
        yield
    except JarvisError:
        raise
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed."
        raise SettingsError(message, hint="Set up first: scripts/jarvis --version") from error
    except Exception as error:  # handed on
        text = f"Jarvis has a bug: {type(error).__name__}: {error}"
        hint = "Please report it, with what the same command prints with -vv, and jarvis doctor."
        raise JarvisError(text, hint=hint, code=FAULT) from error


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield *error* and all that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def attempt(work: Callable[[], _T]) -> tuple[_T | None, BaseException | None]:
    """Return the result of *work* and its exception, so that another thread can raise it."""
    try:
        return work(), None
    except BaseException as error:  # noqa: BLE001 (handed on)
        return None, error


# Ctrl-C and the signals that end a program: what is under way may heed them in its own way.


@contextmanager
def on_signals(end: Callable[[JarvisError], object]) -> Iterator[None]:
    """Let Ctrl-C and similar signals call *end* with their reason in this block, instead of exiting.

    Only the main thread gets signals. On any other, this changes nothing.
    """
    reasons: dict[int, JarvisError] = {signal.SIGINT: Interrupted("Interrupted.")}
    ends = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # Windows has no SIGHUP
    reasons |= {number: Terminated("Terminated.") for number in ends if number}
    # Ignored are those that nohup wants so, and scripts with an &.
    heeded = {each: reason for each, reason in reasons.items() if signal.getsignal(each) != signal.SIG_IGN}
    before = {}
    with suppress(ValueError):  # not the main thread
        for number, reason in heeded.items():
            before[number] = signal.signal(number, lambda *_, reason=reason: end(reason))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop(reason: JarvisError) -> NoReturn:
    """Break off a read, which would go on after a signal otherwise."""
    raise reason
