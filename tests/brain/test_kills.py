"""Whoever is killed in the middle of a request: nothing is lost, done twice, or left untold."""

import random
from collections import Counter

import pytest

from tests.brain.kills import VICTIMS, WORKS, Aim, Model, Scene, Search, faults, met_open_turn
from tests.conftest import BOTH

pytestmark = [pytest.mark.slow, pytest.mark.long]
LONGEST_DELAY = 0.05  # seconds after what is aimed at
FEWEST_MET = 0.8  # of the kills, which have to find a turn open


@pytest.fixture
def scene(tmp_path_factory, database_url):
    with Model() as gemini, Search() as serpapi:
        scene = Scene(tmp_path_factory.mktemp("k"), gemini, serpapi, database_url)
        yield scene
        scene.stop()
        assert gemini.unexpected == serpapi.unexpected == []


def aims(work, count, seed):
    """Half of them strike at once, half up to 50 ms later."""
    chance = random.Random(seed)
    for n in range(count):
        at = work.aims[n // 2 % len(work.aims)]
        yield Aim(at, None if n % 2 == 0 else chance.uniform(0, LONGEST_DELAY))


@BOTH
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("name", WORKS)
def test_a_kill_loses_doubles_and_hides_nothing(scene, name, victim):
    count = 40 if name == "find + open" else 20
    found, met, lines = Counter(), 0, []
    for aim in aims(WORKS[name], count, f"{name} {victim}"):
        seen = scene.kill(WORKS[name], victim, aim)
        wrong = faults(seen)
        found.update(wrong)
        met += met_open_turn(seen)
        said = f" ({seen.told.stderr.strip()})" if wrong else ""
        lines.append(f"{aim.at} {aim.delay or 0:.3f}: {'; '.join(wrong) or 'well'}{said}")
    told = "\n".join([f"{name}, {victim}: {met} of {count} met an open turn; {dict(found)}", *lines])
    print(told)
    assert not found, told
    assert met >= FEWEST_MET * count, told
