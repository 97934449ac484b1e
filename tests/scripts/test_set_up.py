"""A fresh checkout, run as it lies there: what scripts/jarvis does on a machine with nothing but Python.

Where a copy is set up, its lock file asks for nothing: that takes seconds and no network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
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


def wheel(file: Path, metadata: str) -> str:
    """A package with nothing in it. Returns its hash."""
    name, version, *_ = file.stem.split("-")
    info = f"{name}-{version}.dist-info"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}\n"
        )
        archive.writestr(f"{info}/RECORD", "")
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


@pytest.fixture(scope="session")
def set_up_by_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, list[str]]:
    """Set up by two first runs at once, and what these said."""
    folder = tmp_path_factory.mktemp("once")
    checkout = Checkout(copy(folder / "a checkout"), folder / "home")
    checkout.lock.write_text(NOTHING)
    with checkout.start(*QUESTION) as one, checkout.start(*QUESTION) as two:
        return checkout, sorted(process.communicate(timeout=600)[1] for process in (one, two))


@pytest.fixture
def ready(set_up_by_two: tuple[Checkout, list[str]], tmp_path: Path) -> Checkout:
    """Set up, as if it had been in a folder of the test's own."""
    once = set_up_by_two[0]
    shutil.copytree(once.root, tmp_path / "ready", symlinks=True)
    ready = Checkout(tmp_path / "ready", tmp_path / "home of it")
    for path in (ready.stamp, *ready.venv.rglob("jarvis.pth")):
        path.write_text(path.read_text().replace(str(once.root), str(ready.root)))
    os.utime(ready.stamp, ns=(0, ready.lock.stat().st_mtime_ns))
    return ready


def test_a_plain_command_works_with_nothing_installed(checkout):
    done = checkout.jarvis("open", "example.org")

    assert done == (0, "https://example.org\n", "")
    assert checkout.opened == ["https://example.org"]
    assert not checkout.venv.exists()


@pytest.mark.parametrize("path", [":", "."])
def test_no_module_of_the_folder_one_stands_in_is_run(checkout, ready, path):
    for each in (checkout, ready):
        for name in ("json", "sitecustomize", "jarvis"):
            (each.home / f"{name}.py").write_text("raise SystemExit('hijacked')\n")

        done = each.jarvis("-n", "open", "example.org", PYTHONPATH=path)

        assert (done.status, done.stderr) == (0, "")
    trapped = subprocess.run(
        [sys.executable, "-P", "-c", "import json"], cwd=checkout.home, env={"PYTHONPATH": path}, check=False
    )
    assert trapped.returncode == 1  # it would have run


@pytest.mark.parametrize("words", [("-n", "open", "example.org"), ("--version",), ("--help",)], ids=" ".join)
def test_what_needs_no_packages_sets_nothing_up(checkout, words):
    done = checkout.jarvis(*words)

    assert (done.status, done.stderr) == (0, "")
    assert not checkout.venv.exists()
    assert checkout.opened == []


def test_the_file_for_the_keys_is_made_for_its_owner_alone(checkout):
    checkout.jarvis("-n", "open", "example.org")

    assert checkout.env_file.stat().st_mode & 0o777 == 0o600
    assert checkout.env_file.read_text() == (ROOT / ".env.example").read_text()


def test_a_file_with_keys_is_left_as_it_is_and_read(checkout):
    checkout.env_file.write_text("JARVIS_THREAD=not a name\n")

    done = checkout.jarvis("-n", "open", "example.org")

    assert "thread name" in done.stderr
    assert checkout.env_file.read_text() == "JARVIS_THREAD=not a name\n"


@pytest.mark.parametrize("target", ["absolute", "relative"])
def test_it_may_be_called_through_a_link(checkout, target):
    link = checkout.home / "jarvis"
    script = (
        checkout.script
        if target == "absolute"
        else Path("..") / checkout.script.relative_to(checkout.home.parent)
    )
    link.symlink_to(script)
    (checkout.bin / "readlink").symlink_to(shutil.which("readlink") or "readlink")

    assert checkout.jarvis("-n", "open", "example.org", script=link).status == 0
    assert checkout.env_file.exists()


def test_without_a_python_it_says_what_to_install(checkout):
    (checkout.bin / "python3").unlink()

    done = checkout.jarvis("open", "example.org")

    assert done.status == 78
    assert done.stderr.startswith("jarvis: Python 3.11 or newer is not installed.\n  hint: ")


