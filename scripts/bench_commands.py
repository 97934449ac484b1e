"""The commands that tell what is kept, and their help, each as a whole process beside a bare start."""

from __future__ import annotations

from bench_plain import home, measured
from bench_times import JARVIS, process_times

LIVED = ("open example.org", "open youtube", "alias add gh https://github.com", "policy allow open a.example")
TOLD = ("threads list", "threads show", "policy list", "alias list", "usage", "why", "brain stop")
HELPED = ("threads", "threads list", "policy list", "alias list", "usage", "why")


def commands() -> None:
    from tests.postgres import Server

    with home() as own:
        for line in LIVED:
            process_times([*JARVIS, *line.split()], own)
        for line in (*TOLD, "--version", "--help", *(f"{line} --help" for line in HELPED)):
            measured(line, line.split(), own, bench="commands")
        with Server() as server:
            on_server = own | {"DATABASE_URL": server.url(server.database())}
            process_times([*JARVIS, "open", "example.org"], on_server)
            measured("threads list, on Postgres", ["threads", "list"], on_server, bench="commands")
