"""Where a brain is met: what makes it another one, and who is taken for one."""

from __future__ import annotations

import pytest

from jarvis.brain.address import place_of


@pytest.mark.parametrize(
    "name",
    [
        *("XDG_ACTIVATION_TOKEN", "XDG_DATA_DIRS", "XDG_SESSION_ID", "XDG_CURRENT_DESKTOP"),
        *("HOMEBREW_PREFIX", "HOMEPAGE", "JARVIS_THREAD", "JARVIS_BRAIN", "TERM", "COLUMNS"),
    ],
)
def test_what_changes_nothing_for_a_brain_makes_no_other(tmp_path, name):
    environment = {"JARVIS_HOME": str(tmp_path)}

    assert place_of({**environment, name: "x"}) == place_of(environment)


@pytest.mark.parametrize(
    "name",
    [
        *("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
        *(
            "GOOGLE_API_KEY",
            "TIDES_API_KEY",
            "DATABASE_URL",
            "PGPASSWORD",
            "TZ",
            "https_proxy",
            "JARVIS_MODEL",
        ),
    ],
)
def test_what_changes_something_makes_another(tmp_path, name):
    environment = {"JARVIS_HOME": str(tmp_path)}

    assert place_of({**environment, name: "x"}).name != place_of(environment).name


@pytest.mark.parametrize("file", [".env", "config.toml"])
def test_settings_that_are_written_make_another(tmp_path, file):
    environment = {"JARVIS_HOME": str(tmp_path)}
    before = place_of(environment)

    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "config" / file).write_text("")

    assert place_of(environment).name != before.name
