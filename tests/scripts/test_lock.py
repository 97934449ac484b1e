"""The lock files are whole: set up with them, every Python has what was locked, whatever came out since."""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PROJECT["dependency-groups"]
ASKED = {
    "build": GROUPS["build"],
    "run": PROJECT["project"]["dependencies"],
    "dev": PROJECT["project"]["dependencies"] + GROUPS["dev"],
}
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
