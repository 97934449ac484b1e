from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {
    "subprocess",
    "PIL",
    "asyncio",
    "urllib",
    "socket",
    "threading",
    "tempfile",
    "shlex",
}


@pytest.mark.slow
def test_opening_an_address_loads_nothing_heavy() -> None:
    code = (
        "import sys; from jarvis.desktop import desktop; d = desktop({'PATH': '/nowhere'})\n"
        "try: d.open_url('https://example.org')\n"
        "except Exception as error: print(type(error).__name__, *sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    error, *modules = run.stdout.split()

    assert error == "NoDisplay"
    assert not HEAVY & set(modules)
