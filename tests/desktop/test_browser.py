from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jarvis.actions.base import HANDED_OVER, RUNNING
from jarvis.core.errors import BadTarget, LaunchFailed, NoDisplay, NoHandler
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.screen import running

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)"


def test_an_address_reaches_xdg_open_whole_and_as_one_argument(env, shims):
    shims.add("xdg-open")

    assert Linux(env).open_url(URL) == HANDED_OVER
    assert shims.calls() == [["xdg-open", URL]]


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "--help",
        "-o",
        "example.org",
        "https://",
        "https:///path",
        "https://a b",
        "https://example.org/\n--new",
        "ftp://example.org",
        "",
    ],
)
def test_only_web_addresses_are_opened(target, env, shims):
    shims.add("xdg-open")

    with pytest.raises(BadTarget):
        Linux(env).open_url(target)
    assert shims.calls() == []


@pytest.mark.parametrize(("status", "error"), [(3, NoHandler), (4, LaunchFailed), (1, LaunchFailed)])
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


@pytest.mark.parametrize(
    "gone", [{}, {"DISPLAY": ":4711"}, {"WAYLAND_DISPLAY": "wayland-7"}, {"DISPLAY": ":x"}]
)
def test_without_a_screen_nothing_is_started_and_the_address_is_shown(gone, env, shims):
    for name in ("xdg-open", "w3m", "www-browser"):
        shims.add(name)
    del env["WAYLAND_DISPLAY"]
    gone = {name: value for name, value in gone.items() if value != ":x"}

    with pytest.raises(NoDisplay) as failure:
        Linux(env | gone).open_url(URL)

    assert URL in failure.value.hint
    assert shims.calls() == []


@pytest.mark.parametrize(
    "chosen", ["w3m", "/usr/bin/lynx -force", "w3m:links2", "xdg-open", "sensible-browser", " : "]
)
def test_without_a_screen_a_text_browser_never_gets_the_terminal(chosen, env, shims):
    for name in ("w3m", "links2", "xdg-open", "sensible-browser"):
        shims.add(name)
    del env["WAYLAND_DISPLAY"]

    with pytest.raises(NoDisplay):
        Linux(env | {"BROWSER": chosen}).open_url(URL)
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


CODE = "the address would become part of a command"
RUN = "https://a.example/;touch$IFS$9ran"  # what a shell would make of it


@pytest.mark.parametrize("screen", [True, False])
@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        *(("bash -c 'echo %s'", CODE), ("bash -c %s", CODE), ("sh -ec 'firefox \"$0\"' %s", CODE)),
        *(("/bin/sh -c", CODE), ("env A=b dash -c %s", CODE), ("bash", CODE), ("busybox sh -c %s", CODE)),
        *(("python3.11 -c 'print(\"%s\")'", CODE), ("perl -e %s", CODE), ("node --eval %s", CODE)),
        *(
            ("helper.sh --url=%s -x", CODE),
            ("helper.sh '%s %s'", CODE),
            ("'helper.sh %s'", CODE),
            ("%s", CODE),
        ),
        *(("cmd.exe /c start %s", CODE), ("/mnt/c/Windows/System32/CMD.EXE /c start", CODE)),
        *(("'C\\Windows\\cmd.exe' /c start", CODE), ("open.bat", CODE), ("/home/me/open.CMD %s", CODE)),
        *(
            ("powershell.exe -Command Start %s", CODE),
            ("ssh desk firefox", CODE),
            ("deno run %s", CODE),
            *(("xterm -e", CODE), ("gnome-terminal -x %s", CODE), ("emacsclient --eval %s", CODE)),
            ("swaymsg exec %s", CODE),
        ),
        *(("helper.sh '%s", "a quote in it is not closed"), ('"helper.sh', "a quote in it is not closed")),
        *(("w3m:bash -c %s", CODE), ("bash -c %s:helper.sh", CODE)),
    ],
)
def test_a_choice_in_which_the_address_could_be_read_as_a_command_is_refused(
    chosen, why, screen, env, shims, tmp_path
):
    for name in ("helper.sh", "xdg-open", "python3.11", "perl", "node", "busybox", "env", "ssh", "open.bat"):
        shims.add(name)
    for name in ("bash", "sh", "dash"):
        os.symlink(f"/bin/{name}", shims.folder / name)
    if not screen:
        del env["WAYLAND_DISPLAY"]

    with pytest.raises(LaunchFailed) as failure:
        Linux(env | {"BROWSER": chosen, "HOME": str(tmp_path)}).open_url(RUN)

    refused = next(part for part in chosen.split(":") if part not in ("w3m", "helper.sh"))
    assert failure.value.message == f"$BROWSER (`{refused}`) was not used: {why}."
    assert failure.value.hint == "export BROWSER=firefox"
    assert shims.calls() == []
    assert not any((Path(folder) / "ran").exists() for folder in ("/", tmp_path, os.getcwd()))


@pytest.mark.parametrize("chosen", ["bash open.sh", "python3 open.py %s", "env A=b helper.sh"])
def test_a_file_of_the_persons_own_may_be_run_by_what_it_is_written_for(chosen, env, shims):
    for name in ("bash", "python3", "env", "xdg-open"):
        shims.add(name)

    assert Linux(env | {"BROWSER": chosen}).open_url(RUN) == HANDED_OVER
    assert shims.calls() == [["xdg-open", RUN]]


