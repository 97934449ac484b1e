"""A fresh checkout, run as it lies there: what scripts/jarvis does on a machine with nothing but Python.

Where a copy is set up, its lock file asks for nothing: that takes seconds and no network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
QUESTION, PLAIN = ("who", "are", "you?"), ("-n", "open", "example.org")
SETTING_UP = "Setting up: this is done once and takes a minute or so.\n"
NOTHING = "# Nothing is needed.\n"  # what a lock file names
# What a Python without the packages says to a question.
NOT_INSTALLED = "is not installed.\n  hint: Set up first: scripts/jarvis --version\n"


class Checkout:
    """A copy of the checkout, called with an empty environment and a PATH of python3 alone."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.bin = folder / "a checkout", folder / "home", folder / "bin"
        for part in ("scripts", "jarvis", "requirements"):
            shutil.copytree(ROOT / part, self.root / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / ".env.example", self.root)
        for lock in ("build", "run"):
            (self.root / f"requirements/{lock}.lock").write_text(NOTHING)
        self.venv, self.lock = self.root / ".venv", self.root / "requirements/run.lock"
        for each in (self.bin, self.home):
            each.mkdir()
        (self.bin / "python3").symlink_to(os.path.realpath(sys.executable))

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        opener = {"BROWSER": "/bin/true", "GOOGLE_API_KEY": "any"}  # without one nothing takes a package
        return subprocess.Popen(
            [self.root / "scripts/jarvis", *words],
            env={"PATH": str(self.bin), "HOME": str(self.home), **opener, **environment},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def jarvis(self, *words: str, **environment: str) -> tuple[int, str, str]:
        """Its status, and what it wrote to stdout and stderr."""
        with self.start(*words, **environment) as process:
            stdout, stderr = process.communicate(timeout=600)
        return process.returncode, stdout, stderr

    def sets_up(self) -> bool:
        """Ask what takes packages: it is set up for that, or was."""
        _, _, stderr = self.jarvis(*QUESTION)
        assert stderr.endswith(NOT_INSTALLED)
        return stderr.startswith(SETTING_UP)


@pytest.fixture
def checkout(tmp_path):
    """Fresh: nothing is set up."""
    return Checkout(tmp_path)


def hijacks(checkout):
    """Put modules where one stands; returns each environment by which Python would run them."""
    for name in ("json", "sitecustomize", "jarvis"):
        (checkout.home / f"{name}.py").write_text("raise SystemExit('hijacked')\n")
    paths = [{"PYTHONPATH": path} for path in (":", ".")]
    for each in paths:
        command = [sys.executable, "-P", "-c", "import json"]
        assert subprocess.run(command, cwd=checkout.home, env=each, check=False).returncode == 1
    return paths


def test_a_fresh_checkout_does_what_needs_no_packages_and_sets_nothing_up(checkout):
    for words in (PLAIN, ("--version",), ("--help",)):
        status, _, stderr = checkout.jarvis(*words)
        assert (status, stderr) == (0, "")
    assert checkout.jarvis("open", "example.org") == (0, "https://example.org\n", "")
    for environment in hijacks(checkout):
        assert checkout.jarvis(*PLAIN, **environment)[::2] == (0, "")
    assert not checkout.venv.exists()
    # The file for the keys is made, for its owner alone; then it is read, and left as it is.
    keys = checkout.root / ".env"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.read_text() == (ROOT / ".env.example").read_text()
    keys.write_text("JARVIS_THREAD=not a name\n")
    assert "conversation name" in checkout.jarvis(*PLAIN)[2]
    assert keys.read_text() == "JARVIS_THREAD=not a name\n"


def test_a_python_that_is_too_old_is_passed_over_and_without_one_it_says_what_to_install(checkout):
    newer = (checkout.bin / "python3").rename(checkout.bin / "python3.12")
    (checkout.bin / "python3").write_text("#!/bin/sh\nexit 1\n")
    (checkout.bin / "python3").chmod(0o755)
    assert checkout.jarvis(*PLAIN)[0] == 0

    newer.unlink()
    status, _, stderr = checkout.jarvis("open", "example.org")

    assert status == 78
    assert stderr.startswith("jarvis: Python 3.11 or newer is not installed.\n  hint: ")


def test_it_is_set_up_once_and_after_a_set_up_that_failed_the_next_one_works(checkout):
    with checkout.start(*QUESTION) as one, checkout.start(*QUESTION) as two:
        waited, set_up = sorted((each.communicate(timeout=600)[1] for each in (one, two)), reverse=True)
    assert set_up == f"{SETTING_UP}{set_up.removeprefix(SETTING_UP)}"
    assert waited.startswith("Waiting for another set-up ")
    assert [each.endswith(NOT_INSTALLED) for each in (set_up, waited)] == [True, True]
    sources = (checkout.root / "jarvis").rglob("*.py")
    assert [path for path in sources if not list(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))] == []

    checkout.lock.touch()  # which is no other one
    assert not checkout.sets_up()
    assert [checkout.jarvis(*PLAIN, **each)[::2] for each in hijacks(checkout)] == [(0, "")] * 2

    assert_fails(checkout, "hash")
    assert checkout.jarvis(*PLAIN)[0] == 0
    checkout.lock.write_text(f"{NOTHING}{NOTHING}")  # again another, older than the first
    os.utime(checkout.lock, (time.time() - 3600,) * 2)
    assert [checkout.sets_up(), checkout.sets_up()] == [True, False]
    shutil.rmtree(checkout.bin)  # it has a Python of its own
    assert checkout.jarvis(*PLAIN)[0] == 0


