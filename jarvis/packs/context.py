"""What a pack works with that is its own: its settings, and what it saved for the person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..store.database import Database
from ..store.items import SavedItems


class PackContext(NamedTuple):
    """What the services of a pack are made of."""

    pack: str
    settings: Mapping[str, str]
    database: Database

    @property
    def items(self) -> SavedItems:
        """What the pack saved on the person's lists."""
        return SavedItems(self.database, self.pack)
