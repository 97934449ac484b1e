"""The packs: every folder beside this file is one, whose package has a PACK. See pack.py.

This file imports nothing but `os`: each line that is typed asks it for the names of commands.
"""

from __future__ import annotations

import os


def pack_names(holding: str = "__init__.py") -> list[str]:
    """Return the names of all packs, or of those in whose folder there is a file *holding*."""
    found = {name for folder in __path__ for name in os.listdir(folder) if _has(folder, name, holding)}
    return sorted(found)


def with_commands() -> list[str]:
    """Return the names of those that have commands of their own, and so are commands."""
    return pack_names(holding="commands.py")


def _has(folder: str, name: str, file: str) -> bool:
    return os.path.isfile(os.path.join(folder, name, file))
