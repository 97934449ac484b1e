"""What a client makes of a brain that is none, or not the one it takes it for."""

import json
import subprocess
import sys

import pytest

from jarvis.brain.address import holder, place_of
from jarvis.brain.protocol import Act, Alive, Ask, Ended, Tell, decode, encode
from jarvis.core.events import Notice, Replied
from jarvis.core.types import ActionRequest, Effect
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
    effects = Effect("opens", MIT), Effect("opens", MUNICH)
    acts = [ActionRequest(n, "open_website", each, part=1) for n, each in enumerate(effects, 1)]
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


# Where a brain is met: what makes it another one.


SAME = "XDG_ACTIVATION_TOKEN XDG_DATA_DIRS XDG_SESSION_ID XDG_CURRENT_DESKTOP HOMEBREW_PREFIX HOMEPAGE"
SAME += (
    " HOMEPAGE_URL JARVIS_THREAD JARVIS_BRAIN TERM COLUMNS LANG LC_ALL LANGUAGE JAVA_HOME GOPATH CARGO_HOME"
)
SAME += " PGDATA PG_COLOR GOOGLE_CLOUD_PROJECT GOOGLE_APPLICATION_CREDENTIALS ftp_proxy NODE_EXTRA_CA_BUNDLE"
OTHER = "HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR GOOGLE_API_KEY"
OTHER += " TIDES_API_KEY GHOSTFOLIO_TOKEN GHOSTFOLIO_URL DATABASE_URL PGPASSWORD https_proxy JARVIS_MODEL"
OTHER += " PGSERVICEFILE BRAVE_BASE_URL SEARXNG_URL SSL_CERT_FILE PYTHON_KEYRING_BACKEND"


def test_a_variable_or_a_file_of_settings_makes_another_where_it_changes_something(tmp_path):
    environment = {"JARVIS_HOME": str(tmp_path)}
    names = [place_of(environment).name]
    changing = [
        name for name in f"{SAME} {OTHER}".split() if place_of({**environment, name: "x"}).name not in names
    ]
    (tmp_path / "config").mkdir(mode=0o700)
    for file in (".env", "config.toml"):
        (tmp_path / "config" / file).write_text("")
        names.append(place_of(environment).name)

    assert changing == OTHER.split()
    assert len(set(names)) == 3


def test_a_locale_makes_another_where_its_country_is_another():
    locales = ("de_AT.UTF-8", "de_AT", "en_AT@euro", "C.UTF-8", "de", "en_US.UTF-8")

    names = [place_of({"LANG": "fr_FR", "LC_ALL": locale}).name for locale in locales]

    assert [names.index(name) for name in names] == [0, 0, 0, 3, 3, 5]


@pytest.mark.slow
@pytest.mark.long  # where a user may make a network of their own
def test_another_network_makes_another():
    told = "import os; from jarvis.brain.address import place_of; print(place_of(os.environ).name)"
    argv = [sys.executable, "-c", told]

    here, elsewhere = (
        subprocess.check_output([*before, *argv])
        for before in ((), ("unshare", "--map-current-user", "--net"))
    )

    assert here != elsewhere