# What a lock file names, the environment of the set-up, and what that says: the cause, and a cure.
NOWHERE = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
FAILURES = {
    "network": ("elsewhere", NOWHERE, "the package index could not be reached.", "Check the network, "),
    "hash": ("one", {}, "one==1 is not the file that was locked.", "A mirror or a proxy may have changed"),
    "conflict": ("one", {}, "one 1 requires other, which is not installed.", "See whether requirements/ was"),
}


def assert_fails(checkout, name):
    """Assert that a set-up which meets that failure says why it failed, in a line, and what helps."""
    named, environment, cause, cure = FAILURES[name]
    file = checkout.home / "one-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(
            "one-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        metadata = "Metadata-Version: 2.1\nName: one\nVersion: 1\nRequires-Dist: other\n"
        wheel.writestr("one-1.dist-info/METADATA", metadata)
        wheel.writestr("one-1.dist-info/RECORD", "")
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if name == "conflict" else "0" * 64
    checkout.lock.write_text(f"{named}==1 --hash=sha256:{digest}\n")

    found = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(checkout.home)}
    status, stdout, stderr = checkout.jarvis(*QUESTION, **found | environment)

    assert (status, stdout) == (78, "")
    assert stderr.startswith(
        f"{SETTING_UP}jarvis: Could not install what Jarvis needs: {cause}\n  hint: {cure}"
    )
    assert stderr.endswith(f"        More is in {checkout.venv}/set-up.log\n")


@pytest.mark.long
def test_a_python_that_went_away_is_replaced_and_a_set_up_that_fails_says_why(checkout):
    assert checkout.sets_up()
    for name in checkout.venv.glob("bin/python*"):
        name.unlink()
        name.symlink_to("/nowhere/python3")

    assert checkout.jarvis(*PLAIN)[0] == 0
    assert [checkout.sets_up(), checkout.sets_up()] == [True, False]
    for name in ("network", "conflict"):
        assert_fails(checkout, name)


@pytest.mark.long
def test_what_a_killed_set_up_left_is_thrown_away(checkout):
    with checkout.start(*QUESTION) as process:
        while not list(checkout.venv.glob("lib/python*/site-packages/*")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    (checkout.venv / "left").touch()
    assert list((checkout.venv / "tmp").iterdir())

    assert checkout.sets_up()
    assert not (checkout.venv / "left").exists()
    assert not (checkout.venv / "tmp").exists()


def test_what_is_in_the_way_of_a_set_up_is_told_with_its_cure_and_left_alone(checkout):
    theirs = checkout.venv / "bin/python"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("#!/bin/sh\nexit 1\n")  # an environment of somebody else's
    status, _, stderr = checkout.jarvis(*QUESTION)
    assert (status, "  hint: Move it away: mv " in stderr, theirs.exists()) == (78, True, True)

    (checkout.root / ".venv-lock").unlink()
    (checkout.root / ".venv-lock").mkdir()  # nothing can be written: root too is refused
    status, stdout, stderr = checkout.jarvis(*QUESTION)
    assert (status, stdout) == (78, "")
    assert f"  hint: Check that you may write to {checkout.root}" in stderr
    assert checkout.jarvis(*PLAIN)[0] == 0
