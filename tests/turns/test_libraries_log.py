"""What a library logs in a turn is in the log of that turn's session, with several of them in one process."""

import asyncio
import json
import logging
import threading
from pathlib import Path

from jarvis.actions.base import desktop_actions
from jarvis.cli.in_process import LocalFrontend
from jarvis.core.events import Planned, Words
from jarvis.desktop.desktop import Desktop
from jarvis.output.screen import Screen
from jarvis.turns import build
from tests.house import RecordingDesktop

LIBRARY = logging.getLogger("a.library")
OPEN = {"action": "open_website", "address": "u1", "finish": True}


def test_two_sessions_in_one_process_have_their_libraries_warnings_each_in_its_own_log(house):
    houses = [house.elsewhere(str(house.home / name)) for name in ("ann", "bob")]
    house.model_plans(OPEN, OPEN)
    both = threading.Barrier(2)

    async def turn(own, session):
        name = Path(own.settings.folders.state).parent.name

        def heard(event):
            if isinstance(event, Planned):
                LIBRARY.warning("%s in the turn", name)

        def acting():  # on a thread
            both.wait(30)
            LIBRARY.warning("%s on a thread", name)

        desktop = RecordingDesktop(own.home)
        desktop.meanwhile = acting
        front = LocalFrontend(heard, Desktop(desktop, desktop_actions()), Screen())
        return (await session.turn(Words("would you open a.example"), "default", front)).status

    async def turns():
        ann, bob = houses
        async with build.session(ann.settings) as first, build.session(bob.settings) as second:
            return await asyncio.gather(turn(ann, first), turn(bob, second))

    assert asyncio.run(turns()) == ["done", "done"]
    logs = [Path(own.settings.folders.log).read_text().splitlines() for own in houses]
    messages = [[each["message"] for each in map(json.loads, log) if "message" in each] for log in logs]
    assert messages == [[f"{name} in the turn", f"{name} on a thread"] for name in ("ann", "bob")]
