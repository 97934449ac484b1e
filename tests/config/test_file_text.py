"""What is written into config.toml leaves all else there as it is."""

from __future__ import annotations

import os
import tomllib

import pytest

from jarvis.config.file_text import write_packs
from jarvis.config.settings import read_settings
from jarvis.core.errors import SettingsError

CHANGED = [
    ("", '[packs]\non = ["shop", "trip"]\n'),
    ('model = "m"  # mine', 'model = "m"  # mine\n\n[packs]\non = ["shop", "trip"]\n'),
    ("\n# nothing yet\n\n\n", '\n# nothing yet\n\n[packs]\non = ["shop", "trip"]\n'),
    ("[packs]\non = []\n", '[packs]\non = ["shop", "trip"]\n'),
    (
        '[packs]  # those I like\n# few\non=["x"]  # why\n\n[daily]\nsearches = 3\n',
        '[packs]  # those I like\n# few\non=["shop", "trip"]  # why\n\n[daily]\nsearches = 3\n',
    ),
    (
        "[packs]\n[budgets]\nsteps = 3\n",
        '[packs]\non = ["shop", "trip"]\n[budgets]\nsteps = 3\n',
    ),
    (
        '[ packs ]\n  on = [\n    "x",  # this\n    "y",\n  ]\nmore = 1\n',
        '[ packs ]\n  on = ["shop", "trip"]\nmore = 1\n',
    ),
    (
        '[other]\non = ["x"]\n\n[packs.shop]\non = ["y"]\n',
        '[other]\non = ["x"]\n\n[packs.shop]\non = ["y"]\n\n[packs]\non = ["shop", "trip"]\n',
    ),
    ('thread = "a"\r\n[packs]\r\n# b\r\n', 'thread = "a"\r\n[packs]\r\non = ["shop", "trip"]\r\n# b\r\n'),
]


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_a_list_is_put_in_its_place_and_nothing_else_is_changed(tmp_path, before, after):
    path = tmp_path / "config.toml"
    path.write_bytes(before.encode())

    write_packs(str(path), ("shop", "trip"))
    assert path.read_bytes().decode() == after

    write_packs(str(path), ("shop", "trip"))
    assert path.read_bytes().decode() == after


@pytest.mark.parametrize(
    "text",
    [
        'packs = { on = ["x"] }\n',
        'packs.on = ["x"]\n',
        '[packs]\non = ["]"]\n',
        '[packs]\n"on" = ["x"]\n',
        "packs = 3\n",
        '[[packs]]\non = ["x"]\n',
        'a = """\n[packs]\non = ["x"]\n"""\n',
        "not = toml = at all\n",
    ],
)
def test_what_is_written_in_an_uncommon_way_is_told_and_left(tmp_path, text):
    path = tmp_path / "config.toml"
    path.write_text(text)

    with pytest.raises(SettingsError) as error:
        write_packs(str(path), ("shop",))

    assert path.read_text() == text
    assert 'on = ["shop"]' in (error.value.hint or "")


def test_a_name_of_theirs_stays_whatever_it_is(tmp_path):
    path = tmp_path / "config.toml"
    names = ("a b", 'q"uote', "back\\slash", "ünï", "😀", "new\nline")

    write_packs(str(path), names)

    assert tomllib.loads(path.read_text())["packs"]["on"] == list(names)


def test_it_is_for_its_owner_alone_and_a_link_is_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    target = tmp_path / "mine/dotfile.toml"
    target.write_text("# mine\n")
    (tmp_path / "config").mkdir()
    link = tmp_path / "config/config.toml"
    link.symlink_to(target)

    write_packs(str(link), ("shop",))

    assert link.is_symlink()
    assert "# mine" in target.read_text()
    assert os.stat(target).st_mode & 0o777 == 0o600
    assert read_settings({"JARVIS_HOME": str(tmp_path)}).packs == ("shop",)
