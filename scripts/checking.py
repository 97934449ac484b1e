"""What the scripts that measure on real data share: their folder, its lines, and how a measurement ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines() if line.strip()]


def measure(misses_in: Callable[[Path], Sequence[str]]) -> None:
    """Measure on the folder that the command line names, and leave: with 1 where there is a miss."""
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    misses = misses_in(Path(sys.argv[1]))
    for miss in misses[:40]:
        print(f"MISS {miss}")
    print("failed" if misses else "all fine")
    sys.exit(bool(misses))
