"""The person's rules: what they say, how they are kept, and that a file nobody understands is no rule."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from jarvis.core.errors import SettingsError, StoreFailed
from jarvis.policy.rules import A_RULE_ASKS, forget, load_rules, remember

PORT = "piped in"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "config" / "policy.txt")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_the_file_is_its_owners_alone(path):
    write(path, "1 allow open a.example\n")
    os.chmod(path, 0o644)
    os.chmod(os.path.dirname(path), 0o755)

    remember(path, "deny", "captures")

    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert sorted(os.listdir(os.path.dirname(path))) == ["policy.txt", "policy.txt.lock"]


@pytest.mark.parametrize(
    ("rule", "host", "fits"),
    [
        ("example.com", "example.com", True),
        ("example.com", "www.example.com", False),
        ("example.com", "notexample.com", False),
        ("*.example.com", "www.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "notexample.com", False),
        ("BÜCHER.example", "xn--bcher-kva.example", True),
        ("example.com", "", False),
        ("example.com:8080", "example.com:8080", True),
        ("example.com:8080", "example.com", False),
        ("example.com:8080", "example.com:80", False),
        ("*.example.com:08080", "a.example.com:8080", True),
    ],
)
def test_a_host_is_meant_exactly_and_a_wildcard_means_subdomains_only(path, rule, host, fits):
    remember(path, "allow", "opens", rule)

    assert (load_rules(path).settling(PORT, "opens", host) is not None) is fits
    assert load_rules(path).settling(PORT, "launches", host) is None


def test_deny_comes_before_ask_and_what_allows_is_not_against(path):
    remember(path, "allow", "opens", "a.example")
    assert load_rules(path).against("opens", "a.example") is None
    ask = remember(path, "ask", "opens")
    assert load_rules(path).against("opens", "a.example") == ask
    deny = remember(path, "deny", "opens", "*.example")
    assert load_rules(path).against("opens", "a.example") == deny


def test_a_rule_is_a_line_as_it_is_typed_and_one_that_goes_stays_as_a_note(path):
    write(path, "# mine\n\n4 allow open a.example   # indented\n9 deny open '*.b.example'\n\n  # the end")

    added = remember(path, "allow", "launches", "Doom II", "near name")
    forget(path, 4)

    gone, left = "# 4 allow open a.example   # indented", "9 deny open '*.b.example'"
    today = f"10 allow launch 'Doom II' --for near-name  # added {added.added}"
    assert read(path).splitlines() == ["# mine", "", gone, left, "", "  # the end", today]
    assert [rule.formatted for rule in load_rules(path).rules] == [
        *("deny open host=*.b.example", "allow launch app=Doom II, for: near name")
    ]


@pytest.mark.parametrize(
    ("name", "effect"),
    [("C#", "launches"), ("it's", "launches"), ("--for private", "launches"), ("a \\ b", "launches"),
     ("", "captures"), ("*.a.example", "opens")],
)  # fmt: skip
def test_any_name_is_read_as_it_was_kept(path, name, effect):
    kept = remember(path, "deny", effect, name)

    assert load_rules(path).rules == (kept,)
    assert kept.name == name


GOOD = "1 allow open a.example\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deny open a.example", "deny open a.example: That isn't a rule"),
        (GOOD + "2 deny", "2 deny: That isn't a rule"),
        ("0 deny screenshot", "That isn't a rule"),
        ("1 allow launch # Doom", "That isn't a rule"),
        ("1 deny launch 'Doom", "That isn't a rule"),
        ("1 maybe open a.example", "There is no verdict maybe"),
        ("1 deny opne a.example", "There is nothing called opne"),
        (GOOD + "2 allow open '*'", "* isn't a host name"),
        ("1 deny open a.example --for private", "A rule that says deny settles no doubt"),
        ("1 allow open *.a.example --for a-rule-asks", "A rule for what another rule"),
        ("\x00", "That isn't a rule"),
    ],
)
def test_a_file_that_makes_no_sense_is_told_with_its_line(path, text, told):
    write(path, text)

    with pytest.raises(SettingsError) as failure:
        load_rules(path)
    with pytest.raises(SettingsError):
        remember(path, "allow", "opens", "c.example")

    assert told in failure.value.message
    assert failure.value.hint
    assert failure.value.exit_status == 78
    assert read(path) == text


def test_several_at_once_lose_nothing(path):
    hosts = [f"h{n}.example" for n in range(6)]
    with ThreadPoolExecutor(len(hosts)) as pool:
        numbers = [rule.number for rule in pool.map(partial(remember, path, "allow", "opens"), hosts)]

    assert sorted(numbers) == [*range(1, 7)]
    kept = {rule.name: rule.number for rule in load_rules(path).rules}
    assert kept == dict(zip(hosts, numbers, strict=True))


def test_a_folder_that_can_not_be_written_is_told_and_nothing_is_called_saved(path):
    remember(path, "allow", "opens", "a.example")
    os.mkdir(f"{path}.new")  # where the new file would be written first

    with pytest.raises(StoreFailed, match="can't be used"):
        remember(path, "deny", "captures")

    os.rmdir(f"{path}.new")
    assert load_rules(path).against("captures") is None


@pytest.mark.parametrize(
    ("before", "then", "left"),
    [
        ([("allow", PORT), ("allow", "private"), ("allow", "")], ("deny", ""), ["deny"]),
        ([("allow", PORT), ("allow", "")], ("ask", ""), ["ask"]),
        ([("ask", "")], ("deny", ""), ["deny"]),
        ([("deny", "")], ("ask", ""), ["ask"]),
        ([("deny", "")], ("allow", ""), ["allow"]),
        ([("ask", "")], ("allow", ""), ["allow"]),
        ([("ask", "")], ("allow", A_RULE_ASKS), ["allow, for: a rule asks"]),
        ([("deny", "")], ("allow", A_RULE_ASKS), ["deny", "allow, for: a rule asks"]),
        ([("ask", "")], ("allow", PORT), ["ask", "allow, for: piped in"]),
        ([("deny", "")], ("allow", PORT), ["deny", "allow, for: piped in"]),
    ],
)
def test_what_a_rule_replaces_is_on_the_very_same(path, before, then, left):
    other = remember(path, "ask", "opens", "b.example")
    for verdict, doubt in before:
        remember(path, verdict, "opens", "a.example", doubt)
    remember(path, then[0], "opens", "a.example", then[1])

    rules = [rule for rule in load_rules(path).rules if rule != other]
    assert other in load_rules(path).rules
    assert [rule.formatted.replace(" open host=a.example", "") for rule in rules] == left


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\r"])
def test_what_looks_like_one_line_is_one(path, sign):
    write(path, f"# a note{sign}1 allow open evil.example\r\n2 allow open a.example\r\n")

    assert [rule.number for rule in load_rules(path).rules] == [2]
    assert remember(path, "deny", "captures").number == 3
    assert [rule.number for rule in load_rules(path).rules] == [2, 3]
