"""The equipment that runs the program, tried on a stand-in: forked and cold must not differ."""

import json
import textwrap

import pytest

from tests.program import Program

pytestmark = pytest.mark.slow

STAND_IN = """
    import atexit, json, os, signal, sys, time

    def tell():
        print(json.dumps({
            "argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "zone": time.tzname[0],
            "ttys": [os.isatty(n) for n in range(3)], "leader": os.getsid(0) == os.getpid(),
            "size": list(os.get_terminal_size(0)) if os.isatty(0) else None,
            "group": os.tcgetpgrp(0) if os.isatty(0) else None, "pid": os.getpid(),
            "encoding": [sys.stdin.encoding, sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors],
            "buffered": [sys.stdout.line_buffering, sys.stderr.line_buffering],
            "signals": [str(signal.getsignal(n)) for n in (2, 13, 15, 17)],
            "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
            "open": sorted(os.listdir("/proc/self/fd"))[:-1] if sys.platform == "linux" else None,
            "safe_path": sys.flags.safe_path, "seed": os.urandom(4).hex(),
        }))

    def run():
        word = sys.argv[1] if len(sys.argv) > 1 else ""
        if word == "tell":
            tell()
        elif word == "exit":
            atexit.register(print, "bye")
            sys.exit(eval(sys.argv[2]))

    if __name__ == "__main__":
        run()
"""


@pytest.mark.parametrize(
    ("argv", "env", "tty"),
    [
        (("tell", "a b", "", "ü"), {}, True),
        (("tell", "a b", "", "ü"), {"LANG": "C"}, False),
        (("tell",), {"LC_ALL": "POSIX"}, True),
        (("tell",), {"LANG": "xx_XX", "TZ": "Asia/Tokyo"}, False),
        (("exit", "None"), {}, False),
        (("exit", "'no'"), {}, False),
        (("exit", "256 + 4"), {}, False),
    ],
    ids=str,
)
def test_a_forked_run_finds_the_same_world_as_a_cold_one_and_ends_as_it(
    tmp_path, monkeypatch, argv, env, tty
):
    monkeypatch.setenv("GOOGLE_API_KEY", "real")
    (tmp_path / "standin").mkdir()
    (tmp_path / "standin" / "__init__.py").touch()
    (tmp_path / "standin" / "__main__.py").write_text(textwrap.dedent(STAND_IN))
    program = Program(tmp_path, {"PYTHONPATH": str(tmp_path), **env}, package="standin")

    done = [program.run(*argv, tty=tty, cwd=tmp_path / "standin", cold=cold) for cold in (False, True)]

    assert len({(each.status, each.stderr) for each in done}) == 1
    forked, cold = (without_what_is_its_own(each.screen.decode() or each.stdout, tty) for each in done)
    assert forked == cold
    assert "real" not in str(cold)


def without_what_is_its_own(said, tty):
    if said.startswith("bye"):
        return said
    told = json.loads(said)
    assert told["group"] == (told["pid"] if tty else None)
    told["env"].pop("LC_CTYPE", None)  # set by an interpreter that starts under LANG=C
    return {name: value for name, value in told.items() if name not in ("pid", "group", "seed")}
