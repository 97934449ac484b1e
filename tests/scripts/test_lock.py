"""The lock files are whole: set up with them, every Python has what was locked, whatever came out since."""

from __future__ import annotations

import functools
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .test_set_up import copy

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
ASKED = {
    "build": GROUPS["build"],
    "run": PROJECT["project"]["dependencies"],
    "dev": PROJECT["project"]["dependencies"] + GROUPS["dev"],
}
SOURCE_ONLY = "google-search-results"
# What packages ask for that are on no Linux, or with one Python only, so that this one may not have them.
ELSEWHERE = {
    "backports-tarfile": [],
    "colorama": [],
    "httpx2-jsfetch": [],
    "importlib-metadata": ["zipp>=3.20", "lazy-importer>=0.1; python_version < '3.15'"],
    "lazy-importer": [],
    "pywin32-ctypes": [],
    "tzdata": [],
    "zipp": [],
}
NEWER = ".0.7.7"  # what the number of a newer version ends in: one that those who ask for it allow
MACHINES = [
    {"sys_platform": platform, "platform_system": system, "os_name": os_name, "platform_machine": machine}
    for platform, system, os_name, machines in (
        ("linux", "Linux", "posix", ("x86_64", "aarch64")),
        ("darwin", "Darwin", "posix", ("x86_64", "arm64")),
        ("win32", "Windows", "nt", ("AMD64", "ARM64")),
    )
    for machine in machines
]


class Pin(NamedTuple):
    name: str
    version: str
    marker: Marker | None

    def counts_in(self, environment: dict[str, str]) -> bool:
        return self.marker is None or self.marker.evaluate(environment)


