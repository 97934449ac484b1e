"""The program as a process, in a home of its own, on twins, with an opener that only writes down."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jarvis.config.settings import read_settings
from jarvis.core.concurrency import run_async
from jarvis.store.open import open_store

from .program import Program
from .twins.serpapi import results

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from jarvis.config.settings import Settings
    from jarvis.store.database import T
    from jarvis.store.open import Store

    from .running import Result
    from .twins.gemini import GeminiTwin
    from .twins.serpapi import SerpApiTwin

_OPENER = """#!/bin/sh
printf '%s\\n' "$@" >> "$HOME/opened"
"""


class Home:
    """A person's files and keys, on twins: what the program has, and a Jarvis in this process."""

    def __init__(self, home: Path, gemini: GeminiTwin, serpapi: SerpApiTwin, database_url: str = "") -> None:
        self.home, self.gemini, self.serpapi = home, gemini, serpapi
        self.environment = {
            "GOOGLE_API_KEY": "google-key-of-the-tests",
            "SERPAPI_API_KEY": "serpapi-key-of-the-tests",
            "GOOGLE_GEMINI_BASE_URL": gemini.url,
            "SERPAPI_BASE_URL": serpapi.url,
        } | ({"DATABASE_URL": database_url} if database_url else {})

    @property
    def settings(self) -> Settings:
        return read_settings({"JARVIS_HOME": str(self.home / "jarvis")} | self.environment)

    def configure(self, toml: str) -> None:
        """Write config.toml."""
        folder = self.home / "jarvis" / "config"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(toml)

    def search_finds(self, *urls: str, **more: Any) -> None:
        """The next search finds these, under titles of their own."""
        self.serpapi.finds(results([(f"About {url}", url, f"What stands on {url}") for url in urls], **more))

    def kept(self, work: Callable[[Store], Awaitable[T]]) -> T:
        """What *work* makes of what outlives a turn."""

        async def on_store() -> T:
            async with open_store(self.settings) as store:
                await store.arrive()
                return await work(store)

        return run_async(on_store())

    @property
    def cost(self) -> tuple[int, int]:
        """Model calls and searches so far."""
        return len(self.gemini.requests), len(self.serpapi.requests)


class Shell(Home):
    def __init__(self, home: Path, gemini: GeminiTwin, serpapi: SerpApiTwin, database_url: str = "") -> None:
        super().__init__(home, gemini, serpapi, database_url)
        opener = home / "opener"
        opener.write_text(_OPENER)
        opener.chmod(0o755)
        # The person's own choice of a browser works without a display. A brain that stays is for the tests
        # that are about it.
        self.environment |= {"BROWSER": str(opener), "JARVIS_BRAIN": "off"}

    def program(self, **environment: str) -> Program:
        """environment: more of it; an empty value is an unset one."""
        return Program(self.home, {**self.environment, **environment})

    def scripted(self, line: str, **environment: str) -> Program:
        """A line of bash, in which "$@" is the program."""
        return Program(
            self.home, {**self.environment, **environment}, within=("/bin/bash", "-c", line, "bash")
        )

    def jarvis(self, *argv: str, environment: dict[str, str] | None = None, **how: Any) -> Result:
        return self.program(**(environment or {})).run(*argv, **how)

    def json(self, *argv: str, **how: Any) -> dict[str, Any]:
        """What `jarvis --json ARGV…` prints."""
        answer: dict[str, Any] = json.loads(self.jarvis("--json", *argv, **how).stdout)
        return answer

    def turns(self, thread: str = "") -> Any:
        """Those of *thread*; without one, of the thread used last: each terminal has one of its own."""
        return self.json("threads", "show", thread or self.json("threads", "list")[0]["id"])

    @property
    def opened(self) -> list[str]:
        log = self.home / "opened"
        return log.read_text().split() if log.exists() else []

    def installed(self, *names: str) -> dict[str, str]:
        """Return the environment of a person who has these apps."""
        entries = self.home / "apps/applications"
        entries.mkdir(parents=True, exist_ok=True)
        for name in names:
            entry = f"[Desktop Entry]\nType=Application\nName={name}\nExec=/bin/true\n"
            (entries / f"{name}.desktop").write_text(entry)
        return {"XDG_DATA_HOME": str(self.home / "none"), "XDG_DATA_DIRS": str(self.home / "apps")}


def alive(pid: int) -> bool:
    """Is it running? One that is dead and waits to be collected is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it never came true")
        time.sleep(0.01)
