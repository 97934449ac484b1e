import os
import time
from pathlib import Path

import pytest

from jarvis.core.errors import BadTarget, LaunchFailed, NoDisplay, NoHandler
from jarvis.desktop.desktop import HANDED_OVER, RUNNING
from jarvis.desktop.linux import Linux
from tests.desktop.screen import running

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)"


NO_ADDRESSES = """javascript:alert(1) file:///etc/passwd --help -o example.org https:// https:///path
ftp://example.org""".split()


def test_an_address_reaches_xdg_open_whole_and_as_one_argument_and_nothing_else_does(env, shims):
    shims.add("xdg-open")

    assert Linux(env).open_url(URL) == HANDED_OVER
    for target in (*NO_ADDRESSES, "https://a b", "https://example.org/\n--new", ""):
        with pytest.raises(BadTarget):
            Linux(env).open_url(target)
    assert shims.calls() == [["xdg-open", URL]]


@pytest.mark.parametrize(("status", "error"), [(3, NoHandler), (4, LaunchFailed)])
def test_a_refusal_of_xdg_open_is_a_failure(status, error, env, shims):
    shims.add("xdg-open", f"exit {status}")

    with pytest.raises(error) as failure:
        Linux(env).open_url(URL)
    assert failure.value.hint
    assert shims.calls() == [["xdg-open", URL]]


def test_without_xdg_open_it_says_what_to_install(env):
    with pytest.raises(NoHandler) as failure:
        Linux(env).open_url(URL)
    assert failure.value.hint == "sudo apt install xdg-utils"


def test_a_browser_that_is_still_starting_is_neither_done_nor_failed(env, shims):
    shims.add("xdg-open", "exec /bin/sleep 60")

    started = time.monotonic()

    assert Linux(env, url_grace=1).open_url(URL) == RUNNING
    assert 1 <= time.monotonic() - started < 30
    assert len(running(env)) == 1
    assert shims.calls() == [["xdg-open", URL]]


def test_without_a_screen_nothing_is_started_and_the_address_is_shown(env, shims):
    """Nor does a text browser get the terminal, though the person chose it."""
    for name in ("xdg-open", "w3m", "links2", "www-browser", "sensible-browser"):
        shims.add(name)
    chosen = ("w3m", "/usr/bin/lynx -force", "w3m:links2", "xdg-open", "sensible-browser", " : ", "/nope")
    screens = (
        {"DISPLAY": ":4711"},
        {"WAYLAND_DISPLAY": "wayland-7"},
        *({"BROWSER": each} for each in chosen),
    )

    for variables in screens:
        with pytest.raises(NoDisplay) as failure:
            Linux(env | {"WAYLAND_DISPLAY": ""} | variables).open_url(URL)
        assert URL in failure.value.hint
    assert shims.calls() == []


@pytest.mark.parametrize(
    ("chosen", "arguments"),
    [
        *(("helper.sh", [URL]), ("w3m:helper.sh", [URL]), ("'helper.sh' -n", ["-n", URL])),
        *(("helper.sh %s -x", [URL, "-x"]), ("'helper.sh' '%s' 'a b'", [URL, "a b"])),
    ],
)
def test_without_a_screen_the_helper_that_the_person_chose_is_run(chosen, arguments, env, shims):
    """So VS Code and Codespaces open addresses on the machine in front of the person."""
    shims.add("helper.sh")
    del env["WAYLAND_DISPLAY"]

    assert Linux(env | {"BROWSER": chosen}).open_url(URL) == HANDED_OVER
    assert shims.calls() == [["helper.sh", *arguments]]


@pytest.mark.parametrize("screen", ["", "wayland-0"])
@pytest.mark.parametrize(("more", "arguments"), [("", [URL]), (" %s -x", [URL, "-x"])])
def test_a_browser_with_spaces_in_its_path_is_run(screen, more, arguments, env, shims):
    shims.add("xdg-open")
    folder = shims.folder / "links of  mine"
    folder.mkdir()
    path = shims.add("helper.sh").rename(folder / "my helper.sh")

    linux = Linux(env | {"BROWSER": f"w3m:{path}{more}", "WAYLAND_DISPLAY": screen})

    assert linux.open_url(URL) == HANDED_OVER
    assert shims.calls() == [["my helper.sh", *arguments]]


