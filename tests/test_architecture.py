"""The floors of the house, the cost of its front door, and that an action is one file."""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.events import TableShown
from jarvis.core.tables import Table
from jarvis.store.database import run_sync
from jarvis.turns.plain import plain_history
from tests.program import Program
from tests.tabled import COLUMNS, product

PACKAGE = Path(__file__).parent.parent / "jarvis"

# A folder imports lower ones only.
FLOORS = (
    ("core",),
    ("language", "config"),
    ("desktop", "search"),
    ("actions",),
    ("pages", "policy"),
    ("store",),
    ("output", "launcher"),
    ("packs",),
    ("agent",),
    ("turns",),
    ("brain",),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}

# Who alone may import what is heavy or foreign.
ONLY = {
    "langgraph": ("agent", "turns.loop"),
    "langchain_google_genai": ("agent.gemini",),
    "httpx": ("search.http",),
    "idna": ("core.urls",),
    "serpapi": ("search.serpapi",),
    "psycopg": ("store.postgres",),
    "psycopg_pool": ("store.postgres",),
    "keyring": ("config.keys",),
    "publicsuffixlist": ("search",),
    "rich": ("output.grid", "output.markdown"),
    "markdown_it": ("output.markdown", "output.transcript"),
    "prompt_toolkit": ("cli.chat_prompt", "output.dialog"),
    "PIL": ("desktop",),
    "pydantic": ("store.transfer",),
    "subprocess": ("desktop.running",),
    "readability": ("pages.extract",),
    "lxml": ("pages.extract",),
    "pypdfium2": ("pages.extract",),
    "jeepney": ("desktop.linux.wayland",),
    "rapidfuzz": ("launcher.match", "desktop.apps"),
    "typer": ("cli.app", "cli.commands", "cli.completion", "packs"),
    "tomlkit": ("cli.commands.config",),
}
FRONT_DOOR = {
    "langgraph",
    "langchain",
    "langchain_core",
    "google",
    "publicsuffixlist",
    "pydantic",
    "rich",
    "typer",
    "prompt_toolkit",
    "asyncio",
}
ALSO_SLOW = {
    "importlib.metadata",
    "subprocess",
    "urllib.parse",
    "tomllib",
    "requests",
    "PIL",
}


@functools.cache
def modules() -> dict[str, ast.Module]:
    paths = {
        path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")
    }
    return {name: ast.parse(path.read_text()) for path, name in paths.items() if name != "__init__"}


@functools.cache
def imported(name: str, tree: ast.AST) -> set[str]:
    """The modules of ours that *name* imports, dotted from the package."""
    package = name.split(".")[:-1]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = [*base, *(node.module.split(".") if node.module else [])]
            # A name may be a module of that package, or something in it.
            found |= {".".join([*target, alias.name]) for alias in node.names}
            found |= {".".join(target)} if node.module else set()
    return {target for target in found if target.split(".")[0] in FLOOR_OF}


def graph() -> dict[str, set[str]]:
    """The modules of ours that each imports, a folder's own file as well."""
    known = modules()
    targets = {name: imported(name, tree) for name, tree in known.items()}
    return {name: (each | {f"{t}.__init__" for t in each}) & set(known) for name, each in targets.items()}


