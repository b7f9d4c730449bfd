"""Runs the built programs as a person would: $FRESHET is the path of freshet; freshet-lab is $FRESHET_LAB, or beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ.get("FRESHET", "")
LAB = os.environ.get("FRESHET_LAB") or str(Path(PROGRAM).with_name("freshet-lab"))
#: The commands of freshet-lab; all others are of freshet.
LAB_COMMANDS = {"agent-sim", "compat", "crowd", "feed", "record", "report", "sample", "simulate"}
DAY = "2026-11-24"
NOW = "2026-11-24T07:00:00Z"
LONGEST = 120
CRASHES = {-signal.SIGSEGV, -signal.SIGILL, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGTRAP, -signal.SIGFPE}


def program_of(command: str) -> str:
    """The program that has a command."""
    return LAB if command in LAB_COMMANDS else PROGRAM


def run(*arguments: str, timeout: float = LONGEST, cwd: str | Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the program that has a command to its end."""
    return subprocess.run(
        [program_of(arguments[0] if arguments else ""), *arguments], capture_output=True, text=True, timeout=timeout, check=False, cwd=cwd,
    )


def limited(most: int, *arguments: str | Path) -> list[str | Path]:
    """The command line of the program with a limit on the bytes of a file, where a write fails as on a full disk.

    Beside other threads nothing of Python may run between fork and exec (``preexec_fn``), so it sets the limit first.
    """
    before = (
        "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); os.execv(sys.argv[1], sys.argv[1:])"
    )
    return [sys.executable, "-c", before, PROGRAM, *arguments]


def sample(folder: str | Path, *options: str) -> None:
    """Writes the sample network."""
    answer = run("sample", "--date", DAY, "--out", str(folder), *options)
    assert answer.returncode == 0, answer.stderr


def once(make: Callable):
    """Makes something at its first use, and only once for all threads."""
    made: list = []
    guard = threading.Lock()

    def get():
        with guard:
            if not made:
                made.append(make())
            return made[0]

    return get


def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition; looks less often when it takes long, since most conditions ask a server."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < LONGEST, "it never came"
        time.sleep(0.05 if waited < 1 else 0.1)


class Server:
    """The program serving a data folder on a free port."""

    command = "serve"

    def __init__(
        self, data: str | Path, *options: str, now: str | None = NOW, log_level: str = "error",
        program: str | Path | None = None, environment: dict[str, str] | None = None,
    ):
        """`program`: what is started instead of the program; `environment`: what it has beside that of the tests."""
        clock = [] if now is None else ["--now", now]
        self.process = subprocess.Popen(
            [str(program or program_of(self.command)), self.command, "--data", str(data), "--port", "0", *clock,
             "--log-level", log_level, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})},
        )
        self.log: list[str] = []
        found = None
        # What the log says before the port is open comes first.
        while found is None:
            line = self.process.stdout.readline()
            assert line, f"the server did not start: {''.join(self.log)}"
            found = re.search(r"(?:Serving|Publishing) (https?)://127\.0\.0\.1:(\d+)/", line)
            if found is None:
                self.log.append(line)
        self.port = int(found.group(2))
        self.url = f"{found.group(1)}://127.0.0.1:{self.port}"
        self.drain = threading.Thread(target=self._drain, daemon=True)
        self.drain.start()

    def _drain(self) -> None:
        for line in self.process.stdout:
            self.log.append(line)

    def get(self, path: str) -> tuple[int, dict]:
        """Status and JSON body of an answer."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def stop(self) -> int:
        """Asks the server to end and waits for it."""
        self.process.terminate()
        code = self.process.wait(timeout=30)
        self.drain.join(timeout=30)
        self.process.stdout.close()
        return code

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        code = self.process.poll()
        if code is None:
            self.process.kill()
            self.process.wait()
        self.drain.join(timeout=30)
        self.process.stdout.close()
        assert code not in CRASHES, f"the server ended with {signal.Signals(-code).name}: {''.join(self.log)}"


class Producer(Server):
    """The program publishing a simulated feed on a free port."""

    command = "feed"


class Folder:
    """A temporary folder."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="freshet-test-"))

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