CODE = "the address would become part of a command"
RUN = "https://a.example/;touch$IFS$9ran"  # what a shell would make of it


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        *(
            (chosen, CODE)
            for chosen in (
                *("bash -c 'echo %s'", "bash -c %s", "sh -ec 'firefox \"$0\"' %s", "/bin/sh -c", "bash"),
                *("env A=b dash -c %s", "busybox sh -c %s", "python3.11 -c 'print(\"%s\")'", "perl -e %s"),
                *("helper.sh --url=%s -x", "helper.sh '%s %s'", "'helper.sh %s'", "%s"),
                *("cmd.exe /c start %s", "/mnt/c/Windows/System32/CMD.EXE /c start", "open.bat"),
                *("'C\\Windows\\cmd.exe' /c start", "/home/me/open.CMD %s", "ssh desk firefox"),
                *("powershell.exe -Command Start %s", "xterm -e", "emacsclient --eval %s", "bash open.sh"),
                *("w3m:bash -c %s", "bash -c %s:helper.sh"),
            )
        ),
        *((chosen, "a quote in it is not closed") for chosen in ("helper.sh '%s", '"helper.sh')),
    ],
)
def test_a_choice_in_which_the_address_could_be_read_as_a_command_is_refused(
    chosen, why, env, shims, tmp_path
):
    for name in ("helper.sh", "xdg-open", "python3.11", "perl", "busybox", "env", "ssh", "open.bat"):
        shims.add(name)
    for name in ("bash", "sh", "dash"):
        os.symlink(f"/bin/{name}", shims.folder / name)
    refused = next(part for part in chosen.split(":") if part not in ("w3m", "helper.sh"))

    for screen in ({}, {"WAYLAND_DISPLAY": ""}):
        with pytest.raises(LaunchFailed) as failure:
            Linux(env | {"BROWSER": chosen, "HOME": str(tmp_path)} | screen).open_url(RUN)
        assert failure.value.message == f"$BROWSER (`{refused}`) was not used: {why}."
        assert failure.value.hint == "export BROWSER=firefox"
    assert shims.calls() == []
    assert not any((Path(folder) / "ran").exists() for folder in ("/", tmp_path, os.getcwd()))


@pytest.mark.parametrize("at_fault", ["program", "above"])
@pytest.mark.parametrize("chosen", ["helper.sh", "surf", ""])
def test_an_opener_that_others_can_change_is_not_started(chosen, at_fault, env, shims, tmp_path):
    """What they chose comes before the desktop's."""
    shims.add("xdg-open")
    program = shims.add(chosen or "xdg-open")
    path = {"program": program, "above": tmp_path}[at_fault]
    path.chmod(0o777)
    if chosen == "helper.sh":
        del env["WAYLAND_DISPLAY"]

    with pytest.raises(LaunchFailed) as failure:
        Linux(env | {"BROWSER": chosen}).open_url(URL)

    assert failure.value.message == (
        f"{program.name} was not started: other users of this machine can change {path}."
    )
    assert failure.value.hint == f"Check it: ls -ld {path}"
    assert shims.calls() == []
    path.chmod(0o1777 if at_fault == "above" else 0o755)  # in /tmp, a folder of one's own is one's own
    assert Linux(env | {"BROWSER": chosen}).open_url(URL) == HANDED_OVER
    assert shims.calls() == [[program.name, URL]]


def test_xdg_open_is_kept_from_text_browsers(env, shims, tmp_path):
    shims.add("xdg-open", f'echo "$BROWSER" >> {tmp_path}/browser')

    for chosen in ("w3m", "w3m:lynx", "surf", ""):
        Linux(env | {"BROWSER": chosen}).open_url(URL)

    given = [line.partition(":")[0] for line in (tmp_path / "browser").read_text().splitlines()]
    assert given == ["x-www-browser"] * 4


def test_kde_without_its_tools_is_not_believed(env, shims, tmp_path):
    """xdg-open would do nothing and report success."""
    shims.add("xdg-open", f'echo "$XDG_CURRENT_DESKTOP" >> {tmp_path}/desktop')
    kde = {"XDG_CURRENT_DESKTOP": "KDE"}

    for variables in (kde, {"KDE_FULL_SESSION": "true"}, {"XDG_CURRENT_DESKTOP": "GNOME"}):
        Linux(env | variables).open_url(URL)
    shims.add("kde-open5")
    Linux(env | kde).open_url(URL)

    assert (tmp_path / "desktop").read_text().split() == ["X-Generic", "X-Generic", "GNOME", "KDE"]
