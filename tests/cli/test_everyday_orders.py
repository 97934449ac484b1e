"""What people type every day, on the true program: done, or told, without a model, a key or a search."""

import pytest

from tests.wordings import lines_of

pytestmark = pytest.mark.slow

ORDERS = [line.split(" | ") for line in lines_of("orders.txt")]
NOT_SET = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}
CHOSEN = """[Default Applications]
x-scheme-handler/https=Firefox.desktop
x-scheme-handler/mailto=Thunderbird.desktop
inode/directory=Files.desktop
"""


@pytest.fixture
def desk(shell):
    """The environment of a person with a few apps, whom a search listed a, b and c.example."""
    environment = shell.installed("Firefox", "Thunderbird", "Files", "Terminal", "Settings", "KCalc")
    entries = shell.home / "apps/applications"
    (entries / "Settings.desktop").rename(entries / "org.gnome.Settings.desktop")
    calculator = (entries / "KCalc.desktop").read_text()
    (entries / "KCalc.desktop").write_text(f"{calculator}GenericName=Scientific Calculator\n")
    (shell.home / ".config").mkdir()
    (shell.home / ".config/mimeapps.list").write_text(CHOSEN)
    (shell.home / "Downloads").mkdir()
    return environment | NOT_SET


def lists(shell, *urls):
    """Have *urls* listed, as an answer does."""
    shell.search_finds(*urls)
    reply = {"action": "reply", "text": " ".join(f"[r{n}]" for n in range(1, len(urls) + 1)), "finish": True}
    shell.gemini.plans({"action": "search", "query": "pages", "wants": "nothing"}, reply)
    assert shell.jarvis("which pages are there?").status == 0
    return shell.cost


def test_of_75_everyday_orders_60_need_no_model_key_or_search(shell, desk):
    before = lists(shell, *(f"https://{name}.example/" for name in "abc"))
    wrong = {}
    for words, told in ORDERS:
        done = shell.jarvis("-n", *words.split(), environment=desk)
        expected = told.replace("HOME", str(shell.home)).split(" + ")
        if told == "model":
            expected = ["No model key is set"]
        if not all(each in f"{done.stdout}{done.stderr}" for each in expected):
            wrong[words] = done.status, done.stdout, done.stderr

    assert wrong == {}
    assert len(ORDERS) == 75
    assert sum(told != "model" for _, told in ORDERS) >= 60
    assert shell.cost == before


def test_all_of_a_long_list_is_not_opened_at_once_and_that_is_told(shell, desk):
    none = shell.jarvis("open", "all", environment=desk)
    lists(shell, *(f"https://{name}.example/" for name in "abcdefg"))
    many = shell.jarvis("open", "all", environment=desk)

    assert "Nothing was listed" in none.stderr
    assert "That would open 7 pages. Jarvis opens up to 6 at a time." in many.stderr
    assert "jarvis open 1 2 3 4 5 6" in many.stderr
    assert (none.status, many.status, shell.opened) == (2, 2, [])


@pytest.mark.parametrize("role", ["terminal", "browser", "settings", "calculator", "mail", "file manager"])
def test_where_nothing_of_a_kind_is_installed_that_is_told_with_a_cure(shell, role):
    done = shell.jarvis("open", *role.split(), environment=shell.installed("GIMP") | NOT_SET)

    assert done.status == 1
    assert "app was found. Nothing was opened." in done.stderr
    assert "jarvis start NAME" in done.stderr
