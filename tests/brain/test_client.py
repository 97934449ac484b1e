"""What a client makes of a brain that is none, or not the one it takes it for."""

import json

import pytest

from jarvis.brain.address import holder, place_of
from jarvis.brain.protocol import Act, Alive, Ask, Ended, Tell, decode, encode
from jarvis.core.events import Notice, Replied
from jarvis.core.types import Effect, Request
from tests.brain.brains import MIT, MUNICH, OPEN, READY, Impostor

pytestmark = pytest.mark.slow


@pytest.fixture
def impostor(home):
    impostor = Impostor(home)
    yield impostor
    impostor.close()


def test_what_it_is_told_is_printed_and_its_end_is_its_status(impostor):
    said = [Tell.of(Notice("so", must_know=True)), Alive(), Tell.of(Replied("it is"))]

    done, asked = impostor.says(READY, *map(encode, said), encode(Ended(0)))

    assert (done.status, done.stdout, done.stderr) == (0, "it is\n", "so\n")
    assert isinstance(decode(asked), Ask)


@pytest.mark.parametrize(
    "said",
    [
        b"hello\n",
        READY,
        b'["Tell", ["Shouted", "x"]]\n',
        b"x" * 41_000_000,
    ],
    ids=["no message", "at the wrong time", "no event", "too long"],
)
def test_what_makes_no_sense_is_told_as_the_brains_failure(impostor, said):
    done, _ = impostor.says(READY, encode(Tell.of(Replied("half"))), said)

    assert (done.status, done.stdout) == (1, "")
    assert "A message came in that " in done.stderr


def test_what_the_desktop_did_goes_along_and_is_told_where_the_last_one_dies_too(impostor):
    """They are at work when it dies, and waited for."""
    acts = [Request(n, "open_website", Effect("opens", to), part=1) for n, to in ((1, MIT), (2, MUNICH))]
    opener = impostor.home.home / "opener"
    opener.write_text(opener.read_text().replace("#!/bin/sh\n", "#!/bin/sh\nsleep 0.3\n", 1))
    asked = []

    with impostor.home.program().start("--json", "what is all this?") as running:
        for said in (b"", *(encode(Act.of(each)) for each in acts)):
            client, _ = impostor._socket.accept()
            with client, client.makefile("rb") as heard:
                client.sendall(READY)
                asked.append(decode(heard.readline()))
                client.sendall(said)
        done = running.finish()

    first, *others = asked
    assert all(each == first._replace(words=first.words._replace(did=each.words.did)) for each in others)
    assert first.words.did is None
    assert [[(it.n, it.outcome.state) for it in each.words.did] for each in others] == [
        [],
        [(1, "done")],
    ]
    told = json.loads(done.stdout)
    assert (done.status, told["status"]) == (1, "failed")
    assert told["error"]["message"].count("Sent ") == 2
    assert "threads show" in told["error"]["hint"]
    assert impostor.home.opened == [MIT, MUNICH]


def test_without_a_socket_a_request_is_done_in_its_own_process(home):
    (home.home / "jarvis").mkdir()
    home.runtime.write_text("in the way")
    home.gemini.plans(OPEN)

    done = home.jarvis(f"have a look at {MIT} for me", timeout=60)

    assert (done.status, done.stdout, home.opened) == (0, f"{MIT}\n", [MIT])
    assert home.runtime.is_file()
    assert not holder(place_of(home.program().env))
