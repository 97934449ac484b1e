"""One brain for all of a person's requests: started on first need, found again, and left."""

from __future__ import annotations

import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from jarvis.brain.client import PATIENCE
from tests.brain.brains import HELLO, ON, PACKAGE, command_of, turns
from tests.cli.test_program import alive
from tests.program import Program
from tests.shell import wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow


def test_the_first_request_starts_it_and_the_next_ones_find_it(home):
    home.gemini.plans(HELLO, HELLO)

    first = home.jarvis("what is all this?", tty=True)
    brains = home.brains
    second = home.jarvis("what is all this?", tty=True)

    assert (first.status, second.status) == (0, 0)
    assert b"starting (first use takes a few seconds)" in first.screen
    assert b"starting" not in second.screen
    assert len(brains) == 1
    assert home.brains == brains


def test_it_is_its_persons_alone_with_no_terminal_folder_session_or_key_of_ours(warm):
    (pid,) = warm.brains

    assert stat.S_IMODE(warm.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(warm.runtime.stat().st_mode) == 0o700
    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert {os.readlink(f"/proc/{pid}/fd/{n}") for n in range(3)} == {os.devnull}
    assert b"jarvis.brain" in command_of(pid)
    assert b"key-of-the-tests" not in command_of(pid)


def test_two_requests_at_once_start_one_brain(home):
    home.gemini.plans(HELLO, HELLO)

    with ThreadPoolExecutor(2) as both:
        asked = [both.submit(home.jarvis, "-t", name, "what is all this?", timeout=60) for name in "ab"]
        done = [each.result() for each in asked]

    assert [each.stdout for each in done] == ["Hello.\n"] * 2
    assert len(home.brains) == 1


@pytest.mark.parametrize("why", ["nobody has needed it for long", "its socket is gone", "all is gone"])
def test_it_leaves_by_itself(home, why):
    home.gemini.plans(HELLO)
    minutes = {"JARVIS_BRAIN_MINUTES": "0.02"} if "needed" in why else {}

    assert home.jarvis("what is all this?", environment=minutes, timeout=60).stdout == "Hello.\n"
    brains = home.brains
    if why == "all is gone":
        shutil.rmtree(home.home / "jarvis")
    elif not minutes:
        home.socket.unlink()

    wait_until(lambda: not any(map(alive, brains)))
    assert list(home.runtime.glob("*.sock")) == []
    assert (home.home / "jarvis").exists() == (why != "all is gone")


def test_a_time_to_stay_that_is_no_number_is_told_as_a_setting(home):
    done = home.jarvis("what is all this?", environment={"JARVIS_BRAIN_MINUTES": "long"}, timeout=60)

    assert (done.status, done.stdout) == (78, "")
    assert "JARVIS_BRAIN_MINUTES must be a number" in done.stderr


def test_other_settings_are_another_brains(home):
    first = home.start_brain()
    home.gemini.plans(HELLO, HELLO)

    home.configure('model = "gemini-2.5-flash"\n')
    changed = home.jarvis("what is all this?", timeout=60)
    wait_until(lambda: not alive(first))
    (second,) = home.brains
    keyed = home.jarvis("what is this?", environment={"GOOGLE_API_KEY": "another-key"}, timeout=60)

    assert (changed.stdout, keyed.stdout) == ("Hello.\n", "Hello.\n")
    assert "gemini-2.5-flash" in home.gemini.requests[1].path
    assert len(home.brains) == 2
    assert second in home.brains


def test_a_package_that_was_replaced_is_another_brains(home, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    program = Program(home.home, {**home.environment, **ON}, package_root=tmp_path / "copy")
    home.gemini.plans(HELLO, HELLO)

    before = program.run("what is all this?", timeout=60)
    (first,) = home.brains
    module = tmp_path / "copy" / "jarvis" / "core" / "frontend.py"
    module.write_text(module.read_text() + "# newer\n")
    after = program.run("what is all this?", timeout=60)

    assert (before.stdout, after.stdout) == ("Hello.\n", "Hello.\n")
    wait_until(lambda: not alive(first))
    assert len(home.brains) == 1


@pytest.mark.long
def test_a_brain_that_takes_longer_to_import_than_a_client_is_patient_is_waited_for(home, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    slow = tmp_path / "copy" / "jarvis" / "agent" / "gemini.py"
    nap = f"import sys, time\nif 'brain' in sys.argv[0]: time.sleep({PATIENCE + 1})\n"
    slow.write_text(f"{slow.read_text()}\n{nap}")
    program = Program(home.home, {**home.environment, **ON}, package_root=tmp_path / "copy")
    home.gemini.plans(HELLO)

    done = program.run("what is all this?", timeout=60)

    assert done.stdout == "Hello.\n"
    assert done.seconds > PATIENCE
    assert len(home.brains) == 1


def test_off_there_is_none(home):
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", environment={"JARVIS_BRAIN": "off"})

    assert done.stdout == "Hello.\n"
    assert not home.runtime.exists()


def test_its_state_is_told_and_it_is_stopped_and_restarted(home):
    none = home.jarvis("brain", "status")
    first = home.start_brain()
    told = home.jarvis("brain", "status")
    restarted = home.jarvis("brain", "restart", timeout=60)
    (second,) = home.brains
    stopped = home.jarvis("brain", "stop")

    assert (none.status, told.status, restarted.status, stopped.status) == (1, 0, 0, 0)
    assert "No brain is running" in none.stdout
    assert told.stdout.startswith(f"process {first}, Jarvis ")
    assert "for these settings" in told.stdout
    assert restarted.stdout == f"Stopped process {first}.\nStarted process {second}.\n"
    assert stopped.stdout == f"Stopped process {second}.\n"
    assert not alive(first)
    assert home.brains == []


def test_a_turn_under_way_is_ended_in_order_when_it_is_stopped(home):
    home.start_brain()
    home.gemini.plans(Stall())

    with home.program().start("what is all this?") as running:
        wait_until(lambda: len(home.gemini.requests) == 2)
        assert home.jarvis("brain", "stop").status == 0
        done = running.finish()

    assert done.status == 143
    assert "Terminated." in done.stderr
    assert [turn["status"] for turn in turns(home)] == ["done", "interrupted"]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_with_postgres_plain_turns_are_delivered_without_another_request(home):
    home.start_brain()

    home.jarvis("open", "example.org")

    wait_until(lambda: [turn["goal"] for turn in turns(home)] == ["are you there now?", "open example.org"])


def test_packs_that_are_turned_on_or_off_take_another_brain_which_knows_them(home):
    home.configure('[packs]\non = ["shop", "tides"]\n')
    home.gemini.plans(HELLO, HELLO)

    warned = home.jarvis("are you there now?", timeout=60)
    (first,) = home.brains
    home.jarvis("packs", "off", "shop", "tides")
    other = home.jarvis("are you there still?", timeout=60)

    assert warned.stderr.count("a pack that is not there: tides; there are: shop.") == 1
    assert (other.stdout, "tides" in other.stderr) == ("Hello.\n", False)
    assert {*home.brains} - {first}
