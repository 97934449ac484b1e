"""Where a setting comes from, and which of several wins."""

import os
from pathlib import Path

import platformdirs
import pytest

from jarvis.config.keys import SERPAPI
from jarvis.config.services import GOOGLE
from jarvis.config.settings import Budgets, read_settings
from jarvis.config.sources import assignments
from jarvis.core.errors import SettingsError, UsageError


@pytest.fixture
def home(tmp_path):
    (tmp_path / "config").mkdir()
    return tmp_path


def reading(home, environment=(), **options):
    return read_settings({"JARVIS_HOME": str(home), **dict(environment)}, **options)


def test_the_stronger_layer_wins(home):
    """Options > environment > --env-file > .env > config.toml > default."""
    layers = []

    def thread(environment=(), **options):
        return reading(home, environment, **options).thread

    layers.append(thread())
    (home / "config/config.toml").write_text('thread = "toml"\n')
    layers.append(thread())
    (home / "config/.env").write_text("JARVIS_THREAD=dotenv\n")
    layers.append(thread())
    (home / "given").write_text("JARVIS_THREAD=given\n")
    file = str(home / "given")
    layers.append(thread(env_file=file))
    layers.append(thread({"JARVIS_THREAD": "environment"}, env_file=file))

    assert layers == ["default", "toml", "dotenv", "given", "environment"]


def test_an_empty_value_is_an_unset_one(home):
    (home / "config/.env").write_text("GOOGLE_API_KEY=\nGEMINI_API_KEY=second\nJARVIS_MODEL=''\n")

    settings = reading(home, {"GOOGLE_API_KEY": " "})

    assert settings.key(GOOGLE).reveal() == "second"
    assert settings.model == "gemini-3.5-flash-lite"


def test_an_env_file_is_read_as_a_shell_would(home):
    (home / "f").write_text(
        "# a comment\n\nexport GOOGLE_API_KEY='quoted#value'\nSERPAPI_API_KEY=\"x#y\"  # why\n"
        "JARVIS_MODEL=m # comment\nnonsense\nJARVIS_THREAD = spaced\nDATABASE_URL= # none yet\n"
        "LANGSMITH_PROJECT=x#y\t# with a tab before it\n"
    )

    settings = reading(home, env_file=str(home / "f"))

    assert settings.key(GOOGLE).reveal() == "quoted#value"
    assert settings.key(SERPAPI).reveal() == "x#y"
    assert (settings.model, settings.thread) == ("m", "spaced")
    assert settings.database_url.reveal() == ""
    assert assignments(str(home / "f"))["LANGSMITH_PROJECT"] == "x#y"


LINES = {
    "# a comment\n\nexport GOOGLE_API_KEY=k\nLANG=de_DE\nGHOSTFOLIO_TOKEN=x\r\n": [],
    "google_api_key=AIzaSecret": ["Line 1 of {} sets nothing: write GOOGLE_API_KEY in capitals."],
    "\nGOOGLE_API_KEY: AIzaSecret\n": ["Line 2 of {} sets nothing: write NAME=value."],
    "GOGLE_API_KEY=x\nGOOGLE_KEY=AIzaSecret": ["Line 2 of {} sets nothing: nothing reads that name."],
    "A=\u2028\nJARVIS_MODEL m": [
        f"Line {n} of {{}} sets nothing: {why}."
        for n, why in ((1, "nothing reads that name"), (2, "write NAME=value"))
    ],
}


@pytest.mark.parametrize(("text", "warnings"), LINES.items())
def test_a_line_of_the_env_file_that_sets_nothing_is_named(home, text, warnings):
    path = home / "config/.env"
    path.write_text(text, newline="")

    assert [*reading(home).warnings] == [warning.format(path) for warning in warnings]


def test_of_a_shared_file_others_names_are_no_mistake(home):
    path = home / "f"
    path.write_text("COMPOSE_FILE=x\njarvis_model=m\n")

    assert reading(home, env_file=str(path)).warnings == (
        f"Line 2 of {path} sets nothing: write JARVIS_MODEL in capitals.",
    )


