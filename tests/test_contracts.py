"""What scripts rely on keeps its name: commands, options, settings, statuses, codes, and the keys of JSON."""

import ast
import json
from pathlib import Path

import pytest

from jarvis.cli.app import command, leaves
from jarvis.cli.line import COMMANDS, OPTIONS
from jarvis.config.settings import SETTINGS
from jarvis.core import errors
from jarvis.packs.pack import pack_settings

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests/data/contracts.txt"  # as they were made: what is added is written there by hand


@pytest.mark.slow
def test_every_name_that_a_script_may_use_is_kept(shell):
    kept = KEPT.read_text(encoding="utf-8").splitlines()
    now = [*lines(), *options(), *settings(), *statuses(), *codes(), *keys(shell)]

    assert [*dict.fromkeys(kept)] == kept
    assert (sorted(set(kept) - set(now)), sorted(set(now) - set(kept))) == ([], [])


def lines():
    """Yield each command with the options of its own and what it takes."""
    for name in sorted(COMMANDS):
        for leaf, each in sorted(leaves(command(name)).items()):
            yield f"command: {' '.join([name, leaf]).rstrip()}"
            for taken in each.params:
                yield f"command: {' '.join([name, leaf]).rstrip()} {' '.join(taken.opts)}"


def options():
    yield from (f"option: {names} {value}".rstrip() for names, value, _ in OPTIONS.values())


def settings():
    yield from (f"setting: {name}" for name in [*SETTINGS, *pack_settings()])


def statuses():
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    for each in kinds:
        if issubclass(each, errors.JarvisError):
            yield f"status: {each.__name__} {each.exit_status}"


def codes():
    """Yield the codes of failures: of each class, and as they are given to one."""
    for path in (ROOT / "jarvis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.keyword(arg="code", value=ast.Constant(value=str(code))) if code:
                    yield f"code: {code}"
                case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))) if code:
                    yield f"code: {code}"


def keys(shell):
    """Yield the keys of all records of requests that search, open and reply, and of one that fails."""
    search = {"action": "search", "query": "MIT", "finish": False}
    opened = {"action": "open_website", "address": "r1", "finish": True}
    reply = {"action": "reply", "text": "It is in Cambridge [r1].", "finish": True}
    for wants, last in (("open site MIT", opened), ("nothing", reply)):
        shell.search_finds("https://web.mit.edu/")
        shell.gemini.plans({"wants": wants, **search}, last)
        for line in shell.jarvis("--ndjson", "find out about MIT").stdout.splitlines():
            record = json.loads(line)
            yield from paths(f"ndjson {record['event']}", record)
    for argv in (("open", "a.example"), ("--env-file", "/nonexistent", "hello")):
        yield from paths("json", json.loads(shell.jarvis("--json", *argv).stdout))


def paths(place, value):
    """Yield the path of each key in *value*."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield f"{place}.{name}"
            yield from paths(f"{place}.{name}", each)
    elif isinstance(value, list):
        for each in value:
            yield from paths(place, each)
