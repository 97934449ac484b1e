"""Work whose failures are told once, in one line, with the exit status that is theirs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from ..core.errors import Fault, Interrupted, JarvisError, Terminated, UsageError, foreseen
from ..core.stdlib import NoReturn
from ..core.text import one_line
from ..core.types import Options
from ..output.screen import Screen


def guarded(options: Options, screen: Screen, work: Callable[[], int]) -> int:
    """*work*'s exit status; its failures told, once, here."""
    sys.excepthook = lambda kind, raised, trace: note_fault(raised, screen, aloud=True)
    # As Ctrl-C does, so that what was done is told.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, _terminate)
    try:
        if options.json and options.ndjson:
            raise UsageError("--json and --ndjson are two ways to print the same.", hint="Choose one.")
        with foreseen():
            status = work()
    except KeyboardInterrupt:
        status = _told(Interrupted("Interrupted."), options, screen)
    except JarvisError as error:
        if isinstance(error, Fault):
            note_fault(error, screen, aloud=bool(options.verbose))
        status = _told(error, options, screen)
    _tell_trouble(options, screen)
    return status or int(screen.has_lost_output)


def note_fault(fault: BaseException, screen: Screen, *, aloud: bool) -> None:
    """Where it came from: into the log, and for those who want to know on stderr; no key in either."""
    import traceback  # few have to

    lines = "".join(traceback.format_exception(fault.__cause__ or fault))
    if screen.log:
        screen.log.write("error", code="fault", traceback=lines)
    if aloud:
        screen.aside(lines.rstrip())


def _tell_trouble(options: Options, screen: Screen) -> None:
    """A log that can't be written is no failure; who asked for one, or for more words, is told."""
    if screen.log and screen.log.trouble and (options.verbose or options.log_file):
        screen.err(f"jarvis: {one_line(screen.log.trouble)}")


def _terminate(*_: object) -> NoReturn:
    raise Terminated("Terminated.")


def _told(error: JarvisError, options: Options, screen: Screen) -> int:
    """Tell *error*, unless the turn's end was told already: a program waits for one object."""
    if screen.ended is not None:
        return screen.ended
    if screen.log:
        screen.log.write("error", code=error.code, exit_status=error.exit_status)
    from ..output.summary import show_error  # few have to

    return show_error(screen, error, as_json=options.json, as_records=options.ndjson)