def test_a_value_that_makes_no_sense_is_told_with_its_file_and_line(home):
    path = home / "config/.env"
    path.write_text("\nGOOGLE_API_KEY=“AIzaSecret”\n", encoding="utf-8")

    with pytest.raises(SettingsError) as failure:
        reading(home)

    assert failure.value.hint == f"Correct line 2 of {path}, or take it out."
    assert "AIza" not in failure.value.message


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("postgresql+psycopg://u:p@h/db", "postgresql://u:p@h/db"),
        ("postgres+asyncpg://h/db?sslmode=require", "postgresql://h/db?sslmode=require"),
        ("postgresql://h/db?pgbouncer=true", "postgresql://h/db"),
        ("postgresql://h/db?pgbouncer=true&sslmode=require", "postgresql://h/db?sslmode=require"),
        (
            "postgresql://h/db?sslmode=require&pgbouncer=true&connection_limit=1",
            "postgresql://h/db?sslmode=require",
        ),
        (
            "postgresql://h/db?options=-csearch_path%3Dpgbouncer",
            "postgresql://h/db?options=-csearch_path%3Dpgbouncer",
        ),
    ],
)
def test_what_other_clients_write_into_a_database_url_is_taken(home, url, taken):
    assert reading(home, {"DATABASE_URL": url}).database_url.reveal() == taken


def test_budgets_are_settings(home):
    (home / "config/config.toml").write_text("[budgets]\nsteps = 3\nseconds = 5.5\n")

    assert reading(home).budgets[:2] == (3, 2)
    assert reading(home).budgets.seconds == 5.5
    assert reading(home, seconds=9).budgets.seconds == 9
    assert reading(home, {"JARVIS_THINKING": "HIGH"}).thinking == "high"


@pytest.mark.parametrize("name", ["a/b", "a b", "..\\x", "x" * 65, "é", "a\n"])
def test_a_thread_name_out_of_shape_is_a_usage_error(home, name):
    with pytest.raises(UsageError):
        reading(home, {"JARVIS_THREAD": f"{name}."})


@pytest.mark.parametrize(
    ("name", "url"),
    [
        *(
            ("DATABASE_URL", f"postgresql://{rest}")
            for rest in (
                "me:hunter22%40hunter22@h:5432/db",
                "me:hunter22hunter22@h/db?application_name=me@home",
                "me:hunter22hunter22@h/db?options=-csearch_path%3Da&x=@",
                "h/db?user=me&password=hunter22hunter22&x=me@home",
                "h/db?sslpassword=hunter22hunter22",
            )
        ),
        ("GOOGLE_GEMINI_BASE_URL", "https://me:hunter22hunter22@a.example/v1"),
        ("SERPAPI_BASE_URL", "https://me:hunter22hunter22@a.example/v1"),
        ("BRAVE_BASE_URL", "https://me:hunter22hunter22@a.example/v1"),
        ("SEARXNG_URL", "https://me:hunter22hunter22@a.example/v1"),
    ],
)
def test_a_password_in_an_address_is_a_secret_wherever_it_stands_as_written_and_as_meant(home, name, url):
    secrets = reading(home, {name: url}).secrets()

    assert {"hunter22hunter22"} <= {*secrets} or {"hunter22%40hunter22", "hunter22@hunter22"} <= {*secrets}


def test_a_home_is_an_absolute_path_or_begins_with_a_tilde(tmp_path, monkeypatch):
    """Another folder would make another of any other."""
    for no_home in ("", "relative", "."):
        monkeypatch.setenv("HOME", no_home)
        assert os.path.isabs(read_settings({}).folders.data)
    for relative in ("home", "./home", "../home"):
        with pytest.raises(SettingsError, match="absolute") as failure:
            read_settings({"JARVIS_HOME": relative})
        assert failure.value.hint == f'export JARVIS_HOME="$PWD/{relative}"'
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_settings({"JARVIS_HOME": "~/jarvis/"}).folders.data == str(tmp_path / "jarvis" / "data")


