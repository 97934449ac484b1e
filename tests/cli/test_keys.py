"""`jarvis keys`: a key is checked, kept where it is safe, found again, and never shown."""

import json

import pytest

from tests.search.test_serpapi import Redirect
from tests.twins import gemini as g
from tests.twins.keyrings import DISABLED, LOCKED, NONE, OPEN, SILENT, using
from tests.twins.other_search import BraveTwin, brave_page

pytestmark = pytest.mark.slow

KEY = "a-key-that-nobody-is-to-see"
OLD = "an-older-key-of-the-same-person"
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
FORMED = "AIza" + "Sy0123456789_-abcdefghijklmnopqrstu"  # as Google's look


@pytest.fixture
def keyless(shell):
    """A home without any key, whose system has no keyring."""
    shell.environment |= {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": "", **using(NONE)}
    return shell


def config(shell):
    folder = shell.home / "jarvis" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def put(shell, text, name=".env"):
    (config(shell) / name).write_text(text)
    (config(shell) / name).chmod(0o600)


def files_with(shell, text):
    """The names of all files below the home that hold *text*."""
    found = (path for path in shell.home.rglob("*") if path.is_file())
    return sorted(path.name for path in found if text.encode() in path.read_bytes())


@pytest.mark.parametrize(
    ("backend", "place", "file"),
    [
        (OPEN, "saved in the system keyring.", "keyring.json"),
        (NONE, "(the system keyring: there is none here).", ".env"),
        (DISABLED, "(the system keyring: it does not keep what it is given).", ".env"),
        (SILENT, "(the system keyring: it did not answer within 2 s (is it locked?)).", ".env"),
    ],
)
def test_a_key_is_checked_and_kept_and_then_used(keyless, backend, place, file):
    keyless.environment |= using(backend)
    keyless.gemini.plans(HELLO)

    done = keyless.jarvis("keys", "set", "google", stdin=f"{KEY}\n")

    assert (done.status, done.stdout) == (0, "")
    assert done.stderr.startswith("Checked with Google, saved in ")
    assert place in done.stderr
    assert "With a free key, Google may use what you send" in done.stderr
    assert files_with(keyless, KEY) == [file]
    assert (keyless.home / "jarvis/config/.env").exists() == (file == ".env")
    asked = keyless.jarvis("hello")
    assert (asked.status, asked.stdout, asked.stderr) == (0, "Hello.\n", asked.stderr)
    assert [request.key for request in keyless.gemini.requests] == [KEY, KEY]
    assert KEY not in done.stderr + asked.stderr
    assert files_with(keyless, KEY) == [file]


def test_the_file_that_holds_a_key_is_for_its_owner_alone_and_keeps_its_other_lines(keyless):
    """What comes before the key that was set is told."""
    mine = "# mine\nJARVIS_MODEL=m # why\n"
    put(keyless, f"{mine}export GOOGLE_API_KEY='{OLD}'\nGEMINI_API_KEY={OLD}\nOTHER=x\n")

    done = keyless.jarvis("keys", "set", stdin=KEY, environment={"GEMINI_API_KEY": OLD})

    file = config(keyless) / ".env"
    assert file.read_text() == f"{mine}OTHER=x\nGOOGLE_API_KEY={KEY}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "It isn't used yet: GEMINI_API_KEY in the environment overrides it." in done.stderr
    assert OLD not in done.stderr


def test_a_key_that_its_service_refuses_is_not_kept(keyless):
    keyless.gemini.refuse_key = keyless.serpapi.refuse_key = KEY

    for name in ("google", "serpapi"):
        done = keyless.jarvis("keys", "set", name, stdin=KEY)

        assert (done.status, done.stdout, KEY in done.stderr) == (77, "", False)
        assert " refused this key." in done.stderr
    assert files_with(keyless, KEY) == []
    assert (len(keyless.gemini.requests), len(keyless.serpapi.accounts)) == (1, 1)


@pytest.mark.parametrize(
    ("listing", "why", "times"),
    [
        (g.Html(502), "A web page came instead of Google's answer", 3),
        (Redirect(), "Google answered with status 302", 1),
        (g.per_minute(), "Google allows no more requests for now", 1),
        (g.Reset(), "Google can't be reached", 3),
    ],
    ids=["down", "a redirect", "busy", "offline"],
)
def test_a_key_of_which_its_service_does_not_say_whether_it_takes_it_is_kept(keyless, listing, why, times):
    keyless.gemini.listing = listing

    done = keyless.jarvis("keys", "set", stdin=KEY)

    assert (done.status, KEY in done.stderr) == (0, False)
    assert done.stderr.startswith("Not checked (")
    assert why in done.stderr
    assert files_with(keyless, KEY) == [".env"]
    assert len(keyless.gemini.requests) == times


def test_a_key_on_the_command_line_is_refused_and_not_shown(keyless):
    for argv in (("set", "google", KEY), ("set", FORMED), ("test", KEY)):
        done = keyless.jarvis("keys", *argv)

        assert (done.status, done.stdout, "hint: " in done.stderr) == (2, "", True)
        assert KEY not in done.stderr
        assert FORMED not in done.stderr
    assert keyless.cost == (0, 0)
    assert files_with(keyless, KEY) == files_with(keyless, FORMED) == []


@pytest.mark.parametrize(
    ("stdin", "status"),
    [
        (None, 2),
        ("\n", 2),
        *((no_key, 78) for no_key in ("ümlaut\n", "x" * 3000, "'quoted'")),
    ],
)
def test_what_is_no_key_is_not_kept(keyless, stdin, status):
    done = keyless.jarvis("keys", "set", stdin=stdin)

    assert done.status == status
    assert keyless.cost == (0, 0)
    assert files_with(keyless, "GOOGLE_API_KEY") == []


def test_each_place_of_a_key_and_what_it_hides_is_listed_and_none_is_shown(keyless):
    """An older key in the file does not hide one that was put into the keyring after it."""
    keyless.environment |= using(OPEN)
    put(keyless, f"GOOGLE_API_KEY={OLD}\nJARVIS_MODEL=m\n")
    keyless.jarvis("keys", "set", stdin=KEY)
    assert (config(keyless) / ".env").read_text() == "JARVIS_MODEL=m\n"
    put(keyless, f"GOOGLE_API_KEY={OLD}\n")
    put(keyless, f'google_api_key = "{OLD}"\n', "config.toml")
    (keyless.home / "given").write_text(f"GEMINI_API_KEY={OLD}\n")
    keyless.environment["GOOGLE_API_KEY"] = OLD

    as_json = keyless.jarvis("--env-file", f"{keyless.home}/given", "keys", "list", "--json")
    told = keyless.jarvis("keys", "list")

    google, serpapi, *_ = json.loads(as_json.stdout)
    hidden = [
        *(f"GEMINI_API_KEY in {keyless.home}/given", f"GOOGLE_API_KEY in {config(keyless)}/.env"),
        *(f"google_api_key in {config(keyless)}/config.toml", "the system keyring"),
    ]
    assert google == {"name": "google", "from": "GOOGLE_API_KEY in the environment", "hides": hidden}
    assert serpapi == {"name": "serpapi", "from": None, "hides": []}
    assert "serpapi    not set: jarvis keys set serpapi" in told.stdout
    assert OLD not in told.stdout + told.stderr + as_json.stdout


def test_a_key_is_forgotten_where_it_was_kept_and_what_is_left_is_told(keyless):
    keyless.environment |= using(OPEN)
    keyless.jarvis("keys", "set", stdin=KEY)
    put(keyless, f"GOOGLE_API_KEY={OLD}\n")
    put(keyless, f'google_api_key = "{OLD}"\n', "config.toml")

    done = keyless.jarvis("keys", "rm")

    assert done.status == 0
    assert done.stdout.splitlines() == [
        "Removed the google key from the system keyring.",
        f"Removed the google key from {config(keyless)}/.env.",
    ]
    assert f"Still in use: google_api_key in {config(keyless)}/config.toml." in done.stderr
    assert files_with(keyless, KEY) == []
    assert keyless.jarvis("keys", "rm").status == 1


def test_a_keyring_that_is_locked_by_now_is_told(keyless):
    put(keyless, "# names\ngoogle\n", "in_keyring.txt")
    keyless.environment |= using(LOCKED)

    asked = keyless.jarvis("hello")
    removed = keyless.jarvis("keys", "rm")

    assert (asked.status, removed.status) == (78, 78)
    assert "it is locked" in asked.stderr
    assert "hint: Unlock it and ask again, or: jarvis keys set google" in asked.stderr
    assert "The key is still in the system keyring" in removed.stderr
    assert keyless.cost == (0, 0)


def test_the_services_say_which_keys_they_take(keyless):
    assert keyless.jarvis("keys", "test").status == 78
    put(keyless, f"GOOGLE_API_KEY={KEY}\nSERPAPI_API_KEY={OLD}\n")

    good = keyless.jarvis("keys", "test")
    keyless.serpapi.refuse_key = OLD
    bad = keyless.jarvis("keys", "test", "serpapi")
    records = json.loads(keyless.jarvis("keys", "test", "--json").stdout)
    keyless.gemini.listing = g.Html(502)
    down = keyless.jarvis("keys", "test", "google")

    assert good.stdout.splitlines() == [
        f"google     Google accepts it: GOOGLE_API_KEY in {config(keyless)}/.env",
        "serpapi    SerpAPI accepts it, 99 searches left in your plan:"
        f" SERPAPI_API_KEY in {config(keyless)}/.env",
    ]
    assert (good.status, bad.status, down.status) == (0, 77, 69)
    assert "SerpAPI refused the key: SERPAPI_API_KEY in " in bad.stderr
    assert [row["is_taken"] for row in records] == [True, False]
    assert [row["searches_left"] for row in records] == [None, None]


def test_of_a_refused_key_in_the_environment_it_is_said_that_another_would_not_count(keyless):
    keyless.gemini.refuse_key = OLD

    done = keyless.jarvis("hello", environment={"GOOGLE_API_KEY": OLD})

    assert (done.status, "Google refused the key: GOOGLE_API_KEY in the environment." in done.stderr) == (
        77,
        True,
    )
    assert "  hint: unset GOOGLE_API_KEY; jarvis keys set google\n" in done.stderr


def test_a_key_of_brave_is_checked_by_one_search_kept_and_used_and_a_refused_one_is_not(keyless):
    with BraveTwin() as brave:
        keyless.environment |= {"GOOGLE_API_KEY": OLD, "BRAVE_BASE_URL": brave.url}
        brave.refuse_key = KEY
        refused = keyless.jarvis("keys", "set", "brave", stdin=KEY)
        brave.refuse_key = ""
        brave.finds(brave_page(), brave_page(), brave_page(("MIT", "https://web.mit.edu/", "")))
        keyless.gemini.plans({"action": "search", "query": "MIT"}, {**HELLO, "text": "A university [r1]."})

        kept = keyless.jarvis("keys", "set", "brave", stdin=KEY)
        tested = keyless.jarvis("keys", "test", "brave")
        asked = keyless.jarvis("what is MIT?")

        assert [request.headers["x-subscription-token"] for request in brave.requests] == [KEY] * 4
        assert brave.unexpected == []
    assert (refused.status, "Brave refused this key." in refused.stderr) == (77, True)
    assert (kept.status, kept.stderr.startswith("Checked with Brave, saved in ")) == (0, True)
    assert tested.stdout == f"brave      Brave accepts it: BRAVE_API_KEY in {config(keyless)}/.env\n"
    assert (asked.status, "https://web.mit.edu/" in asked.stdout) == (0, True)
    assert files_with(keyless, KEY) == [".env"]
    for done in (refused, kept, tested, asked):
        assert KEY not in done.stdout + done.stderr


def test_words_that_hold_a_key_are_neither_sent_nor_kept(keyless):
    put(keyless, f"GOOGLE_API_KEY={KEY}\n")
    told = [f"open https://a.example/?key={FORMED}", f"is {KEY} safe?"]

    for done in (
        *(keyless.jarvis(words) for words in told),
        keyless.jarvis("sum this up:", "-", stdin=f"what is {FORMED}?"),
    ):
        assert (done.status, done.stdout) == (2, "")
        assert "Your request contains an API key. Jarvis neither sent nor saved it." in done.stderr
        assert FORMED not in done.stderr
    assert keyless.cost == (0, 0)
    assert (files_with(keyless, FORMED), files_with(keyless, KEY)) == ([], [".env"])
