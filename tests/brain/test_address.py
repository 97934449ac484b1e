"""Where a brain is met: what makes it another one."""

import subprocess
import sys

import pytest

from jarvis.brain.address import place_of

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
