"""The person's rules: what they say, how they are kept, and that a file nobody understands is no rule."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from jarvis.core.errors import SettingsError, StoreFailed, UsageError
from jarvis.policy.rules import Policy, forget, load_rules, remember
from jarvis.policy.targets import A_RULE_ASKS

WRITER = """
import sys
from jarvis.policy.rules import remember
from jarvis.core import files
files.PATIENCE = 60  # on a slow machine they have to wait for each other
print("ready", flush=True)
sys.stdin.readline()
print(remember(sys.argv[1], "allow", "opens", sys.argv[2]).number)
"""


PORT = "unusual port"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "config" / "policy.toml")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def table(number, verdict="allow", effect="opens", name="a.example"):
    return f'[[rule]]\nnumber = {number}\nverdict = "{verdict}"\neffect = "{effect}"\nname = "{name}"\n'


def test_what_is_remembered_is_there_in_the_next_process(path):
    rule = remember(path, "allow", "opens", "www.example.com")

    assert rule == load_rules(path).rules[0]
    assert rule[:4] == (1, "allow", "opens", "www.example.com")
    assert len(rule.added) == len("2026-01-31")
    assert load_rules(path).settling(PORT, "opens", "www.example.com") == rule


def test_the_file_is_its_owners_alone(path):
    write(path, table(1))
    os.chmod(path, 0o644)
    os.chmod(os.path.dirname(path), 0o755)

    remember(path, "deny", "captures")

    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert sorted(os.listdir(os.path.dirname(path))) == [".policy.lock", "policy.toml"]


@pytest.mark.parametrize(
    ("rule", "host", "fits"),
    [
        ("example.com", "example.com", True),
        ("example.com", "EXAMPLE.com", True),
        ("example.com", "www.example.com", False),
        ("example.com", "notexample.com", False),
        ("*.example.com", "www.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "notexample.com", False),
        ("BÜCHER.example", "xn--bcher-kva.example", True),
        ("xn--bcher-kva.example", "bücher.example", True),
        ("example.com", "", False),
    ],
)
def test_a_host_is_meant_exactly_and_a_wildcard_means_subdomains_only(path, rule, host, fits):
    remember(path, "allow", "opens", rule)

    assert (load_rules(path).settling(PORT, "opens", host) is not None) is fits
    assert load_rules(path).settling(PORT, "launches", host) is None


@pytest.mark.parametrize(
    ("name", "names", "fits"),
    [
        ("", ("firefox", "org.mozilla.firefox"), True),
        ("", (), True),
        ("Firefox", ("org.mozilla.firefox", "firefox"), True),
        ("Firefox", ("firefox-esr",), False),
    ],
)
def test_a_rule_on_apps_is_about_any_of_their_names_or_about_all(path, name, names, fits):
    remember(path, "deny", "launches", name)

    assert (load_rules(path).against("launches", *names) is not None) is fits
    assert load_rules(path).against("opens", "firefox") is None


def test_deny_comes_before_ask_and_what_allows_is_not_against(path):
    remember(path, "allow", "opens", "a.example")
    assert load_rules(path).against("opens", "a.example") is None
    ask = remember(path, "ask", "opens")
    assert load_rules(path).against("opens", "a.example") == ask
    deny = remember(path, "deny", "opens", "*.example")
    assert load_rules(path).against("opens", "a.example") == deny


def test_a_number_is_never_given_again(path):
    for name in ("a.example", "b.example", "c.example"):
        remember(path, "allow", "opens", name)
    assert forget(path, 3).name == "c.example"
    assert forget(path, 1).name == "a.example"

    assert [rule.number for rule in load_rules(path).rules] == [2]
    assert remember(path, "allow", "opens", "d.example").number == 4
    assert forget(path, 4).number == 4
    assert forget(path, 2).number == 2
    assert load_rules(path) == Policy()
    assert remember(path, "allow", "opens", "e.example").number == 5


def test_what_the_person_wrote_around_it_stays(path):
    mine = f"# mine\n\n{table(4)}   # indented\n\n# about b\n{table(9, name='b.example')}\n# the end\n"
    write(path, mine)

    added = remember(path, "deny", "captures")
    assert read(path).startswith(mine.rstrip())
    forget(path, added.number)
    forget(path, 4)

    left = read(path)
    assert all(line in left for line in ("# mine", "# about b", table(9, name="b.example"), "# the end"))
    assert "a.example" not in left
    assert [rule.number for rule in load_rules(path).rules] == [9]


def test_a_form_that_can_not_be_changed_is_left_as_it_is(path):
    odd = 'rule = [{number = 1, verdict = "deny", effect = "captures"}]\n'
    write(path, odd)

    with pytest.raises(SettingsError, match="can't be changed here"):
        remember(path, "allow", "opens", "a.example")
    with pytest.raises(SettingsError, match="can't be changed here"):
        forget(path, 1)

    assert read(path) == odd
    assert load_rules(path).against("captures").verdict == "deny"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[rule]\n", "line 1"),
        (table(1) + "[[rule]]\nnumber = \n", "line 7"),
        (table(1, "maybe"), "[[rule]] 1: There is no verdict maybe"),
        (table(1) + "hots = 'x'\n", "[[rule]] 1: It lacks a key, or has one that no rule has"),
        (table(1) + table(2, name="*"), "[[rule]] 2: A rule for every host has no name"),
        (table(1, effect="captures"), "A rule on what captures takes no name"),
        (table(1) + table(1, name="b.example"), "[[rule]] 2: Its number can't be 1"),
        (table(1) + "doubt = 'odd'\n", "There is no doubt odd"),
        (table(1, "deny") + "doubt = 'private'\n", "A rule that says deny can't be limited to a doubt"),
        (table(1, name="*.a.example") + "doubt = 'a rule asks'\n", "A rule for what another rule"),
        ("[rule]\nnumber = 1\n", "more than [[rule]] tables"),
        ("\x00", "can't be read"),
    ],
)
def test_a_file_that_makes_no_sense_is_told_with_its_place(path, text, told):
    write(path, text)

    with pytest.raises(SettingsError) as failure:
        load_rules(path)
    with pytest.raises(SettingsError):
        remember(path, "allow", "opens", "a.example")

    assert told in failure.value.message
    assert failure.value.hint
    assert failure.value.exit_status == 78
    assert read(path) == text


@pytest.mark.parametrize(
    ("verdict", "effect", "name"),
    [
        ("maybe", "opens", "a.example"),
        ("allow", "open", "a.example"),
        ("allow", "opens", "*"),
        ("allow", "opens", "https://a.example"),
        ("allow", "opens", "a.example:8080"),
        ("allow", "launches", "fire\nfox"),
        ("allow", "captures", "the screen"),
    ],
)
def test_what_is_no_rule_is_not_kept(path, verdict, effect, name):
    with pytest.raises(UsageError):
        remember(path, verdict, effect, name)

    assert not os.path.exists(path)


@pytest.mark.slow
def test_three_at_once_lose_nothing(path):
    hosts = [f"h{n}.example" for n in range(3)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, host],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            text=True,
        )
        for host in hosts
    ]
    assert {writer.stdout.readline() for writer in writers} == {"ready\n"}
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    numbers = [int(writer.communicate(timeout=60)[0]) for writer in writers]

    assert sorted(numbers) == list(range(1, 4))
    assert {rule.name: rule.number for rule in load_rules(path).rules} == dict(
        zip(hosts, numbers, strict=True)
    )


def test_a_folder_that_can_not_be_written_is_told_and_nothing_is_called_saved(path):
    remember(path, "allow", "opens", "a.example")
    os.mkdir(f"{path}.new")  # where the new file would be written first

    with pytest.raises(StoreFailed, match="can't be written"):
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
        ([("ask", "")], ("allow", PORT), ["ask", "allow, for: unusual port"]),
        ([("deny", "")], ("allow", PORT), ["deny", "allow, for: unusual port"]),
    ],
)
def test_what_a_rule_replaces_is_on_the_very_same(path, before, then, left):
    other = remember(path, "ask", "opens", "b.example")
    for verdict, doubt in before:
        remember(path, verdict, "opens", "a.example", doubt)
    remember(path, then[0], "opens", "a.example", then[1])

    rules = [rule for rule in load_rules(path).rules if rule != other]
    assert other in load_rules(path).rules
    assert [rule.told.replace(" open host=a.example", "") for rule in rules] == left


@pytest.mark.parametrize(
    ("verdict", "effect", "name", "doubt", "told"),
    [
        ("deny", "opens", "a.example", PORT, "can't be limited to a doubt"),
        ("ask", "opens", "a.example", A_RULE_ASKS, "can't be limited to a doubt"),
        ("allow", "opens", "a.example", "asked for", "There is no doubt asked for"),
        ("allow", "opens", "", A_RULE_ASKS, "names one host"),
        ("allow", "opens", "*.a.example", A_RULE_ASKS, "names one host"),
        ("allow", "launches", "", A_RULE_ASKS, "names one app"),
    ],
)
def test_a_doubt_that_is_none_or_does_not_fit_the_rule_is_not_kept(path, verdict, effect, name, doubt, told):
    with pytest.raises(UsageError, match=told) as refused:
        remember(path, verdict, effect, name, doubt)

    assert refused.value.hint
    assert not os.path.exists(path)
