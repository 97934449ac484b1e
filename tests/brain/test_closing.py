"""Whatever ends a client, what its request did is told: by itself, or by the next one, and then once."""

from collections import Counter
from signal import SIGHUP, SIGKILL, SIGTERM

import pytest

from tests.brain.closing import ENDS, KINDS, PLACES, Closing
from tests.brain.kills import Model, Search

pytestmark = pytest.mark.slow
MOMENTS = (None, *(n / 10 for n in range(11)))


@pytest.fixture
def closing(tmp_path_factory):
    with Model() as gemini, Search() as serpapi:
        closing = Closing(tmp_path_factory.mktemp("c"), gemini, serpapi)
        yield closing
        closing.stop()


def test_what_it_was_at_is_reported_once(closing):
    table = [("open", "terminal", SIGHUP), ("start", "pipe", SIGTERM), ("picture", "chat", SIGKILL)]
    for case in (*table, ("find + open", "terminal", SIGHUP), ("find + open", "pipe", SIGKILL)):
        seen = closing.close(*case, None)

        assert (seen.status != 0, seen.acts, seen.faults) == (True, 1, []), (case, seen)
        assert seen.reports[0] or seen.is_shown, (case, seen)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_at_no_moment_is_it_untold_or_told_twice_but_between_showing_and_confirming(closing, kind, place):
    found, lines = Counter(), []
    for end in ENDS:
        for moment in MOMENTS:
            seen = closing.close(kind, place, end, moment)
            found.update([*seen.faults, *["met"] * (not seen.is_confirmed), *["between"] * seen.fell_between])
            lines += [f"{end.name} {moment}: {seen}"] if seen.faults else []
    told = f"{kind}, {place}: {len(ENDS) * len(MOMENTS)} ends; {dict(found)}"
    print("\n".join([told, *lines]))
    assert set(found) <= {"met", "between"}, lines
    assert found["met"] >= len(MOMENTS) / 2, told
