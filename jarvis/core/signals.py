"""Ctrl-C and the signals that end a program: what is under way may heed them in its own way."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import NoReturn

from .errors import Interrupted, JarvisError, Terminated


@contextlib.contextmanager
def on_signals(end: Callable[[JarvisError], object]) -> Iterator[None]:
    """Have Ctrl-C and the like call *end* with their reason in this block, instead of ending the program.

    Signals reach the main thread alone: on another one this changes nothing.
    """
    reasons: dict[int, JarvisError] = {signal.SIGINT: Interrupted("Interrupted.")}
    ends = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]  # Windows has no SIGHUP
    reasons |= {number: Terminated("Terminated.") for number in ends if number}
    # Ignored are those that nohup wants so, and scripts with an &.
    heeded = {each: reason for each, reason in reasons.items() if signal.getsignal(each) != signal.SIG_IGN}
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread
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
