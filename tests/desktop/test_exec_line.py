from __future__ import annotations

import pytest

from jarvis.desktop.linux import exec_line


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("firefox %u", ["firefox", "%u"]),
        ("  spaced   out\t", ["spaced", "out"]),
        ('"/opt/My App/run" --now', ["/opt/My App/run", "--now"]),
        ('say "a b"c', ["say", "a bc"]),
        ("it's fine", ["it's", "fine"]),
        ('say ""', ["say", ""]),
        (r'say "\\"quoted\\""', ["say", '"quoted"']),
        (r'say "\\$HOME \\` \\\\"', ["say", r"$HOME ` " + "\\"]),
        (r"tab\there", ["tab", "here"]),
        (r'say "one\stwo"', ["say", "one two"]),
        ('sh -c "a; b && c | d > e"', ["sh", "-c", "a; b && c | d > e"]),
        ("$(reboot) `x` ~ *", ["$(reboot)", "`x`", "~", "*"]),
        ("", []),
    ],
)
def test_an_exec_line_is_split_as_the_specification_says(line, arguments):
    assert exec_line.split(line) == arguments


@pytest.mark.parametrize("line", ['say "a', 'say a"', r'say "a\\"', '"' * 9999, '"' + r"\\\"" * 9999])
def test_a_broken_exec_line_is_refused(line):
    with pytest.raises(ValueError, match="Exec"):
        exec_line.split(line)


@pytest.mark.parametrize(
    ("arguments", "expanded"),
    [
        (["a", "%f", "%F", "%u", "%U"], ["a"]),
        (["a", "%i", "%d", "%D", "%n", "%N", "%v", "%m", "%z"], ["a"]),
        (["a", "--title=%c", "%k"], ["a", "--title=Name", "/entry"]),
        (["a", "100%%", "%%c"], ["a", "100%", "%c"]),
        (["a", "--open=%u"], ["a", "--open="]),
        (["a", "", "%"], ["a", "", "%"]),
    ],
)
def test_field_codes_are_filled_in_or_fall_away(arguments, expanded):
    assert exec_line.expand(arguments, name="Name", path="/entry") == expanded
