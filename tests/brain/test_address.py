"""Where a brain is met: what makes it another one."""

from __future__ import annotations

from jarvis.brain.address import place_of

SAME = "XDG_ACTIVATION_TOKEN XDG_DATA_DIRS XDG_SESSION_ID XDG_CURRENT_DESKTOP HOMEBREW_PREFIX HOMEPAGE"
SAME += " HOMEPAGE_URL JARVIS_THREAD JARVIS_BRAIN TERM COLUMNS"
OTHER = "HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR GOOGLE_API_KEY"
OTHER += " TIDES_API_KEY GHOSTFOLIO_TOKEN GHOSTFOLIO_URL DATABASE_URL PGPASSWORD TZ https_proxy JARVIS_MODEL"
OTHER += " BRAVE_BASE_URL SEARXNG_URL"


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