@functools.cache
def foreign(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_every_module_stands_on_a_floor():
    assert {name.split(".")[0] for name in modules()} == set(FLOOR_OF)


def test_a_folder_imports_lower_ones_only():
    above = [
        f"{name} imports {target}"
        for name, tree in modules().items()
        for target in imported(name, tree)
        if target.split(".")[0] != name.split(".")[0]
        and FLOOR_OF[target.split(".")[0]] >= FLOOR_OF[name.split(".")[0]]
    ]

    assert above == []


def test_no_modules_import_each_other_in_a_circle():
    left = graph()
    while free := [name for name, targets in left.items() if not targets & set(left) - {name}]:
        for name in free:
            del left[name]

    assert left == {}


# What decides without the grammar of plain commands, whatever the words are.
WITHOUT_GRAMMAR = (
    "core.intent",
    "core.types",
    "agent.graph",
    "policy.guard",
    "search",
    "agent.retry",
    "store",
    "desktop",
    "policy.rules",
    "policy",
    "actions",
    "packs",
)
GRAMMAR = {"language.command_grammar"}
# Which command words plainly are is a question that the plain way asks, of an action's own file.
ASKED_BY_THE_PLAIN_WAY = {f"actions.{name}" for name in ("open_website", "open_file", "take_screenshot")}


def test_what_is_no_part_of_the_plain_way_does_without_its_grammar():
    """Neither by itself nor by what it imports."""
    imports, rooms = graph(), tuple(f"{room}." for room in WITHOUT_GRAMMAR)
    roots = {name for name in imports if f"{name}.".startswith(rooms)} - ASKED_BY_THE_PLAIN_WAY
    reached, new = set(), roots
    while new:
        reached |= new
        new = {target for name in new for target in imports[name]} - reached

    assert len(reached) > len(roots) > 50
    assert reached & GRAMMAR == set()


def test_a_library_is_imported_in_its_room_alone():
    found = [(library, name) for name, tree in modules().items() for library in foreign(tree) & ONLY.keys()]
    rooms = {(library, room) for library, rooms in ONLY.items() for room in rooms}

    assert {(library, name) for library, name in found if not name.startswith(ONLY[library])} == set()
    used = {
        (library, room)
        for library, room in rooms
        for at, name in found
        if at == library and name.startswith(room)
    }
    assert rooms - used == set(), "these are imported there no more"


# What starts processes besides `subprocess`, which has its room above: libraries, and functions of any.
STARTERS = {"multiprocessing", "pty", "webbrowser", "ensurepip", "venv", "runpy", "pydoc"}
STARTS = r"os\.(exec|spawn|posix_spawn|fork|system|popen|startfile).*|shutil\.which|.*\.grabclipboard"
STARTS += r"|.*\.(find_library|create_subprocess_.*|subprocess_(exec|shell)|ProcessPoolExecutor)"
ELSEWHERE = {
    ("desktop.linux.__init__", "os.posix_spawn"),  # what its only caller has by own_program
    ("desktop.clipboard", "ImageGrab.grabclipboard"),  # on Windows, where that is no program
    ("pages.extract", "os.fork"),  # no program
}


def test_every_process_is_a_program_by_the_one_way_to_find_them_or_a_python_of_ours():
    found = {
        (name, ast.unparse(node))
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and re.fullmatch(STARTS, ast.unparse(node))
    }
    programs = [node for node in modules()["desktop.running"].body if isinstance(node, ast.FunctionDef)]
    texts = {each.name: ast.unparse(each) for each in programs}
    starts = {name: text for name, text in texts.items() if re.search(r"subprocess\.|Popen\(", text)}

    assert found == ELSEWHERE
    assert starts.keys() == {"run_program", "edit", "start_python"}
    assert [name for name, text in starts.items() if "own_program(" not in text] == ["start_python"]
    assert [name for name, text in starts.items() if "cwd=_ROOT" not in text] == []
    assert [name for name, tree in modules().items() if foreign(tree) & STARTERS] == []


SLOW = FRONT_DOOR | ALSO_SLOW
# What of it a line may import. A later Typer imports pydantic on each run: allowed once that is gone.
NOTHING: set[str] = set()
SETTINGS = {"tomllib"}
COMMANDS = {"typer", *ALSO_SLOW}
TAB = {"_JARVIS_COMPLETE": "complete_bash", "COMP_WORDS": "jarvis threads sh", "COMP_CWORD": "2"}
# What a plain command has no use for besides.
OF_LISTS = {"decimal", "jarvis.core.tables", "jarvis.language.follow_ups", "jarvis.cli.app"}


@pytest.fixture
def lived_in(tmp_path):
    """The environment of a person who has settings, a name of theirs, a database elsewhere, and an app."""
    files = {
        "config/config.toml": 'model = "m"  # mine\n\n[daily]\nsearches = 9\n[packs]\non = ["shop"]\n',
        "config/.env": "GOOGLE_API_KEY='key'\n",
        "config/policy.txt": "1 allow open example.org  # added 2026-01-31\n2 deny launch Doom  # mine\n",
        "config/aliases.json": '{"ex": {"kind": "alias", "target": "https://example.org"}}',
        "user-dirs.dirs": 'XDG_PICTURES_DIR="$HOME/My \\"Pictures\\""\n',
        "bin/xdg-open": "#!/bin/sh\n",
    }
    for name in ("Calculator", "Tool Box"):
        entry = f"[Desktop Entry]\nType=Application\nName={name}\nExec=true %U\n"
        files[f"apps/applications/{name}.desktop"] = entry
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin/xdg-open").chmod(0o755)
    with socket.socket(socket.AF_UNIX) as screen:
        screen.bind(str(tmp_path / "wayland-0"))
        screen.listen()
        yield {
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
            "JARVIS_HOME": str(tmp_path),
            "HOME": str(tmp_path),
            "BROWSER": "true",
            "DATABASE_URL": "postgresql://me:password@127.0.0.1:1/jarvis",
            "XDG_CONFIG_HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path / "none"),
            "XDG_DATA_DIRS": str(tmp_path / "apps"),
            "XDG_RUNTIME_DIR": str(tmp_path),
            "WAYLAND_DISPLAY": "wayland-0",
        }


HERE = {"DATABASE_URL": ""}  # no database elsewhere
LINES = [
    *((line, NOTHING, {}) for line in ("--version", "--help")),
    *((line, COMMANDS, {}) for line in ("threads --help", "policy allow -h", "help all", "completion bash")),
    ("", COMMANDS, TAB),
    # What tells what is kept.
    *((line, COMMANDS, HERE) for line in ("threads list", "usage", "why", "config show", "keys list")),
    ("policy list", COMMANDS, HERE),
    *(
        pytest.param(line, COMMANDS, HERE, marks=pytest.mark.long)
        for line in ("threads search open", "alias list", "paths", "packs list")
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "may", "more"), LINES)
def test_what_is_answered_at_once_imports_nothing_heavy_but_its_commands(lived_in, line, may, more):
    jarvis(["open", "example.org"], lived_in | more)

    assert slow_imports(line.split(), lived_in | more) <= may


# What is plain, and what it prints.
PLAIN = {
    "open example.org": "https://example.org\n",
    "launch tool box": "Tool Box\n",
    "youtube": "https://www.youtube.com\n",
    "calculator": "Calculator\n",
    "open ex and youtube": "https://example.org\nhttps://www.youtube.com\n",
    "open /": "/\n",
    "i want to open youtube again": "https://www.youtube.com\n",
    "could you please start the calculator?": "Calculator\n",
    "-qt work example.org": "https://example.org\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("words", PLAIN)
def test_a_plain_command_imports_nothing_heavy_and_nothing_of_lists_or_groups(words, lived_in):
    assert jarvis(words.split(), lived_in).stdout == PLAIN[words]

    imported = imports_of(jarvis(words.split(), lived_in, "-X", "importtime"))
    assert imported & SLOW == SETTINGS
    assert imported & OF_LISTS == set()


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, HERE], ids=["beside a server", "here"])
def test_nor_does_one_that_opens_a_line_of_a_table_or_sorts_it(lived_in, more):
    environment = lived_in | more
    rows = product("o1", "Desk 1", "9.00"), product("o2", "Desk 2", "7.00")

    async def list_them():
        history = plain_history(read_settings(environment))
        turn = await history.begin("default", "find me a desk")
        tables = [TableShown(Table("product", COLUMNS[:2], rows), 1)]
        await history.end(turn, "done", shown=[row.id for row in rows], tables=tables)
        await history.database.close()

    run_sync(list_them())
    for words in (["open", "2"], ["cheapest first"]):
        done = jarvis(words, environment, "-X", "importtime")
        assert done.stdout.startswith("https://shop.example/o2\n" if len(words) > 1 else "1\tDesk 2")
        assert imports_of(done) & SLOW == SETTINGS


