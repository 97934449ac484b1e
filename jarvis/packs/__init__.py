"""The packs: every folder beside this file is one, whose package has a PACK. See pack.py.

This file imports nothing but `os`: each line that is typed asks it for the names of commands.
"""

from __future__ import annotations

import os


def pack_names(holding: str = "__init__.py") -> list[str]:
    """Return the names of all packs, or of those in whose folder there is a file *holding*.

    Those that have a commands.py are commands.
    """
    names = {(folder, name) for folder in __path__ for name in os.listdir(folder)}
    return sorted({name for folder, name in names if os.path.isfile(os.path.join(folder, name, holding))})
