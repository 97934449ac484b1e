"""What was typed in a chat: known by its thread, and gone with it, and no other line."""

from __future__ import annotations

from prompt_toolkit.history import FileHistory

from jarvis.store.threads import keep_prompt
from tests.conftest import BOTH

OLD = "\n# 2026-01-31 10:00:00.5\n+typed before\n\n# 2026-01-31 10:00:01\n+of two\n+# thread work\n"


def read(path):
    """What the prompt has of it, the oldest first."""
    return [*FileHistory(str(path)).load_history_strings()][::-1]


def test_what_is_no_text_is_kept_with_a_mark(tmp_path):
    keep_prompt(str(tmp_path / "typed"), "work", "a \udcff byte")

    assert read(tmp_path / "typed") == ["a ? byte"]


@BOTH
def test_a_threads_lines_go_with_it_and_no_others(house):
    path = house.home / "jarvis" / "state" / "chat_history"
    path.parent.mkdir(parents=True)
    path.write_text(OLD)
    typed = [("work", "one"), ("home", "# thread work"), ("work", "two\n# thread home"), ("workshop", "one")]
    for thread, text in typed:
        keep_prompt(str(path), thread, text)
    assert read(path) == ["typed before", "of two\n# thread work", *(text for _, text in typed)]
    house.model_plans(*[{"action": "reply", "text": "Hello."}] * 2)
    for thread in ("work", "home"):
        house.ask("hello", thread)

    house.kept(lambda store: store.delete("work"))

    left = ["typed before", "of two\n# thread work", "# thread work", "one"]
    assert read(path) == left
    assert path.stat().st_mode & 0o777 == 0o600
    house.kept(lambda store: store.delete("none"))
    assert read(path) == left
    house.kept(lambda store: store.delete(None))
    assert read(path) == []