@pytest.mark.slow
def test_a_client_of_the_brain_takes_neither_history_nor_the_guard():
    """The brain has them; what is plain imports them once it is."""
    script = "import sys, jarvis.__main__, jarvis.cli.ask, jarvis.brain.client\nprint(*sys.modules)"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env=environment, capture_output=True, text=True, check=True
    )

    assert {*done.stdout.split()} & {"sqlite3", "jarvis.turns", "jarvis.policy.guard", "asyncio"} == set()


@pytest.mark.slow
def test_who_has_no_key_is_told_so_without_anything_heavy(lived_in):
    os.remove(f"{lived_in['JARVIS_HOME']}/config/.env")
    done = jarvis(["what is it about?"], lived_in, "-X", "importtime")

    assert (done.returncode, "No model key is set." in done.stderr) == (78, True)
    assert imports_of(done) & (FRONT_DOOR | {"keyring", "requests", "threading"}) == set()


def slow_imports(argv, environment):
    """What is slow of all that the program imports."""
    done = jarvis(argv, environment, "-X", "importtime")
    assert done.returncode == 0, done.stderr
    return imports_of(done) & SLOW


def imports_of(done):
    """All that a run told by -X importtime has imported."""
    told = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rsplit("|", 1)[1].strip() for line in told}
    assert {"jarvis.__main__", "jarvis"} & names
    return names


