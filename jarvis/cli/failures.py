"""Does what a line asks for, and tells its failures once, in one line."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import NoReturn

from ..core.errors import FAULT, Interrupted, JarvisError, Terminated, UsageError, foreseen
from ..core.text import one_line
from ..core.types import Options
from ..output.screen import Screen


def guarded(options: Options, screen: Screen, work: Callable[[], int]) -> int:
    """Do *work* and tell its failures; return the exit status."""
    end_in_order()
    try:
        _check_form(options)
        with foreseen():
            status = work()
    except KeyboardInterrupt:
        status = _told(Interrupted("Interrupted."), options, screen)
    except JarvisError as error:
        if error.code == FAULT:
            _note_fault(error, options, screen)
        status = _told(error, options, screen)
    _tell_trouble(options, screen)
    return status or int(screen.has_lost_output)


def _check_form(options: Options) -> None:
    """Raise UsageError where stdout is to have several forms at once."""
    forms = {"--json": options.json, "--ndjson": options.ndjson, "--csv": options.csv}
    wanted = [name for name, is_wanted in forms.items() if is_wanted]
    if len(wanted) > 1:
        raise UsageError(f"{' and '.join(wanted)} are ways to print the same.", hint="Choose one.")


def end_in_order() -> None:
    """Have SIGTERM and SIGHUP raise Terminated, so that what was done is told, as after Ctrl-C."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, _terminate)


def _note_fault(fault: JarvisError, options: Options, screen: Screen) -> None:
    """Write where *fault* came from into the log, and with -v on stderr; no key in either."""
    import traceback  # faults are rare

    lines = "".join(traceback.format_exception(fault.__cause__ or fault))
    if screen.log:
        screen.log.write("error", code="fault", traceback=lines)
    if options.verbose:
        screen.aside(lines.rstrip())


def _tell_trouble(options: Options, screen: Screen) -> None:
    """Tell that the log can't be written to whoever asked for a log, or for more words. It is no failure."""
    if screen.log and screen.log.trouble and (options.verbose or options.log_file):
        screen.err(f"jarvis: {one_line(screen.log.trouble)}")


def _terminate(*_: object) -> NoReturn:
    raise Terminated("Terminated.")


def _told(error: JarvisError, options: Options, screen: Screen) -> int:
    """Tell *error*, unless the turn's end was told already: a program expects one object."""
    if screen.ended is not None:
        return screen.ended
    if screen.log:
        screen.log.write("error", code=error.code, exit_status=error.exit_status)
    from ..agent.reception import tell_unbegun  # few lines fail

    return tell_unbegun(error, options, screen)
