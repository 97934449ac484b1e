"""How much each app and address was used of late, as history tells."""

from __future__ import annotations

import time
from collections import defaultdict

from .database import Database

_HALF_LIFE = 14 * 86400.0  # seconds after which a use counts half: old habits fade
_LONGEST = 90 * 86400.0


async def habits(database: Database) -> dict[str, float]:
    """What was started and opened → the sum of its uses, each counting less the longer it is ago."""
    now = time.time()
    rows = await database.run(
        "SELECT target, started_at FROM steps WHERE state = 'done' AND started_at > ?"
        " AND action IN ('open_app', 'open_website')",
        now - _LONGEST,
    )
    uses: defaultdict[str, float] = defaultdict(float)
    for target, at in rows:
        uses[target] += 0.5 ** ((now - at) / _HALF_LIFE)
    return dict(uses)