def jarvis(argv, environment, *options):
    command = [sys.executable, "-P", *options, "-m", "jarvis", *argv]
    environment = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_page_lists_the_folders_from_the_highest():
    page = (PACKAGE.parent / "ARCHITECTURE.md").read_text()
    block = page.split("## The folders")[1].split("```text\n")[1].split("```")[0]

    listed = [line.split()[0] for line in block.splitlines()]
    assert listed[::-1] == [name for floor in FLOORS for name in floor if name != "__main__"]


NEW_ACTION = '''
"""Write a note into a notebook beside the person's pictures."""

from __future__ import annotations

from .base import Field, DesktopAction, Want
from ..core.types import Effect, Outcome


class WriteNote(DesktopAction):
    name = "write_note"
    description = "keep a short note; `note` is its text, `topic` what it is about."
    fields = (Field("note", "the text to keep"), Field("topic", "what it is about"))
    wants = (Want("note", "keep a short note"),)
    effect = "writes"

    def resolve(self, arguments, facts):
        return Effect("writes", str(arguments["note"]), {"topic": str(arguments["topic"])})

    def plain(self, words):
        return {"note": words.as_typed[5:], "topic": "chores"} if words.as_typed.startswith("note ") else None

    def perform(self, effect, platform):
        topic = effect.arguments["topic"]
        with open(platform.pictures() + ".txt", "a") as file:
            file.write(f"{topic}: {effect.target}\\n")
        return Outcome("done", f"Noted on {topic}: {effect.target}", value=effect.target)


ACTION = WriteNote()
'''


@pytest.mark.slow
def test_an_action_is_added_as_one_new_file(tmp_path, gemini):
    """And is then read, planned, asked about, performed, told, and understood as a plain command."""
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    (tmp_path / "copy" / "jarvis" / "actions" / "write_note.py").write_text(NEW_ACTION)
    said = {"action": "write_note", "topic": "chores", "finish": True}
    gemini.plans({**said, "note": "water plants"}, {**said, "note": "sweep"})
    gemini.reading = "note"
    environment = {"GOOGLE_GEMINI_BASE_URL": gemini.url, "GOOGLE_API_KEY": "key-of-the-tests"}
    program = Program(tmp_path, environment, package_root=tmp_path / "copy")

    plain = program.run("note", "call mum")
    asked = program.run("remember to water the plants, too", timeout=60)
    late = program.run("--answer", asked.stderr.rpartition("--answer ")[2].split()[0], timeout=60)
    why = program.run("why")
    allowed = program.run("policy", "allow", "write_note")
    unasked = program.run("--json", "remember to sweep", timeout=60)

    assert plain.stdout == "call mum\n"
    assert (asked.status, late.status, late.stdout) == (3, 0, "water plants\n")
    assert "write note water plants" in why.stdout.lower()
    assert allowed.status == 0, allowed.stderr
    assert json.loads(unasked.stdout)["reply"] == "Noted on chores: sweep"
    assert json.loads(unasked.stdout)["intent"] == ["note"]
    assert {"write_note"} <= set(gemini.requests[0].enum("action"))
    assert "- write_note: keep a short note" in gemini.requests[0].system
    lines = (tmp_path / "Pictures.txt").read_text().splitlines()
    assert lines == [f"chores: {note}" for note in ("call mum", "water plants", "sweep")]
