"""Makes a checkout runnable with nothing but Python: its own environment, from the lock file.

set_up.py run WORDS…   set up what running takes, then run Jarvis; a plain command needs no set-up
set_up.py dev          set up what the tests take
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
ENV_FILE = os.path.join(ROOT, ".env")


class SetUpError(Exception):
    """What went wrong, and what to do."""


def main(kind: str, words: list[str]) -> int:
    if kind == "run":
        make_env_file()
        if not is_ready("run") and (status := plainly(words)) is not None:
            return status
    if not is_ready(kind):
        with only_one():
            set_up(kind)
    if kind == "run":
        os.execv(PYTHON, [PYTHON, "-P", "-m", "jarvis", *env_option(), *words])
    return 0


def plainly(words: list[str]) -> int | None:
    """Do a plain command with nothing installed: it needs the standard library only."""
    sys.path.insert(0, ROOT)
    from jarvis.commandline import simple
    from jarvis.frontends.oneshot import plainly as quick
    from jarvis.frontends.screen import Screen

    line = simple([*env_option(), *words])
    return quick(*line, Screen()) if line else None


def is_ready(kind: str) -> bool:
    """Whether this checkout was set up, where it now lies, since its lock file last changed."""
    stamp = stamp_of(kind)
    try:
        with open(stamp, encoding="utf-8") as file:
            here = file.read().strip() == ROOT
        return here and os.stat(stamp).st_mtime > os.stat(lock_of(kind)).st_mtime
    except OSError:
        return False


def set_up(kind: str) -> None:
    if is_ready(kind):  # whoever held the lock has done it
        return
    say("Setting up: this is done once and takes a minute or so.")
    if not runs(PYTHON):
        work(
            [sys.executable, "-m", "venv", "--clear", VENV],
            "Install what venv needs: apt install python3-venv",
        )
    pip = [PYTHON, "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    # One package comes as source only; the rest may not, so that no compiler is ever needed.
    only = ["--only-binary", ":all:", "--no-binary", "google-search-results"]
    work([*pip, *only, "--require-hashes", "-r", lock_of(kind)], "Check the network, then run it again")
    link_package()
    work([PYTHON, "-m", "compileall", "-q", os.path.join(ROOT, "jarvis")], "Make the checkout writable")
    for each in ("run", "dev") if kind == "dev" else ("run",):
        with open(stamp_of(each), "w", encoding="utf-8") as file:
            file.write(f"{ROOT}\n")


def runs(python: str) -> bool:
    """Whether it is there and whole: the Python it was made from may have gone since."""
    try:
        return subprocess.call([python, "-c", ""], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def link_package() -> None:
    """Make `import jarvis` find this checkout, wherever one stands: no build, and edits count at once."""
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.check_output([PYTHON, "-c", find], text=True).strip()
    with open(os.path.join(site, "jarvis.pth"), "w", encoding="utf-8") as file:
        file.write(f"{ROOT}\n")


def make_env_file() -> None:
    """`.env` for the keys, from its example; nobody else can read it."""
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(ENV_FILE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(descriptor, "wb") as file, open(os.path.join(ROOT, ".env.example"), "rb") as example:
            file.write(example.read())


def env_option() -> list[str]:
    return ["--env-file", ENV_FILE]


def stamp_of(kind: str) -> str:
    return os.path.join(VENV, f"ready-{kind}")


def lock_of(kind: str) -> str:
    return os.path.join(ROOT, "requirements", f"{kind}.lock")


@contextlib.contextmanager
def only_one():
    """Two first runs at once: one sets up, the other waits."""
    with open(os.path.join(ROOT, ".venv-lock"), "w", encoding="utf-8") as file:
        if os.name != "nt":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def work(command: list[str], hint: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-8:])
        raise SetUpError(f"Setting up failed.\n{tail}\n  hint: {hint}")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except (SetUpError, OSError) as error:
        say(f"jarvis: {error}")
        sys.exit(78)
    except KeyboardInterrupt:
        say("jarvis: Interrupted.")
        sys.exit(130)