@functools.cache
def pins(kind: str) -> dict[str, Pin]:
    """What a lock file names."""
    text = (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8")
    found = {}
    for line in re.findall(r"^[\w.-]+==.*$", text, re.MULTILINE):
        asked = Requirement(line.rstrip(" \\"))
        found[asked.name] = Pin(asked.name, str(asked.specifier).removeprefix("=="), asked.marker)
    return found


@functools.cache
def requirements_of(name: str) -> list[Requirement]:
    """What the package asks for, extras and all."""
    try:
        asked = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        asked = ELSEWHERE[name]
    return [Requirement(each) for each in asked]


def unmet(kind: str, where: dict[str, str]) -> list[str]:
    """What is asked for there, by us or by what is asked for, and that the lock file doesn't name."""
    locked = pins(kind)
    wrong, seen, waiting = [], set(), [("jarvis", Requirement(each), "") for each in ASKED[kind]]
    while waiting:
        who, asked, extra = waiting.pop()
        if asked.marker and not asked.marker.evaluate({**where, "extra": extra}):
            continue
        name = canonicalize_name(asked.name)
        pin = locked.get(name)
        if pin is None or not pin.counts_in(where) or not asked.specifier.contains(pin.version):
            wrong.append(f"{who} asks for {asked}")
            continue
        fresh = {(name, each) for each in ("", *asked.extras)} - seen
        seen |= fresh
        waiting += [(name, each, extra) for _, extra in fresh for each in requirements_of(name)]
    return wrong


@pytest.mark.parametrize("kind", ["build", "run", "dev"])
def test_all_that_is_needed_on_any_platform_is_locked(kind, long):
    pythons = ["3.11", "3.12", "3.13", "3.14", "3.15"] if long else ["3.11", "3.15"]
    cpython = {"implementation_name": "cpython", "platform_python_implementation": "CPython"}
    where = [
        {**machine, **cpython, "python_version": python, "python_full_version": f"{python}.0"}
        for python in pythons
        for machine in MACHINES
    ]

    assert [wrong for each in where for wrong in unmet(kind, each)] == []


def test_what_the_tests_add_changes_no_version_of_what_runs():
    run, dev = pins("run"), pins("dev")

    assert {name: dev[name].version for name in run} == {name: pin.version for name, pin in run.items()}


def pythons() -> list[str]:
    """The oldest and the newest Python here that is new enough and can make an environment."""
    folders = ["/usr/bin", "/usr/local/bin", os.path.dirname(os.path.realpath(sys.executable))]
    folders += [str(path) for path in Path("~/.pyenv/versions").expanduser().glob("*/bin")]
    found = {
        (int(minor[1]), os.path.realpath(path))
        for folder in folders
        for path in Path(folder).glob("python3.*")
        if (minor := re.fullmatch(r"python3\.(\d+)", path.name)) and int(minor[1]) >= 11
    }
    able = sorted(each for each in found if any(Path(each[1]).parents[1].glob("lib/python3.*/ensurepip")))
    return [path for _, path in dict.fromkeys([able[0], able[-1]])]


class Index:
    """A folder of packages: empty ones that ask for what the true ones ask for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def add(self, name: str, version: str) -> str:
        """Returns the line that locks it."""
        if name == SOURCE_ONLY:
            file = self._source(name, version)
        elif name == "setuptools" and version == pins("build")[name].version:
            file = self._installed(name, version)  # it has something to do
        else:
            file = self._empty(name, version)
        return f"{name}=={version} --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"

    def _empty(self, name: str, version: str) -> Path:
        needs = [*map(str, requirements_of(name))]
        extras = sorted({extra for each in needs for extra in re.findall(r"extra == ['\"]([^'\"]+)", each)})
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Provides-Extra: {extra}" for extra in extras]
        lines += [f"Requires-Dist: {each}" for each in needs]
        return self._wheel(name, version, {"METADATA": "\n".join([*lines, ""]).encode(), "RECORD": b""}, {})

    def _installed(self, name: str, version: str) -> Path:
        files = metadata.files(name) or []
        kept = {str(each): each.read_binary() for each in files if "__pycache__" not in str(each)}
        return self._wheel(name, version, {}, kept)

    def _wheel(self, name: str, version: str, info: dict[str, bytes], others: dict[str, bytes]) -> Path:
        stem = f"{name.replace('-', '_')}-{version}"
        file = self.folder / f"{stem}-py3-none-any.whl"
        wheel = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        with zipfile.ZipFile(file, "w") as archive:
            for path, content in others.items():
                archive.writestr(path, content)
            for path, content in {"WHEEL": wheel, **info}.items() if not others else ():
                archive.writestr(f"{stem}.dist-info/{path}", content)
        return file

    def _source(self, name: str, version: str) -> Path:
        file = self.folder / f"{name}-{version}.tar.gz"
        call = f"name={name!r}, version={version!r}, install_requires={[*map(str, requirements_of(name))]!r}"
        content = f"from setuptools import setup\nsetup({call}, py_modules=[])\n".encode()
        with tarfile.open(file, "w:gz") as archive:
            member = tarfile.TarInfo(f"{name}-{version}/setup.py")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        return file


def publish(folder: Path, names: set[str]) -> tuple[Path, Path]:
    """Make a folder of *names* as they are locked, and a newer one of each, and one of lock files for it."""
    index, locks = Index(folder / "index"), folder / "locks"
    locks.mkdir()
    for kind in ("build", "dev"):
        lines = []
        for pin in pins(kind).values():
            if pin.name in names:
                line = index.add(pin.name, pin.version)
                index.add(pin.name, pin.version + NEWER)
                lines.append(line if pin.marker is None else line.replace(" --", f" ; {pin.marker} --", 1))
        (locks / f"{kind}.lock").write_text("\n".join([*lines, ""]))
    shutil.copy(locks / "dev.lock", locks / "run.lock")
    return index.folder, locks


def needed_by(name: str) -> set[str]:
    """Return *name* and all that it asks for, here."""
    asked = [each for each in requirements_of(name) if not each.marker or each.marker.evaluate({"extra": ""})]
    return {name}.union(*(needed_by(canonicalize_name(each.name)) for each in asked))


FEW = needed_by(SOURCE_ONLY) | {*pins("build")}
PYTHONS = [pytest.param(path, marks=pytest.mark.long if n else ()) for n, path in enumerate(pythons())]


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
def test_a_newer_version_of_anything_changes_nothing(python, tmp_path, long):
    """Of all that is locked where there is time, else of the one that is built from its source."""
    names = {*pins("dev"), *pins("build")} if long else FEW
    index, locks = publish(tmp_path / "published", names)
    root = copy(tmp_path / "checkout")
    shutil.rmtree(root / "jarvis")  # there is nothing to compile
    (root / "jarvis").mkdir()
    shutil.copytree(locks, root / "requirements", dirs_exist_ok=True)

    done = subprocess.run(
        [python, "-P", str(root / "scripts" / "set_up.py"), "dev"],
        env={"PATH": os.defpath, "HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    packages = (root / ".venv").glob("lib/python3.*/site-packages/*.dist-info")
    installed = dict(path.stem.rsplit("-", 1) for path in packages)
    assert {name: version for name, version in installed.items() if version.endswith(NEWER)} == {}
    assert installed.keys() >= {"google_search_results", "requests", "setuptools"}
    assert len(installed) > (90 if long else 5)
