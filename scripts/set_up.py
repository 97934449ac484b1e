"""Makes a checkout runnable with nothing but Python: its own environment, from the lock file.

set_up.py run WORDS…   set up what running takes, then run Jarvis; a plain command needs no set-up
set_up.py dev          set up what the tests take

All it has to say goes to stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
ENV_FILE = os.path.join(ROOT, ".env")
LOG = os.path.join(VENV, "set-up.log")
TEMPORARY = os.path.join(VENV, "tmp")
WRITABLE = f"Check that you may write to {ROOT}, and that its disk is not full."
KINDS = ("run", "dev")
ALONE = (["--version"], ["--help"], ["-h"])  # scripts/jarvis knows them too


class SetUpError(Exception):
    """What went wrong, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\n  hint: {hint}")


def main(kind: str, words: list[str]) -> int:
    if kind == "run":
        make_env_file()
    if is_ready(kind):
        renew_stamp(kind)
    elif kind == "run" and needs_nothing(words):
        front_door(words)
    else:
        set_up(kind)
    if kind == "run":
        os.execv(PYTHON, [PYTHON, "-P", "-m", "jarvis", *with_env_file(words)])
    return 0


def needs_nothing(words: list[str]) -> bool:
    """Whether the standard library is enough to do it."""
    sys.path.insert(0, ROOT)
    from jarvis.cli.line import command_in, request_in, without_env_file
    from jarvis.core.errors import SettingsError, UsageError
    from jarvis.language.command_grammar import parse_words
    from jarvis.launcher import parse_command

    try:
        line, env_file = without_env_file(words)
        request = request_in(line, env_file)
        if command_in(line) or request is None or request.asks_for == "chat":
            return False
        said = parse_words(" ".join(request.words))
        return bool(request.asks_for or parse_command(said, request.options, os.environ))
    except (SettingsError, UsageError):  # which it tells itself
        return True


def front_door(words: list[str]) -> None:
    """The program itself, in this process. Does not return."""
    from jarvis.__main__ import run

    sys.argv[1:] = with_env_file(words)
    run()


