"""Small talk with other assistants of the terminal, each as a whole process on a server that answers at once.

They are installed into a folder that is thrown away; where the package index can't be reached, that is said.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bench_times import JARVIS, RUNS, bare_times, ms, whole
from bench_twins import SMALL_TALK, Resident

PACKAGES = ("llm", "shell-gpt")
# What `llm` is told of a server that is none of OpenAI's.
MODELS = "- model_id: twin\n  model_name: twin\n  api_base: {url}/v1\n  api_key_name: twin\n"


class Answers(BaseHTTPRequestHandler):
    """Speaks as much of OpenAI's chat completions as the peers need."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        streams = bool(asked.get("stream"))
        body = self._pieces() if streams else json.dumps(self._completion("message", "Hello.")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _pieces(self) -> bytes:
        pieces = [self._completion("delta", text) for text in ("Hel", "lo.")]
        return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces).encode() + b"data: [DONE]\n\n"

    def _completion(self, field: str, text: str) -> dict[str, object]:
        choice = {"index": 0, field: {"role": "assistant", "content": text}, "finish_reason": None}
        return {"id": "x", "object": "chat.completion", "created": 0, "model": "twin", "choices": [choice]}

    def log_message(self, *_: object) -> None:
        """Nothing: the figures are what is to be read."""


@contextlib.contextmanager
def answering() -> Iterator[str]:
    """The URL of a server that answers at once."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def installed(folder: str) -> str:
    """The folder of the peers' programs; empty where they could not be installed."""
    venv.create(folder, with_pip=True)
    programs = os.path.join(folder, "bin")
    pip = [os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", *PACKAGES]
    done = subprocess.run(pip, capture_output=True, check=False)
    return "" if done.returncode else programs


def environment(home: str, url: str) -> dict[str, str]:
    with open(os.path.join(home, "extra-openai-models.yaml"), "w") as file:
        file.write(MODELS.format(url=url))
    with open(os.path.join(home, "keys.json"), "w") as file:
        json.dump({"twin": "key"}, file)
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "TERM": "dumb",
        "LLM_USER_PATH": home,
        "OPENAI_API_KEY": "key",
        "OPENAI_API_HOST": url,
        "API_BASE_URL": f"{url}/v1",
        "DEFAULT_MODEL": "twin",
        "OPENAI_USE_FUNCTIONS": "false",
        "PRETTIFY_MARKDOWN": "false",
    }


def first_word(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds until the first of it is on stdout."""
    began = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout
        assert run.stdout.read(1), f"{command[0]} said nothing"
        seconds = time.perf_counter() - began
        run.stdout.read()
    return seconds


def peers() -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        answering() as url,
        Resident() as resident,
    ):
        programs = installed(os.path.join(home, "venv"))
        if not programs:
            print("peers   not installed: the package index can't be reached", file=sys.stderr)
            return
        theirs, ours = environment(home, url), resident.environment
        sides = {
            "jarvis, warm": ([*JARVIS, SMALL_TALK], ours),
            "jarvis, one process": ([*JARVIS, SMALL_TALK], ours | {"JARVIS_BRAIN": "off"}),
            "llm": ([os.path.join(programs, "llm"), "-m", "twin", SMALL_TALK], theirs),
            "sgpt": ([os.path.join(programs, "sgpt"), "--no-cache", SMALL_TALK], theirs),
        }
        for name, (command, env) in sides.items():
            first_word(command, env)  # what is done once is done
            runs = [(*whole(command, env), first_word(command, env), *bare_times()) for _ in range(RUNS)]
            cpu, wall, memory, word, bare_cpu, bare_wall = map(statistics.median, zip(*runs, strict=True))
            ratios = f"CPU {cpu / bare_cpu:6.1f}x, wall {wall / bare_wall:6.1f}x"
            told = f"first word {word / bare_wall:6.1f}x, {memory:6.1f} MiB"
            print(f"peers   {name:<22} {ms(wall)}  {ratios}, {told}")
