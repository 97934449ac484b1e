"""Whoever is killed in the middle of a write: it is there once at most, and what is told of it is true."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.conftest import BOTH
from tests.packs.portfolio import kills_of_writes as k
from tests.twins.serpapi import SerpApiTwin

pytestmark = pytest.mark.slow
STUCK_SECONDS = 15  # for who comes back
LONGEST_DELAY = 0.012  # seconds after what is aimed at
FEWEST_MET = 0.6  # of the kills, which have to find a write under way
# While something is under way.
MEANWHILE = {
    "add": [(k.SENDING, 1), (k.POST, 1), (k.READ, 3)],
    "import": [(k.SENDING, 1), (k.POST, 1), (k.READ, 3)],
    "undo": [(k.DELETE, 1), (k.DELETE, 2), (k.DELETE, 3), (k.READ, 3)],
}


@pytest.fixture
def scene(tmp_path_factory, database_url, request):
    has_brain = request.node.callspec.params.get("has_brain", False)
    with k.Trader() as gemini, SerpApiTwin() as serpapi, k.Broker(base="EUR") as broker:
        home = tmp_path_factory.mktemp("k")
        scene = k.WritesScene(home, gemini, serpapi, broker, database_url, has_brain=has_brain)
        yield scene
        scene.stop()
        assert gemini.unexpected == serpapi.unexpected == broker.unexpected == []


def aims_of(scene, write, seed):
    """Each boundary, and what is under way at chance moments."""
    yield from scene.boundaries(write)
    chance = random.Random(seed)
    for at, nth in MEANWHILE[write]:
        whens = ("before", "after") if at == k.POST else ("before",)
        for when in whens:
            for _ in range(6 // len(whens)):
                yield k.WriteAim(at, when, nth, chance.uniform(0, LONGEST_DELAY))
    if write == "add":
        yield k.WriteAim(k.STARTED)
    if write != "undo":
        yield from (
            k.WriteAim(k.SENDING),
            k.WriteAim(k.POST, "lost"),
            k.WriteAim(k.POST, "late"),
            k.WriteAim(k.STORED),
        )


CASES = [
    ("import", "client", False),
    ("undo", "client", False),
    ("add", "client", False),
    *(("add", each, True) for each in (k.WHOSE_BRAIN_SENDS, *k.BRAINS)),
]


@pytest.mark.long
@BOTH
@pytest.mark.parametrize(("write", "victim", "has_brain"), CASES)
def test_a_kill_doubles_and_hides_no_write(scene, write, victim, has_brain):
    sweep(scene, write, victim, aims_of(scene, write, f"{write} {victim}"))


def sweep(scene, write, victim, aims):
    """Kill *victim* at each of *aims*, and print what could be seen."""
    found, opened, lines = Counter(), 0, []
    for aim in aims:
        seen = scene.kill(write, victim, aim)
        wrong = wrong_in(seen)
        found.update(each.split()[0] for each in wrong)
        opened += seen.was_open
        said = f" {seen}" if wrong else ""
        lines.append(f"{k.met(aim)}{', open' if seen.was_open else ''}: {'; '.join(wrong) or 'well'}{said}")
    told = f"{write}, {victim}: {opened} of {len(lines)} k.met an open write; {dict(found)}"
    print(told)
    told = "\n".join([told, *lines])
    assert not found, told
    assert opened >= FEWEST_MET * len(lines), told


AT_ONCE = {
    "import": [k.WriteAim(k.POST), k.WriteAim(k.READ, "before", 3)],
    "undo": [k.WriteAim(k.DELETE, "after", 2), k.WriteAim(k.READ, "before", 3)],
    "add": [k.WriteAim(k.POST, "after"), k.WriteAim(k.READ, "after", 3)],
}


@pytest.mark.parametrize(
    ("write", "has_brain"),
    [*((write, False) for write in AT_ONCE), pytest.param("add", True, marks=pytest.mark.long)],
)
def test_ctrl_c_is_told_what_came_of_it(scene, write, has_brain, long):
    lost = [k.WriteAim(k.POST, "lost")] if long and write != "undo" else []  # which is looked for for 4 s
    sweep(scene, write, k.CTRL_C, [*AT_ONCE[write], *lost])


@pytest.mark.parametrize("write", AT_ONCE)
def test_who_is_killed_while_something_is_sent_comes_back_to_the_truth(scene, write):
    sweep(scene, write, "client", AT_ONCE[write])


@pytest.mark.parametrize("has_brain", [True])
def test_a_brain_that_dies_before_it_sends_is_not_noticed(scene, has_brain):
    """Another one looks up once more what was lost with the first."""
    seen = scene.kill("add", "brain", k.WriteAim(k.READ))
    assert (seen.told.status, seen.there, wrong_in(seen)) == (0, [1], [])


def wrong_in(seen):
    """Return what was wrong, a word or two each; none where all is as promised."""
    return [*_on_the_server(seen), *_in_history(seen), *_told(seen)]


def _is_stored(seen):
    return all(seen.there)


def _on_the_server(seen):
    if any(count > 1 for count in seen.there):
        yield f"doubled {seen.there}"
    if seen.write == "import" and not _is_stored(seen):
        yield f"lost {seen.there}"
    if seen.write == "undo" and any(seen.there):
        yield f"left {seen.there}"


def _in_history(seen):
    if k.SENDING in seen.states:
        yield "left as being sent"
    expected = k.REMOVED if seen.write == "undo" else k.STORED if _is_stored(seen) else k.NOTHING
    if seen.states[-1:] not in ([expected], [] if expected == k.NOTHING else [expected]):
        yield f"noted as {seen.states}, there {seen.there}"
    if seen.write == "add":
        good = {"done"} if _is_stored(seen) else {"", "failed"}
        if seen.step not in good:
            yield f"the step is {seen.step or 'none'}, there {seen.there}"


def _told(seen):
    *back, batches = seen.back
    said = "".join(each.stdout + each.stderr for each in back)
    if any(each.status or each.seconds > STUCK_SECONDS for each in seen.back[-2:]):
        yield f"came back to {[(each.status, round(each.seconds)) for each in seen.back]}"
    if seen.victim in ("brain", k.CTRL_C):
        said += " ".join(seen.told.screen.decode(errors="replace").split())
    if seen.write == "add" and (seen.was_open or seen.victim == "brain"):
        yield from _told_of_one(seen, said)
    if seen.victim == k.CTRL_C and seen.told.status != 130:
        yield f"ended with {seen.told.status}"
    listed = reversed(batches.stdout.splitlines())
    if any(not line.endswith(state) for line, state in zip(listed, reversed(seen.states), strict=False)):
        yield f"listed otherwise than {seen.states}"


def _told_of_one(seen, said):
    is_told = {True: "Stored and read back" in said, False: "Nothing was s" in said}
    if not is_told[_is_stored(seen)]:
        yield "untold"
    if is_told[not _is_stored(seen)]:
        yield "told wrong"
