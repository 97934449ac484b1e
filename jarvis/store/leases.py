"""Leases: on a server, the lock of a thread is a row that runs out, so no connection is held for it.

It is renewed while its turn lasts. Whoever finds that it ran out takes it, by the next generation: from then
on what its former holder would write fails, and so is not done.
"""

import asyncio
import os
from contextlib import suppress

from ..core.errors import JarvisError
from .database import Database, Lock, Statement

LASTS = 30.0  # seconds from when it is renewed
_PAUSE = 10.0  # seconds between two renewals
_PROCESS = os.urandom(8).hex()
_NOW = "EXTRACT(EPOCH FROM clock_timestamp())"
# Where the answer to it was lost, it is taken once more by the same holder.
_TAKE = (
    f"INSERT INTO leases AS held (thread, holder, generation, until) VALUES (?, ?, 1, {_NOW} + {LASTS})"
    " ON CONFLICT (thread) DO UPDATE SET holder = excluded.holder, generation = held.generation + 1,"
    f" until = excluded.until WHERE held.until < {_NOW} OR held.holder = excluded.holder"
    " OR (? AND split_part(held.holder, ' ', 2) = split_part(excluded.holder, ' ', 2)) RETURNING generation"
)
_IS_OURS = "thread = ? AND holder = ? AND generation = ?"
_RENEW = f"UPDATE leases SET until = {_NOW} + {LASTS} WHERE until > 0 AND {_IS_OURS}"
_GIVE_BACK = f"UPDATE leases SET until = 0 WHERE {_IS_OURS}"
# As an error, so that nothing which is sent along with it is done.
_FENCE = f"SELECT 1 / COUNT(*) FROM (SELECT 1 FROM leases WHERE {_IS_OURS} FOR UPDATE) AS ours"
NOT_OURS = "22012"  # the SQLSTATE of that error


async def take_lease(
    database: Database, thread: str, turn: str = "", *, resumes: bool = False
) -> Lock | None:
    """Take the lease of *thread* for *turn*; None: another holds it.

    resumes: takes it over from whoever has it for that turn, since their line to the person broke.
    """
    holder = f"{_PROCESS} {turn or os.urandom(8).hex()}"
    taken = await database.run(_TAKE, thread, holder, resumes)
    if not taken:
        return None
    ours = thread, holder, taken[0][0]
    lock = Lock(fence=[(_FENCE, *ours)], giving_back=[(_GIVE_BACK, *ours)])
    lock.push_async_callback(_give_back, database, lock)
    lock.callback(asyncio.create_task(_renew(database, (_RENEW, *ours))).cancel)
    return lock


async def _renew(database: Database, renewing: Statement) -> None:
    while True:
        await asyncio.sleep(_PAUSE)
        with suppress(JarvisError):  # it may be back in time
            await database.run(*renewing)


async def _give_back(database: Database, lock: Lock) -> None:
    """Give it back, unless the turn's last write did."""
    with suppress(JarvisError):  # it runs out
        await database.run_all(*lock.giving_back)