@pytest.mark.parametrize("at_fault", ["program", "folder", "above", "in tmp"])
@pytest.mark.parametrize("chosen", ["helper.sh", ""])
def test_an_opener_that_others_can_change_is_not_started(chosen, at_fault, env, shims, tmp_path):
    program = shims.add(chosen or "xdg-open")
    path = {"program": program, "above": tmp_path}.get(at_fault, program.parent)
    path.chmod(0o1777 if at_fault == "in tmp" else 0o777)
    if chosen:
        del env["WAYLAND_DISPLAY"]

    with pytest.raises(LaunchFailed) as failure:
        Linux(env | {"BROWSER": chosen}).open_url(URL)

    assert failure.value.message == (
        f"{program.name} was not started: other users of this machine can change {path}."
    )
    move = f"mkdir -p ~/.local/bin && mv {program} ~/.local/bin/"
    assert failure.value.hint == (move if at_fault == "in tmp" else f"chmod go-w {path}")
    assert shims.calls() == []
    path.chmod(0o755)
    assert Linux(env | {"BROWSER": chosen}).open_url(URL) == HANDED_OVER


def test_a_choice_that_xdg_open_would_run_is_looked_at_too(env, shims, tmp_path):
    shims.add("xdg-open")
    shims.add("surf").chmod(0o777)

    with pytest.raises(LaunchFailed, match="surf was not started: other users"):
        Linux(env | {"BROWSER": "surf"}).open_url(URL)
    assert shims.calls() == []


def test_a_link_to_an_opener_is_followed_through_every_folder_it_passes(env, shims, tmp_path):
    """As x-www-browser leads by /etc/alternatives to a browser."""
    real = shims.add("real")
    (tmp_path / "alternatives").mkdir()
    (tmp_path / "alternatives/www").symlink_to("../bin/real")
    (shims.folder / "www").symlink_to(tmp_path / "alternatives/www")
    del env["WAYLAND_DISPLAY"]
    linux = Linux(env | {"BROWSER": "www"})

    assert linux.open_url(URL) == HANDED_OVER
    (tmp_path / "alternatives").chmod(0o777)
    with pytest.raises(LaunchFailed, match=f"can change {tmp_path}/alternatives"):
        linux.open_url(URL)
    (tmp_path / "alternatives").chmod(0o755)
    real.chmod(0o757)
    with pytest.raises(LaunchFailed, match=f"can change {real}"):
        linux.open_url(URL)
    assert len(shims.calls()) == 1


def test_in_tmp_a_folder_of_ones_own_is_ones_own(env, shims, tmp_path):
    shims.add("xdg-open")
    tmp_path.chmod(0o1777)

    assert Linux(env).open_url(URL) == HANDED_OVER


if os.getuid() == 0:  # nobody else can give a file away

    @pytest.mark.parametrize("at_fault", ["program", "folder", "above", "link"])
    def test_an_opener_of_another_user_is_not_started(at_fault, env, shims, tmp_path):
        real = shims.add("real")
        link = shims.folder / "xdg-open"
        link.symlink_to("real")
        path = {"program": real, "folder": shims.folder, "above": tmp_path, "link": link}[at_fault]
        os.chown(path, 65534, 65534, follow_symlinks=False)

        with pytest.raises(LaunchFailed, match=f"{path} belongs to another user of this machine") as failure:
            Linux(env).open_url(URL)
        assert failure.value.hint == f"Look at it, then: sudo chown $(id -u) {path}"
        assert shims.calls() == []


def test_without_a_screen_a_helper_that_is_not_there_is_named(env):
    del env["WAYLAND_DISPLAY"]

    with pytest.raises(NoDisplay, match=r"no screen in this session, and \$BROWSER \(/nope\) is not"):
        Linux(env | {"BROWSER": "/nope"}).open_url(URL)


def test_a_helper_that_fails_is_a_failure(env, shims):
    shims.add("helper.sh", "exit 3")
    del env["WAYLAND_DISPLAY"]

    with pytest.raises(LaunchFailed):
        Linux(env | {"BROWSER": "helper.sh"}).open_url(URL)
    assert shims.calls() == [["helper.sh", URL]]


@pytest.mark.parametrize(
    ("chosen", "given"),
    [("w3m", "x-www-browser:firefox:"), ("w3m:surf", "surf\n"), ("surf", "surf\n"), ("", "x-www")],
)
def test_xdg_open_is_kept_from_text_browsers(chosen, given, env, shims, tmp_path):
    shims.add("xdg-open", f'echo "$BROWSER" > {tmp_path}/browser')

    Linux(env | {"BROWSER": chosen}).open_url(URL)

    assert (tmp_path / "browser").read_text().startswith(given)


@pytest.mark.parametrize(
    ("variables", "tool", "given"),
    [
        ({"XDG_CURRENT_DESKTOP": "KDE"}, None, "X-Generic"),
        ({"KDE_FULL_SESSION": "true"}, None, "X-Generic"),
        ({"XDG_CURRENT_DESKTOP": "KDE"}, "kde-open5", "KDE"),
        ({"XDG_CURRENT_DESKTOP": "GNOME"}, None, "GNOME"),
    ],
)
def test_kde_without_its_tools_is_not_believed(variables, tool, given, env, shims, tmp_path):
    """xdg-open would do nothing and report success."""
    shims.add("xdg-open", f'echo "$XDG_CURRENT_DESKTOP" > {tmp_path}/desktop')
    if tool:
        shims.add(tool)

    Linux(env | variables).open_url(URL)

    assert (tmp_path / "desktop").read_text() == f"{given}\n"
