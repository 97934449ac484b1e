"""Leases: on a server, the lock of a thread is a row that runs out, so no connection is held for it.

Its holder renews it while the turn lasts. Another process may take a lease that ran out, which raises its
generation. From then on every write of the former holder fails, so it starts nothing.
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
# Where the answer to it was lost, the same holder takes it once more.
_TAKE = (
    f"INSERT INTO leases AS held (thread, holder, generation, until) VALUES (?, ?, 1, {_NOW} + ?)"
    " ON CONFLICT (thread) DO UPDATE SET holder = excluded.holder, generation = held.generation + 1,"
    f" until = excluded.until WHERE held.until < {_NOW} OR held.holder = excluded.holder"
    " OR (? AND split_part(held.holder, ' ', 2) = split_part(excluded.holder, ' ', 2)) RETURNING generation"
)
_IS_OURS = "thread = ? AND holder = ? AND generation = ?"
_RENEW = f"UPDATE leases SET until = {_NOW} + ? WHERE until > 0 AND {_IS_OURS}"
_GIVE_BACK = "UPDATE leases SET until = 0 WHERE thread = ? AND holder = ?"
# As an error, so that nothing which is sent along with it is done.
_FENCE = f"SELECT 1 / COUNT(*) FROM (SELECT 1 FROM leases WHERE {_IS_OURS} FOR UPDATE) AS ours"
NOT_OURS = "22012"  # the SQLSTATE of that error


async def take_lease(
    database: Database, thread: str, turn: str = "", *, resumes: bool = False
) -> Lock | None:
    """Take the lease of *thread*, as Locks says."""
    holder = f"{_PROCESS} {turn or os.urandom(8).hex()}"
    giving_back = _GIVE_BACK, thread, holder
    try:
        taken = await database.run(_TAKE, thread, holder, LASTS, resumes)
    except asyncio.CancelledError:  # it may be taken all the same
        await _give_back(database, giving_back)
        raise
    return _lock(database, (thread, holder, taken[0][0]), giving_back) if taken else None


def _lock(database: Database, ours: tuple[str, str, int], giving_back: Statement) -> Lock:
    """Renew the lease, which is *ours*, until the lock is given back."""
    lock = Lock(fence=[(_FENCE, *ours)], giving_back=[giving_back])
    lock.push_async_callback(lambda: _give_back(database, *lock.giving_back))
    lock.callback(asyncio.create_task(_renew(database, (_RENEW, LASTS, *ours))).cancel)
    return lock


async def _renew(database: Database, renewing: Statement) -> None:
    while True:
        await asyncio.sleep(_PAUSE)
        with suppress(JarvisError):  # the server may be back in time
            await database.run(*renewing)


async def _give_back(database: Database, *giving_back: Statement) -> None:
    """Give it back, unless the turn's last write did. Else it runs out."""
    if not giving_back:
        return
    with suppress(JarvisError):
        try:
            await database.run_all(*giving_back)
        except asyncio.CancelledError:  # perhaps before the server had heard of it
            await database.run_all(*giving_back)
            raise
