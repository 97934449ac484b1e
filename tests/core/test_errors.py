"""What failed for want of memory or descriptors says so, whatever it is taken for where it is translated."""

import errno
import os
import subprocess
import sys

import pytest

from jarvis.core.errors import JarvisError, ServiceUnreachable, SettingsError, report_bugs
from tests.brain.brains import HELLO, MIT, SEARCH

REASONS = [MemoryError(), *(OSError(n, os.strerror(n)) for n in (errno.EMFILE, errno.ENFILE, errno.ENOMEM))]


@pytest.mark.parametrize("reason", REASONS, ids=repr)
def test_what_is_refused_is_told_as_that_and_not_as_another_cause(reason):
    with pytest.raises(JarvisError) as unforeseen, report_bugs():
        raise ConnectionError from reason
    try:
        raise ConnectionError from reason
    except ConnectionError:
        translated = ServiceUnreachable("It can't be reached.")

    for error in (unforeseen.value, translated):
        assert (error.exit_status, error.code) == (1, "no_resources")
        assert "The system refused Jarvis more" in error.message


def test_what_is_no_want_of_anything_is_told_as_it_was():
    try:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError:
        error = SettingsError("It can't be read.")

    assert (error.message, error.exit_status) == ("It can't be read.", 78)


@pytest.mark.slow
@pytest.mark.parametrize("most", [7, 15, *(pytest.param(most, marks=pytest.mark.long) for most in (8, 11))])
def test_a_request_that_may_open_few_files_says_so(shell, most):
    shell.gemini.plans(SEARCH, HELLO)
    shell.search_finds(MIT)
    argv = ["-P", "-m", "jarvis", "find the MIT website"]

    done = subprocess.run(
        ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh", sys.executable, *argv],
        env=shell.program().env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert "The system refused Jarvis more: too many open files." in done.stderr
    assert done.returncode == 1
