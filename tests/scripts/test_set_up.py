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
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PARTS = ("scripts", "jarvis", "requirements", ".env.example")
OPENER = '#!/bin/sh\necho "$1" >> "$HOME/opened"\n'
QUESTION = ("who", "are", "you?")
SETTING_UP = "Setting up: this is done once and takes a minute or so."
NOTHING = "# Nothing is needed.\n"
# What a Python without the packages says to a question.
NOT_INSTALLED = "is not installed.\n  hint: Set up first: scripts/jarvis --version\n"


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


class Checkout:
    """A copy of the checkout, called with an empty environment and a PATH of python3 alone."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.bin = home / "bin"
        self.venv = root / ".venv"
        self.env_file = root / ".env"
        self.lock = root / "requirements" / "run.lock"
        self.stamp = self.venv / "ready-run"
        self.script = root / "scripts" / "jarvis"
        self.bin.mkdir(parents=True)
        (self.bin / "python3").symlink_to(os.path.realpath(sys.executable))
        (home / "opener").write_text(OPENER)
        (home / "opener").chmod(0o755)

    def start(
        self, *words: str, script: Path | None = None, before: Sequence[str] = (), **environment: str
    ) -> subprocess.Popen[str]:
        """before: what starts the script, if it doesn't start by itself."""
        env = {"PATH": str(self.bin), "HOME": str(self.home), "BROWSER": str(self.home / "opener")}
        env["GOOGLE_API_KEY"] = "any"  # without one nothing is tried that takes a package
        return subprocess.Popen(
            [*before, str(script or self.script), *words],
            env=env | environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def jarvis(self, *words: str, **how: Any) -> Done:
        with self.start(*words, **how) as process:
            stdout, stderr = process.communicate(timeout=600)
        return Done(process.returncode, stdout, stderr)

    @property
    def opened(self) -> list[str]:
        log = self.home / "opened"
        return log.read_text().split() if log.exists() else []


def wheel(folder: Path) -> str:
    """Write the package one-1 there, which requires another one. Returns its hash."""
    file = folder / "one-1-py3-none-any.whl"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    metadata = "Metadata-Version: 2.1\nName: one\nVersion: 1\nRequires-Dist: other\n"
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in {"WHEEL": tags, "METADATA": metadata, "RECORD": ""}.items():
            archive.writestr(f"one-1.dist-info/{name}", text)
    return hashlib.sha256(file.read_bytes()).hexdigest()


def copy(target: Path) -> Path:
    target.mkdir(parents=True)
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, target / part)
    (target / "requirements" / "build.lock").write_text(NOTHING)
    return target


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Fresh: nothing is set up."""
    return Checkout(copy(tmp_path / "a checkout"), tmp_path / "home")


@pytest.fixture
def ready(checkout: Checkout) -> Checkout:
    """Set up, which takes seconds."""
    checkout.lock.write_text(NOTHING)
    assert checkout.jarvis(*QUESTION).stderr.startswith(SETTING_UP)
    return checkout


def assert_is_set_up_again(checkout: Checkout) -> None:
    """By the next run, and by no other."""
    first, second = checkout.jarvis(*QUESTION), checkout.jarvis(*QUESTION)

    assert first.stderr.startswith(SETTING_UP)
    assert not second.stderr.startswith(SETTING_UP)


def test_a_fresh_checkout_does_what_needs_no_packages_and_sets_nothing_up(checkout):
    for words in (("-n", "open", "example.org"), ("--version",), ("--help",)):
        done = checkout.jarvis(*words)
        assert (done.status, done.stderr) == (0, "")
    assert checkout.opened == []

    done = checkout.jarvis("open", "example.org")

    assert done == (0, "https://example.org\n", "")
    assert checkout.opened == ["https://example.org"]
    assert not checkout.venv.exists()
    # The file for the keys is made, for its owner alone.
    assert checkout.env_file.stat().st_mode & 0o777 == 0o600
    assert checkout.env_file.read_text() == (ROOT / ".env.example").read_text()


def test_a_file_with_keys_is_left_as_it_is_and_read(checkout):
    checkout.env_file.write_text("JARVIS_THREAD=not a name\n")

    assert "thread name" in checkout.jarvis("-n", "open", "example.org").stderr
    assert checkout.env_file.read_text() == "JARVIS_THREAD=not a name\n"


def test_no_module_of_the_folder_one_stands_in_is_run(checkout):
    for path in (":", "."):
        assert_runs_none_of_theirs(checkout, path)
        command = [sys.executable, "-P", "-c", "import json"]
        trapped = subprocess.run(command, cwd=checkout.home, env={"PYTHONPATH": path}, check=False)
        assert trapped.returncode == 1  # it would have run


def assert_runs_none_of_theirs(checkout: Checkout, path: str) -> None:
    for name in ("json", "sitecustomize", "jarvis"):
        (checkout.home / f"{name}.py").write_text("raise SystemExit('hijacked')\n")

    done = checkout.jarvis("-n", "open", "example.org", PYTHONPATH=path)

    assert (done.status, done.stderr) == (0, "")


def test_a_python_that_is_too_old_is_passed_over_and_without_one_it_says_what_to_install(checkout):
    newer = checkout.bin / "python3.12"
    newer.symlink_to(os.readlink(checkout.bin / "python3"))
    (checkout.bin / "python3").unlink()
    (checkout.bin / "python3").write_text("#!/bin/sh\nexit 1\n")
    (checkout.bin / "python3").chmod(0o755)
    assert checkout.jarvis("-n", "open", "example.org").status == 0

    newer.unlink()
    done = checkout.jarvis("open", "example.org")

    assert done.status == 78
    assert done.stderr.startswith("jarvis: Python 3.11 or newer is not installed.\n  hint: ")


def test_it_is_set_up_once_and_after_a_set_up_that_failed_the_next_one_works(checkout, tmp_path):
    checkout.lock.write_text(NOTHING)
    with checkout.start(*QUESTION) as one, checkout.start(*QUESTION) as two:
        set_up, waited = sorted(process.communicate(timeout=600)[1] for process in (one, two))
    assert set_up.startswith(f"{SETTING_UP}\n")
    assert waited.startswith("Waiting for another set-up ")
    assert set_up.endswith(NOT_INSTALLED)
    assert waited.endswith(NOT_INSTALLED)
    sources = (checkout.root / "jarvis").rglob("*.py")
    assert [path for path in sources if not list(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))] == []

    # From then on it starts without another word, also where its lock file was only touched.
    checkout.lock.touch()
    done = checkout.jarvis(*QUESTION)
    assert (done.stdout, done.stderr[:8]) == ("", "jarvis: ")
    assert done.stderr.endswith(NOT_INSTALLED)
    assert checkout.stamp.stat().st_mtime_ns == checkout.lock.stat().st_mtime_ns
    for path in (":", "."):
        assert_runs_none_of_theirs(checkout, path)

    # What another lock file asks for can't be had.
    assert_fails(checkout, tmp_path, "hash")
    assert checkout.jarvis("-n", "open", "example.org").status == 0
    # Again another, older than the first.
    checkout.lock.write_text(f"{NOTHING}{NOTHING}")
    os.utime(checkout.lock, (time.time() - 3600,) * 2)
    assert_is_set_up_again(checkout)
    shutil.rmtree(checkout.bin)  # it has a Python of its own
    assert checkout.jarvis("-n", "open", "example.org").status == 0


ZEROS = "0" * 64
NOWHERE = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
# A line of a lock file, the environment of the set-up, and what that says: the cause, and a cure.
FAILURES = {
    "network": (
        *(f"elsewhere==1 --hash=sha256:{ZEROS}", NOWHERE, "the package index could not be reached."),
        "Check the network, then run it again.",
    ),
    "hash": (
        *(f"one==1 --hash=sha256:{ZEROS}", {}, "one==1 is not the file that was locked."),
        "A mirror or a proxy may have changed it",
    ),
    "conflict": (
        *("one==1 --hash=sha256:{hash}", {}, "one 1 requires other, which is not installed."),
        "See whether requirements/ was changed",
    ),
}


def assert_fails(checkout: Checkout, folder: Path, name: str) -> None:
    """A set-up that meets the failure of that *name* says why it failed, in a line, and what helps."""
    line, environment, cause, cure = FAILURES[name]
    checkout.lock.write_text(line.replace("{hash}", wheel(folder)) + "\n")

    failed = checkout.jarvis(*QUESTION, **{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)} | environment)

    assert (failed.status, failed.stdout) == (78, "")
    said = failed.stderr.splitlines()
    assert said[0] == SETTING_UP
    assert said[1].startswith(f"jarvis: Could not install what Jarvis needs: {cause}")
    assert said[2].startswith(f"  hint: {cure}")
    assert said[-1] == f"        More is in {checkout.venv}/set-up.log"


@pytest.mark.long
def test_a_set_up_that_fails_says_why_in_a_line_and_what_helps(ready, tmp_path):
    for name in FAILURES:
        assert_fails(ready, tmp_path, name)


@pytest.mark.long
def test_a_python_that_went_away_is_replaced(ready):
    for name in ready.venv.glob("bin/python*"):
        name.unlink()
        name.symlink_to("/nowhere/python3")

    assert ready.jarvis("-n", "open", "example.org").status == 0
    assert_is_set_up_again(ready)


@pytest.mark.long
def test_what_a_killed_set_up_left_is_thrown_away(checkout):
    checkout.lock.write_text(NOTHING)
    with checkout.start(*QUESTION) as process:
        while not list(checkout.venv.glob("lib/python*/site-packages/*")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    left = checkout.venv / "left"
    left.touch()
    temporary = list((checkout.venv / "tmp").iterdir())

    done = checkout.jarvis(*QUESTION)

    assert done.stderr.endswith(NOT_INSTALLED)
    assert not left.exists()
    assert temporary
    assert not (checkout.venv / "tmp").exists()


def test_an_environment_of_someone_elses_is_not_touched(checkout):
    theirs = checkout.venv / "bin" / "python"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("#!/bin/sh\nexit 1\n")

    done = checkout.jarvis(*QUESTION)

    assert done.status == 78
    assert "  hint: Move it away: mv " in done.stderr
    assert theirs.exists()


def test_where_nothing_can_be_written_it_says_so(checkout):
    (checkout.root / ".venv-lock").mkdir()  # root too is refused

    done = checkout.jarvis(*QUESTION)

    assert (done.status, done.stdout) == (78, "")
    assert f"  hint: Check that you may write to {checkout.root}" in done.stderr
    assert checkout.jarvis("-n", "open", "example.org").status == 0