def test_folders_follow_the_desktop_standard(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    folders = read_settings({"HOME": str(tmp_path)}).folders

    assert folders[:4] == (
        platformdirs.user_config_dir("jarvis"),
        platformdirs.user_data_dir("jarvis"),
        platformdirs.user_state_dir("jarvis"),
        platformdirs.user_cache_dir("jarvis"),
    )


@pytest.mark.parametrize(
    "toml", [b'thread = "caf\xe9"', b'google_api_key = ["AIzaSECRET"]', b"a = " + b"[" * 5000, b"thread = 5"]
)
def test_a_config_that_makes_no_sense_is_told_without_what_it_holds(home, toml):
    (home / "config/config.toml").write_bytes(toml)

    with pytest.raises(SettingsError) as failure:
        reading(home)

    assert "SECRET" not in failure.value.message + failure.value.hint


FAR = [
    *("http://a.example", "HTTP://A.EXAMPLE/v1", "http://10.0.0.1:8080", "http://localhost.evil.example"),
    *("http://127.0.0.1.evil.example", "http://127.evil.example", "http://localhost@evil.example"),
    *("http://[::2]", "http://[::ffff:1.2.3.4]", "http://0.0.0.0", "http://128.0.0.1"),
]
NEAR = [
    *("http://127.0.0.1:9", "http://127.9.8.7", "http://localhost:8080/v1", "http://LOCALHOST"),
    *("http://[::1]:9", "http://[0:0:0:0:0:0:0:1]", "http://localhost.", "https://a.example"),
]


@pytest.mark.parametrize("name", ["GOOGLE_GEMINI_BASE_URL", "SERPAPI_BASE_URL", "BRAVE_BASE_URL"])
def test_a_key_is_not_sent_over_a_network_in_the_clear(home, name):
    for url in NEAR:
        reading(home, {name: url})
    for url in FAR:
        with pytest.raises(SettingsError, match=f"{name} .*https") as failure:
            reading(home, {name: url})
        assert f"unset {name}" in failure.value.hint


# What makes no sense, in the environment or in config.toml, and what it is told by; some of it may be a key.
NO_SENSE = [
    *((f"[budgets]\nsteps = {steps}", "steps") for steps in ("0", "-1", "true", '"many"')),
    *(("thread = ", r"config\.toml"), ('gemini_base_url = "http://a.example"', "https")),
    *(({"SERPAPI_BASE_URL": url}, "SERPAPI_BASE_URL") for url in ("nonsense", "http://[", "http://")),
    *(({"GOOGLE_GEMINI_BASE_URL": url}, "GEMINI") for url in ("http://a.example:99999", "ftp://a.example")),
    ({"GOOGLE_GEMINI_BASE_URL": "http://me:hunter22@a.example/?key=hunter22"}, "GEMINI"),
    ({"SERPAPI_BASE_URL": "ftp://me:hunter22@a.example"}, "SERPAPI_BASE_URL"),
    ({"DATABASE_URL": "mysql://me:hunter22@h/db"}, "DATABASE_URL"),
    *(({"JARVIS_THINKING": "hunter22"}, "JARVIS_THINKING"), ({"GOOGLE_API_KEY": "hunter22\u0301"}, "KEY")),
    *(({"GOOGLE_API_KEY": key}, "a key can't have") for key in ("schlüssel", "“quoted”", "two\nlines")),
]


@pytest.mark.parametrize(("said", "told"), NO_SENSE, ids=str)
def test_what_makes_no_sense_is_told_by_its_name_and_not_quoted(home, said, told):
    if isinstance(said, str):
        (home / "config/config.toml").write_text(f"{said}\n")

    with pytest.raises(SettingsError, match=told) as failure:
        reading(home, {} if isinstance(said, str) else said)

    assert failure.value.exit_status == 78
    assert "hunter22" not in f"{failure.value.message} {failure.value.hint}"


def test_any_other_setting_that_is_not_known_stops_nothing(home):
    for toml, name in (
        *(('modle = "x"', "modle"), ('[modle]\n"\\u001b[31m" = 1', "modle.")),
        *(("[daily]\nsearchs = 5", "daily.searchs"), ("tracing = 3", "tracing"), ('packs = "shop"', "packs")),
    ):
        (home / "config/config.toml").write_text(f'thread = "kept"\n{toml}\n')

        settings = reading(home)

        told = f"config.toml has a setting that is not known and does nothing: {name}."
        assert (settings.thread, settings.warnings) == ("kept", (told,))


def test_each_command_warns_of_it_once(shell):
    shell.configure('modle = "x"\n')
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})

    for argv in (("usage", "--json"), ("open", "example.org"), ("hello",)):
        done = shell.jarvis(*argv)
        assert (done.status, bool(done.stdout), done.stderr.count("does nothing: modle.")) == (0, True, 1)


def test_a_config_file_like_the_documentations_is_understood(home):
    text = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    (home / "config/config.toml").write_text(text.split("```toml\n")[1].split("```")[0])

    assert reading(home).budgets == Budgets()


def test_the_country_is_that_of_the_locale(home):
    for locale, country in (
        *(({"LANG": "de_AT.UTF-8"}, "at"), ({"LANG": "en_GB"}, "uk")),
        *(({"LC_ALL": "de_DE@euro", "LANG": "en_US"}, "de"), ({"LC_MESSAGES": "fr_CA.UTF-8"}, "ca")),
        *(({"LANG": name}, "") for name in ("C.UTF-8", "en", "POSIX", "", "en_QQ", "es_419", "x_..")),
    ):
        assert reading(home, locale).country == country
