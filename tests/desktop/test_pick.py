from __future__ import annotations

import pytest

from jarvis.desktop import pick

WSL = {"WSL_DISTRO_NAME": "Debian"}
WSL_KERNEL = "5.15.153.1-microsoft-standard-WSL2\n"


@pytest.mark.parametrize(
    ("env", "platform", "kernel", "picked"),
    [
        ({}, "linux", "6.1.0-23-amd64", "linux"),
        (WSL, "linux", WSL_KERNEL, "wsl"),
        ({"WSL_INTEROP": "/run/WSL/8_interop"}, "linux", "4.4.0-19041-Microsoft", "wsl"),
        (WSL, "linux", "6.1.0-23-amd64", "linux"),
        ({"WSL_DISTRO_NAME": ""}, "linux", WSL_KERNEL, "linux"),
        ({}, "darwin", "", "macos"),
        (WSL, "darwin", "", "macos"),
        ({}, "win32", "", "windows"),
        (WSL, "win32", WSL_KERNEL, "windows"),
        ({}, "freebsd14", "", ""),
    ],
)
def test_each_session_has_its_desktop(env, platform, kernel, picked):
    assert pick(env, platform, kernel) == picked