def test_a_python_that_is_too_old_is_passed_over(checkout):
    (checkout.bin / "python3.12").symlink_to(os.readlink(checkout.bin / "python3"))
    (checkout.bin / "python3").unlink()
    (checkout.bin / "python3").write_text("#!/bin/sh\nexit 1\n")
    (checkout.bin / "python3").chmod(0o755)

    assert checkout.jarvis("-n", "open", "example.org").status == 0


def test_after_a_set_up_that_failed_the_next_one_works(ready):
    ready.lock.write_text("# Nothing is known of it.\nunknown==1 --hash=sha256:00\n")
    failed = ready.jarvis(*QUESTION, PIP_NO_INDEX="1")
    plain = ready.jarvis("-n", "open", "example.org")
    ready.lock.write_text(f"{NOTHING}{NOTHING}")
    worked = ready.jarvis(*QUESTION)

    assert (failed.status, failed.stdout) == (78, "")
    assert plain.status == 0
    assert worked.stderr.startswith(SETTING_UP)
    assert worked.stderr.endswith(NOT_INSTALLED)


MISFIT = "what is locked does not fit together: "
HERE = f"Python {sys.version.split()[0]} on "


@pytest.mark.parametrize(
    ("line", "environment", "cause", "cure"),
    [
        (
            "elsewhere==1 --hash=sha256:" + "0" * 64,
            {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"},
            "the package index could not be reached.",
            "Check the network, then run it again.",
        ),
        (
            "nowhere==1 --hash=sha256:" + "0" * 64,
            {},
            f"the package index has no nowhere==1 for {HERE}",
            "Try another Python: 3.11, 3.12 and 3.13 were tried.",
        ),
        (
            "one==1 --hash=sha256:" + "0" * 64,
            {},
            "one==1 is not the file that was locked.",
            "A mirror or a proxy may have changed it",
        ),
        (
            "one==1 --hash=sha256:{hash}",
            {},
            f"{MISFIT}one 1 requires other",
            "See whether it was changed",
        ),
        ("one==1", {}, MISFIT, "See whether it was changed"),
    ],
    ids=["network", "no wheel", "hash", "conflict", "no hash"],
)
def test_a_set_up_that_fails_says_why_in_a_line_and_what_helps(
    ready, tmp_path, line, environment, cause, cure
):
    digest = wheel(tmp_path / "one-1-py3-none-any.whl", "Requires-Dist: other")
    ready.lock.write_text(line.replace("{hash}", digest) + "\n")
    environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)} | environment

    failed = ready.jarvis(*QUESTION, **environment)

    assert (failed.status, failed.stdout) == (78, "")
    said = failed.stderr.splitlines()
    assert said[0] == SETTING_UP
    assert said[1].startswith(f"jarvis: Could not install what Jarvis needs: {cause}")
    assert said[2].startswith(f"  hint: {cure}")
    assert said[3:] == [f"        More is in {ready.venv}/set-up.log"]


def test_once_set_up_it_runs_on_its_own_python(ready):
    shutil.rmtree(ready.bin)

    assert ready.jarvis("-n", "open", "example.org").status == 0


def test_of_two_first_runs_one_sets_up_and_the_other_waits(set_up_by_two):
    set_up, waited = set_up_by_two[1]

    assert set_up.startswith(f"{SETTING_UP}\n")
    assert waited.startswith("Waiting for another set-up ")
    assert set_up.endswith(NOT_INSTALLED)
    assert waited.endswith(NOT_INSTALLED)


def test_a_checkout_that_was_moved_is_set_up_where_it_now_lies(ready):
    moved = Checkout(ready.root.with_name("moved"), ready.home / "another")
    ready.root.rename(moved.root)

    plain = moved.jarvis("-n", "open", "example.org")
    first = moved.jarvis(*QUESTION)
    second = moved.jarvis(*QUESTION)

    assert plain.status == 0
    assert first.stderr.startswith(SETTING_UP)
    assert not second.stderr.startswith(SETTING_UP)
    assert [path.read_text() for path in moved.venv.rglob("jarvis.pth")] == [f"{moved.root}\n"]


@pytest.mark.parametrize("age", [-3600, pytest.param(3600, marks=pytest.mark.long)], ids=["older", "newer"])
def test_another_lock_file_is_noticed_whatever_its_age(ready, age):
    ready.lock.write_text("# Another.\n")
    os.utime(ready.lock, (time.time() + age,) * 2)

    assert ready.jarvis(*QUESTION).stderr.startswith(SETTING_UP)
    assert not ready.jarvis(*QUESTION).stderr.startswith(SETTING_UP)


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
