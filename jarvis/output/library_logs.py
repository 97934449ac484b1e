"""Writes what libraries log, and faults of threads that nobody waits for, to our own log."""

from __future__ import annotations

import logging
import re
import sys
import threading
import warnings
from collections.abc import Callable

from ..core.text import one_line
from ..core.types import Options
from ..store.log import Log

_LONGEST = 500  # characters
# What was asked stands after the ? of an address, keys too.
_QUERY = re.compile(r"\?[^\s'\")\]]+")


def hush(options: Options, log: Log | None, aloud: Callable[[str], None]) -> None:
    """Send the logs and warnings of libraries to *log*, and not to stderr. Outcomes tell what matters.

    aloud: is told of errors too, with -v.
    """
    logging.getLogger().addHandler(Overheard(log, aloud if options.verbose else None))
    logging.captureWarnings(True)  # they would quote on stderr what a service said, keys too
    threading.excepthook = _break_off
    if not options.verbose and not sys.warnoptions:
        warnings.simplefilter("ignore")


class Overheard(logging.Handler):
    """Handles log records from WARNING on: DEBUG and INFO name every address that is asked."""

    def __init__(self, log: Log | None, aloud: Callable[[str], None] | None) -> None:
        super().__init__(logging.WARNING)
        self._log, self._aloud = log, aloud

    def emit(self, record: logging.LogRecord) -> None:
        try:
            said = record.getMessage()
        except (TypeError, ValueError, LookupError):  # the library's words and its arguments don't fit
            said = str(record.msg)
        message = one_line(_QUERY.sub("?…", said.partition("\n")[0]), _LONGEST)  # the rest quotes
        trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
        is_ours = record.name.partition(".")[0] == "jarvis"
        who = {"code": "fault"} if is_ours else {"logger": record.name, "level": record.levelname.lower()}
        if self._log:
            more = {"traceback": trace} if trace else {}
            self._log.write("error" if is_ours else "library", **who, message=message, **more)
        if self._aloud and record.levelno >= logging.ERROR:
            self._aloud(f"{record.name}: {message}\n{trace}".rstrip())


def _break_off(thread: threading.ExceptHookArgs) -> None:
    """Log the failure of a thread that nobody waits for."""
    if thread.exc_value:
        raised = (thread.exc_type, thread.exc_value, thread.exc_traceback)
        logging.getLogger("threads").error("a thread broke off", exc_info=raised)
