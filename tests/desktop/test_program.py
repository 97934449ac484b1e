"""The whole program on a real screen: a browser that fetches, a window that is there, a picture."""

import json

import pytest
from PIL import Image

from tests.desktop.screen import need, running, start, wait_for, write_entry
from tests.program import Program


@pytest.fixture
def jarvis(screen, gemini, serpapi, tmp_path):
    twins = {
        "GOOGLE_GEMINI_BASE_URL": gemini.url,
        "SERPAPI_BASE_URL": serpapi.url,
        "GOOGLE_API_KEY": "test-key",
    }
    return Program(screen.home, {**screen.env, **twins, "JARVIS_HOME": str(tmp_path / "jarvis")})


def test_a_typed_address_is_fetched_by_a_real_browser_that_outlives_jarvis_and_its_terminal(
    jarvis, screen, site
):
    url = f"{site.url}/page?a=1&b='2'"

    done = jarvis.run("open", url, tty=True)

    assert done.status == 0
    assert url in done.screen.decode()
    assert wait_for(lambda: "/page?a=1&b='2'" in site.read)
    assert running(screen.env)  # the terminal hung up when run() returned


def test_an_app_that_was_asked_for_has_a_window(jarvis, gemini, screen):
    need("xclock")
    write_entry(screen.home, "test-clock", Name="Kitchen Timer", Exec="xclock -title HangingOnTheWall")
    gemini.plans({"action": "open_app", "app": "kitchen timer", "finish": True})

    done = jarvis.run("start the kitchen timer")

    assert done.status == 0, done
    assert done.stdout == "Kitchen Timer\n"
    assert wait_for(lambda: any(title.endswith("HangingOnTheWall") for title in screen.windows()))


def test_the_model_is_shown_the_very_picture_of_the_screen(jarvis, gemini, screen):
    need("xterm")
    start(["xterm", "-bg", "#e01020", "-geometry", "60x20+0+0", "-title", "RedWindow"], screen.env)
    assert wait_for(lambda: any(title.endswith("RedWindow") for title in screen.windows()))
    gemini.plans({"action": "look_at", "at": "screen", "finish": False}, {"action": "reply", "text": "Red."})

    done = jarvis.run("-y", "--json", "what is on my screen?")

    told = json.loads(done.stdout)
    assert (done.status, told["reply"].splitlines()[1:], told["usage"]["model_calls"]) == (0, ["Red."], 2)
    (kept,) = (screen.home / "Pictures/Jarvis").iterdir()
    assert [request.pictures for request in gemini.requests] == [[], [("image/png", kept.read_bytes())]]
    with Image.open(kept) as picture:
        assert picture.size == (1280, 800)
        colours = {colour: n for n, colour in picture.convert("RGB").getcolors(maxcolors=1 << 24)}
    assert colours.get((0xE0, 0x10, 0x20), 0) > 10_000
