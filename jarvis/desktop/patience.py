"""Wait for a call that may hang, for a limited time, and hide our keys from what it starts."""

from __future__ import annotations

import _thread
import contextlib
import os
from typing import TYPE_CHECKING

from ..core.errors import attempt
from . import child_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def within(seconds: float, work: Callable[[], None]) -> bool:
    """Do *work*, and return whether it ended within *seconds*. If it did not, it goes on unwatched."""
    done = _thread.allocate_lock()
    raised: BaseException | None = None

    def run() -> None:
        nonlocal raised
        _, raised = attempt(work)
        done.release()

    done.acquire()
    with _without_secrets():
        _thread.start_new_thread(run, ())
        in_time = done.acquire(timeout=seconds)
    if raised:
        raise raised
    return in_time


@contextlib.contextmanager
def _without_secrets() -> Iterator[None]:
    """Hide our keys for a while: what a system call starts gets this process's own environment."""
    kept = child_env(os.environ)
    private = {name: value for name, value in os.environ.items() if name not in kept}
    for name in private:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(private)
