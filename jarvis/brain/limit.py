"""Keeps a person's brains few: of more than three, those leave that nobody has needed for longest.

Each brain looks for itself, and only one that serves nobody leaves: so no turn is ever cut short for it. When
it was needed last, it tells the others by the time of its socket.
"""

from __future__ import annotations

import contextlib
import os

from .socket_path import Place, holder

MOST = 3  # each holds the whole stack in memory


def mark_needed(place: Place) -> None:
    """Tell the other brains that the one at *place* is needed now."""
    with contextlib.suppress(OSError):  # it is about to leave
        os.utime(place.socket)


def is_surplus(place: Place) -> bool:
    """Return whether there are too many brains, and the one at *place* is among those to leave.

    Two that look at once can't both take themselves for the same one too many: these times only ever grow.
    """
    try:
        names = [name for name in os.listdir(place.folder) if name.endswith(".sock")]
        if len(names) <= MOST:  # nearly always
            return False
        places = [Place(place.folder, name.removesuffix(".sock")) for name in names]
        brains = [each for each in places if holder(each)]  # one that was killed leaves its socket
        brains.sort(key=lambda each: (os.stat(each.socket).st_mtime_ns, each.name))
    except OSError:  # one has left meanwhile; this one looks again in a second
        return False
    return place in brains[:-MOST]
