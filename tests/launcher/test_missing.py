"""A program that is not installed: told at once, without a model, with what there is in its place."""

import pytest

from jarvis.core import urls
from jarvis.launcher.names import known_program, known_site
from tests.launcher.test_names import KNOWN_NAMES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("words", "title"),
    [("launch gimp", "GIMP"), ("open the frobnicate app", "frobnicate")],
)
def test_off_a_terminal_it_is_a_failure_that_names_what_comes_near(shell, words, title):
    done = shell.jarvis(*words.split(), environment=shell.installed("Gimpy", "Frobnicator"))

    assert (done.status, done.stdout, shell.cost) == (1, "", (0, 0))
    assert f"{title} is not installed. Nothing was opened." in done.stderr
    assert "What comes near: " in done.stderr


def test_what_is_there_under_a_longer_name_is_started(shell):
    done = shell.jarvis("-n", "open", "gimp", environment=shell.installed("GIMP Image Editor"))

    assert (done.status, "Would start GIMP Image Editor" in done.stdout) == (0, True)


def test_every_program_has_one_address_and_no_name_that_is_a_sites():
    lines = KNOWN_NAMES.read_text().partition("[programs]\n")[2].splitlines()

    assert len(lines) > 20
    for address, title, *names in (line.split("|")[:-1] for line in lines):
        assert urls.found(f"https://{address}").url == f"https://{address}"
        for name in names:
            assert known_program(name) == (title, f"https://{address}")
            assert name == name.lower()
            assert not known_site(name)
