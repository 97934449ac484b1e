"""The lock files are whole: set up with them, every Python has what was locked, whatever came out since."""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import metadata
from itertools import product
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS, RUN = PROJECT["dependency-groups"], PROJECT["project"]["dependencies"]
ASKED = {"build": GROUPS["build"], "run": RUN, "dev": RUN + GROUPS["dev"]}
# What packages ask for that are on no Linux, or with one Python only, so that this one may not have them.
ELSEWHERE = {"importlib-metadata": ["zipp>=3.20", "lazy-importer>=0.1; python_version < '3.15'"]}
NOTHING = "backports-tarfile colorama httpx2-jsfetch lazy-importer pywin32-ctypes tzdata zipp"
ELSEWHERE |= {name: [] for name in NOTHING.split()}
SYSTEMS = {("linux", "Linux", "posix"): "x86_64 aarch64", ("darwin", "Darwin", "posix"): "x86_64 arm64"}
SYSTEMS |= {("win32", "Windows", "nt"): "AMD64 ARM64"}
MARKERS = ("sys_platform", "platform_system", "os_name", "platform_machine")


@functools.cache
def pins(kind: str) -> dict[str, Requirement]:
    """What a lock file names, each at its one version."""
    text = (ROOT / "requirements" / f"{kind}.lock").read_text(encoding="utf-8")
    named = (Requirement(line.rstrip(" \\")) for line in re.findall(r"^[\w.-]+==.*$", text, re.MULTILINE))
    return {each.name: each for each in named}


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
    wrong, seen, waiting = [], set(), [("jarvis", Requirement(each), "") for each in ASKED[kind]]
    while waiting:
        who, asked, extra = waiting.pop()
        if asked.marker and not asked.marker.evaluate({**where, "extra": extra}):
            continue
        name = canonicalize_name(asked.name)
        pin = pins(kind).get(name)
        is_there = pin and (pin.marker is None or pin.marker.evaluate(where))
        if not is_there or not asked.specifier.contains(str(pin.specifier).removeprefix("==")):
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
    systems = [(*names, machine) for names, machines in SYSTEMS.items() for machine in machines.split()]
    for python, system in product(pythons, systems):
        where = cpython | {"python_version": python, "python_full_version": f"{python}.0"}
        assert unmet(kind, where | dict(zip(MARKERS, system, strict=True))) == []


def test_what_the_tests_add_changes_no_version_of_what_runs():
    run, dev = pins("run"), pins("dev")

    assert {name: dev[name].specifier for name in run} == {name: pin.specifier for name, pin in run.items()}
