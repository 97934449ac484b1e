"""What shows that Jarvis installs as the README says, starts, and opens what a turn finds.

Each installer puts this checkout into a folder of its own, which goes afterwards.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.twins.gemini import GeminiTwin  # noqa: E402
from tests.twins.serpapi import SerpApiTwin, results  # noqa: E402

SITE = "https://example.org/"
PLANS = (
    {"action": "search", "query": "example"},
    {"action": "open_website", "address": "r1", "finish": True},
)
# What is typed, its exit status, and how what it says begins.
CHECKS = (
    (("--version",), 0, "jarvis "),
    (("--help",), 0, "Type what you want"),
    (("-n", "open", "example.org"), 0, "Would open https://example.org."),
    (("who", "are", "you?"), 78, "jarvis: No model key"),
    (("demo", "find the MIT website and open it"), 0, "Would open https://www.mit.edu."),
)
_KEYS = {"GOOGLE_API_KEY": "google-key-of-the-trial", "SERPAPI_API_KEY": "serpapi-key-of-the-trial"}
_OF_ANOTHER = {"GOOGLE_GENAI_API_VERSION": "v1", "GOOGLE_GENAI_USE_VERTEXAI": "true"}  # project


def try_installing(installers: Sequence[str], *, are_locked: bool = False) -> int:
    """Install by each of *installers* and try what that brings; return the exit status.

    are_locked: with the versions of the lock files, else with the newest that are allowed.
    """
    with tempfile.TemporaryDirectory(prefix="jarvis-install-") as folder:
        by_lock = _constraints(Path(folder)) if are_locked else {}
        if {*installers} != {"pip"}:
            _work(sys.executable, "-m", "venv", f"{folder}/tools")
            _work(f"{folder}/tools/bin/pip", "-q", "install", "pipx", "uv")
        right = [_installs(by, folder, by_lock) and _works(f"{folder}/{by}") for by in installers]
    print("all fine" if all(right) else "failed")
    return 0 if all(right) else 1


def _constraints(folder: Path) -> dict[str, str]:
    """Return what has pip take the locked versions, also to build with: newer ones name that otherwise."""
    locks = [(ROOT / "requirements" / f"{kind}.lock").read_text("utf-8") for kind in ("run", "build")]
    pins = re.findall(r"^[\w.-]+==.*?(?= \\$)", "\n".join(locks), re.MULTILINE)  # a folder has no hash
    file = folder / "constraints.txt"
    file.write_text("\n".join(pins), "utf-8")
    return dict.fromkeys(("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), str(file)) | {"PIP_COMPILE": "0"}


def _work(*command: str, **environment: str) -> None:
    subprocess.run(command, env=os.environ | environment, check=True)


def _installs(by: str, folder: str, by_lock: Mapping[str, str]) -> bool:
    """Install this checkout into a folder of that name, as people do; return whether that went well."""
    print(f"installing by {by}, {'with the lock files' if by_lock else 'the newest allowed'}", flush=True)
    own, tools = f"{folder}/{by}", f"{folder}/tools/bin"
    try:
        if by == "pip":
            _work(sys.executable, "-m", "venv", own)
            _work(f"{own}/bin/pip", "-qq", "--disable-pip-version-check", "install", str(ROOT), **by_lock)
        elif by == "pipx":
            _work(f"{tools}/pipx", "install", "-q", str(ROOT), PIPX_HOME=own, PIPX_BIN_DIR=f"{own}/bin")
        else:
            where = {"UV_TOOL_DIR": own, "UV_TOOL_BIN_DIR": f"{own}/bin"}
            _work(f"{tools}/uv", "tool", "install", "-q", str(ROOT), **where)
    except subprocess.CalledProcessError as error:
        print(f"WRONG  it does not install: {error}")
        return False
    return True


def _works(own: str) -> bool:
    """Return whether what is in the folder *own* starts, and opens what a turn finds."""
    opener = f"{own}/opener"
    with open(opener, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nprintf "%s" "$1" >> "$HOME/opened"\n')
    os.chmod(opener, 0o755)
    home = {"PATH": os.defpath, "HOME": own, "LANG": "C.UTF-8", "BROWSER": opener}
    try:
        return all([*(_does(own, home, *check) for check in CHECKS), _takes_a_turn(own, home)])
    finally:
        _does(own, home, ("brain", "stop"), 0, "")  # it writes in its home, which goes


def _does(own: str, environment: Mapping[str, str], argv: Sequence[str], status: int, says: str) -> bool:
    """Return whether it ends with *status* and says that, and print what came."""
    done = subprocess.run(
        [f"{own}/bin/jarvis", *argv],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    right = done.returncode == status and (done.stdout + done.stderr).startswith(says)
    print(f"{'ok    ' if right else 'WRONG '} jarvis {' '.join(argv)}: exit {done.returncode}", flush=True)
    if not right:
        print(f"  stdout: {done.stdout!r}\n  stderr: {done.stderr!r}")
    return right


def _takes_a_turn(own: str, home: Mapping[str, str]) -> bool:
    """Return whether a turn of two model calls and a search opens what it finds, the first thing opened."""
    with GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        gemini.plans(*PLANS)
        serpapi.finds(results([("Example", SITE, "An example.")]))
        urls = {"GOOGLE_GEMINI_BASE_URL": gemini.url, "SERPAPI_BASE_URL": serpapi.url}
        # After other turns the words are read in a call of their own: hence a thread that is new.
        words = ("-t", "fresh", "find the example site and open it")
        right = _does(own, {**home, **_KEYS, **_OF_ANOTHER, **urls}, words, 0, f"{SITE}\n")
        cost = len(gemini.requests), len(serpapi.requests)
        print(*gemini.unexpected, *serpapi.unexpected, end="")
    with open(f"{own}/opened", encoding="utf-8") as file:
        return right and file.read() == SITE and cost == (2, 1)