def make_env_file() -> None:
    """`.env` for the keys, from its example; nobody else can read it. In a read-only checkout, none."""
    with contextlib.suppress(OSError), open(f"{ENV_FILE}.example", "rb") as example:
        descriptor = os.open(ENV_FILE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(descriptor, "wb") as file:
            file.write(example.read())


def with_env_file(words: list[str]) -> list[str]:
    """Whoever may not read it, in a checkout that many share, has keys of their own."""
    return ["--env-file", ENV_FILE, *words] if words not in ALONE and os.access(ENV_FILE, os.R_OK) else words


def stamp_file(kind: str) -> str:
    """Says what was set up, where, from which lock file. It is as old as that: scripts/jarvis sees times."""
    return os.path.join(VENV, f"ready-{kind}")


def stamp(kind: str) -> bytes:
    """What the stamp says if all is ready."""
    with open(lock_file(kind), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return b"%b\n%b\n" % (os.fsencode(ROOT), digest.encode())


def is_ready(kind: str) -> bool:
    """Whether this checkout was set up, where it now lies, from this lock file, with a Python still there."""
    with contextlib.suppress(OSError), open(stamp_file(kind), "rb") as file:
        return os.access(PYTHON, os.X_OK) and file.read() == stamp(kind)
    return False


def renew_stamp(kind: str) -> None:
    """A lock file that was touched, or came back, is the same."""
    changed = os.stat(lock_file(kind)).st_mtime_ns
    with contextlib.suppress(OSError):
        os.utime(stamp_file(kind), ns=(changed, changed))


def set_up(kind: str) -> None:
    with only_one():
        if is_ready(kind):  # whoever was first has done it
            return
        say("Setting up: this is done once and takes a minute or so.")
        make_environment()
        stamps = {each: stamp(each) for each in (KINDS if kind == "dev" else (kind,))}
        install(kind)
        link_package()
        # So that whoever may not write here starts as quickly.
        compiled = [PYTHON, "-P", "-m", "compileall", "-q", os.path.join(ROOT, "jarvis")]
        work(compiled, "Could not compile Jarvis")
        for each, text in stamps.items():
            with open(stamp_file(each), "wb") as file:
                file.write(text)
            renew_stamp(each)


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Two first runs at once: one sets up, the other waits."""
    with open(os.path.join(ROOT, ".venv-lock"), "a", encoding="utf-8") as file:
        if os.name != "nt":
            import fcntl

            # A pip that outlives us, killed, holds on to it: no one may begin before it has ended.
            os.set_inheritable(file.fileno(), True)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Waiting for another set-up of this checkout to end.")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_environment() -> None:
    """A new .venv, unless the one that is there will do: one that a killed set-up left is made anew."""
    was_killed = os.path.isdir(TEMPORARY)
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        if not was_killed and subprocess.check_output(
            [PYTHON, "-P", "-m", "pip", "--version"], stderr=subprocess.DEVNULL
        ):
            return
    ours = was_killed or any(os.path.exists(stamp_file(kind)) for kind in KINDS)
    if os.path.exists(VENV) and not ours:
        old = shlex.quote(VENV)
        raise SetUpError(f"{VENV} can't be used: it has no working pip.", f"Move it away: mv {old} {old}-old")
    if importlib.util.find_spec("ensurepip") is None:
        raise SetUpError(
            "Python's venv is not installed.", "Install it, for example: apt install python3-venv"
        )
    # By its own name, python3.X: where python3 becomes another version, it is gone rather than wrong.
    python = os.path.realpath(sys.executable)
    if os.path.lexists(VENV):
        shutil.rmtree(VENV)
    # What it leaves behind if it is killed, and pip too, is to go when .venv does.
    os.makedirs(TEMPORARY)
    work([python, "-P", "-m", "venv", VENV], "Could not make .venv", TMPDIR=TEMPORARY)


def install(kind: str) -> None:
    """What the lock files name, and nothing else: nothing is resolved, so nothing newer gets in."""
    os.makedirs(TEMPORARY, exist_ok=True)
    # What a person chose for pip in general is no use in here.
    pip = [PYTHON, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    locked = [*pip, "install", "--compile", "--no-user", "--no-deps", "--require-hashes"]
    locked += ["--only-binary", ":all:"]  # so that no compiler is ever needed
    # One package comes as source only. It is built here, with what was locked for that.
    built = ["--no-binary", "google-search-results", "--no-build-isolation"]
    commands = (
        [*locked, "-r", lock_file("build")],
        [*locked, *built, "-r", lock_file(kind)],
        [*pip, "check"],
    )
    try:
        for command in commands:
            work(command, "Could not install what Jarvis needs", TMPDIR=TEMPORARY, PIP_USE_PEP517="1")
    finally:  # where it stays, the set-up was killed in the middle
        if not isinstance(sys.exception(), KeyboardInterrupt):
            shutil.rmtree(TEMPORARY, ignore_errors=True)


def lock_file(kind: str) -> str:
    return os.path.join(ROOT, "requirements", f"{kind}.lock")


def link_package() -> None:
    """Make `import jarvis` find this checkout, wherever one stands: no build, and edits count at once."""
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.check_output([PYTHON, "-c", find], text=True).strip()
    with open(os.path.join(site, "jarvis.pth"), "w", encoding="utf-8") as file:
        file.write(f"{ROOT}\n")


def work(command: list[str], failed: str, **environment: str) -> None:
    """Do one part of the set-up. Raises SetUpError with its cause and a cure; the log has the rest."""
    with subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        close_fds=False,  # it inherits the lock
    ) as program:
        said = "".join(show_progress(program.stdout or (), len(packages_in(command))))
    if program.returncode:
        with contextlib.suppress(OSError), open(LOG, "w", encoding="utf-8") as log:
            log.write(said)
        cause, cure = explain(said)
        raise SetUpError(f"{failed}: {cause}", f"{cure}\n        More is in {LOG}")


def packages_in(command: list[str]) -> list[str]:
    """The packages in the lock file that pip is given, if any."""
    lock = next((word for word in command if word.endswith(".lock")), os.devnull)
    with open(lock, encoding="utf-8") as file:
        return [line for line in file if re.match(r"[a-z].*==", line)]


def show_progress(lines: Iterable[str], total: int) -> Iterator[str]:
    """Yield *lines* of pip's. On a terminal, count the packages in them."""
    done, shows = 0, bool(total) and sys.stderr.isatty()
    for line in lines:
        done += line.startswith(("Collecting ", "Ignoring ", "Requirement already"))
        if shows:
            now = "installing" if line.startswith("Installing") else f"{done} of {total} packages"
            print(f"\r\x1b[K  {now}", end="", file=sys.stderr, flush=True)
        yield line
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


# What pip says (a pattern), what that means, and what helps. The first that fits counts.
CAUSES = (
    (r"No space left on device|Disk quota exceeded", "the disk is full.", "Make room, then run it again."),
    (
        r"connection broken by|Temporary failure in name resolution|Read timed out|Connection reset by peer",
        "the package index could not be reached.",
        "Check the network, then run it again. Behind a proxy name its certificate: PIP_CERT=FILE",
    ),
    (
        r"DO NOT MATCH THE HASHES[^\n]*\n\s*(\S+)",
        "{0} is not the file that was locked.",
        "A mirror or a proxy may have changed it: try another index, after `pip cache purge`.",
    ),
    (r"Permission denied|Read-only file system", "nothing may be written there.", WRITABLE),
)


def explain(said: str) -> tuple[str, str]:
    """The cause of a failure and its cure, from what the program *said* that failed; else its own words."""
    for pattern, cause, cure in CAUSES:
        if match := re.search(pattern, said):
            return cause.format(*match.groups()), cure
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no reason was given."]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    cure = f"See whether requirements/ was changed: git -C {shlex.quote(ROOT)} status"
    tried = f"Python 3.11, 3.12 and 3.13 were tried; this is {sys.version.split()[0]}."
    return (errors or lines)[-1], f"{cure}\n        {tried}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except (SetUpError, OSError) as error:
        told = error if isinstance(error, SetUpError) else f"Could not set up: {error}.\n  hint: {WRITABLE}"
        say(f"jarvis: {told}")
        sys.exit(78)
    except KeyboardInterrupt:
        say("jarvis: Interrupted.")
        sys.exit(130)
