"""A real compositor: real pixels by grim, through the whole program."""

import subprocess
from pathlib import Path

import pytest
from PIL import Image

from tests.desktop.compositor import BORDER, BORDER_WIDTH, SIZE, wayland_screen
from tests.desktop.screen import need, wait_for

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RED = (0xE0, 0x10, 0x20)
INSIDE = (SIZE[0] - 2 * BORDER_WIDTH) * (SIZE[1] - 2 * BORDER_WIDTH)
FILLED = {RED: INSIDE, BORDER: SIZE[0] * SIZE[1] - INSIDE}


@pytest.fixture(scope="module")
def wayland(tmp_path_factory):
    """A screen that one red window fills."""
    need("grim")
    home = tmp_path_factory.mktemp("home")
    with wayland_screen(home) as screen:
        screen.fill("{:02x}{:02x}{:02x}".format(*RED))
        assert wait_for(lambda: photographed(screen, home / "seen.png") == FILLED), "the window is not shown"
        yield screen


def photographed(screen, path):
    """What grim sees without any help of ours."""
    subprocess.run(["grim", path], env=screen.env, check=True)
    return colours(path)


def colours(path):
    """How many pixels there are of each colour."""
    with Image.open(path) as picture:
        assert picture.size == SIZE
        return {colour: n for n, colour in picture.convert("RGB").getcolors(1 << 24)}


def test_the_program_saves_what_is_on_the_screen(wayland, shell):
    """In the person's own pictures folder; in answer to their words."""
    shell.gemini.plans({"action": "take_screenshot", "finish": True})
    session = {name: wayland.env[name] for name in ("WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SWAYSOCK")}

    done = shell.jarvis("make a picture of my screen", environment=session)

    path = Path(done.stdout.strip())
    assert (done.status, path.parent) == (0, shell.home / "Pictures/Jarvis")
    assert colours(path) == FILLED
