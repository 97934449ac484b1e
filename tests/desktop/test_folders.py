from __future__ import annotations

import pytest

from jarvis.core.errors import ActionFailed
from jarvis.desktop import desktop


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ('XDG_PICTURES_DIR="$HOME/Bilder"', "{home}/Bilder"),
        ('XDG_PICTURES_DIR="/srv/pictures"', "/srv/pictures"),
        ('XDG_PICTURES_DIR="$HOME/"', "{home}/Pictures"),
        ('XDG_PICTURES_DIR="$HOME"', "{home}/Pictures"),
        ('XDG_PICTURES_DIR="relative"', "{home}/Pictures"),
        ('XDG_PICTURES_DIR="//"', "{home}/Pictures"),
        ('#XDG_PICTURES_DIR="$HOME/Bilder"', "{home}/Pictures"),
        (r'XDG_PICTURES_DIR="$HOME/My \"best\" pictures"', '{home}/My "best" pictures'),
        ('XDG_MUSIC_DIR="$HOME/M"\nXDG_PICTURES_DIR="$HOME/A"\nXDG_PICTURES_DIR="$HOME/B"', "{home}/B"),
        ("", "{home}/Pictures"),
    ],
)
def test_pictures_go_where_the_person_keeps_them(line, folder, tmp_path):
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/user-dirs.dirs").write_text(f"# a comment\n{line}\n")

    assert desktop({"HOME": str(tmp_path)}, "linux").pictures() == folder.format(home=tmp_path)


def test_a_desktop_that_we_do_not_know_refuses_with_the_reason():
    elsewhere = desktop({}, "plan9")

    for act in (elsewhere.open_url, elsewhere.launch_app, elsewhere.capture):
        with pytest.raises(ActionFailed, match="plan9") as refusal:
            act("https://example.org")
        assert refusal.value.hint
    assert elsewhere.pictures().endswith("Pictures")
