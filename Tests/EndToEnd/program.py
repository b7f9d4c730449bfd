"""Runs the built program as a person would: its path is in $FRESHET."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ.get("FRESHET", "")
DAY = "2026-11-24"
NOW = "2026-11-24T07:00:00Z"
LONGEST = 120
CRASHES = {-signal.SIGSEGV, -signal.SIGILL, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGTRAP, -signal.SIGFPE}


def run(*arguments: str, timeout: float = LONGEST) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )


def sample(folder: str | Path, *options: str) -> None:
    """Writes the sample network."""
    answer = run("sample", "--date", DAY, "--out", str(folder), *options)
    assert answer.returncode == 0, answer.stderr


def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition."""
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


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
            [str(program or PROGRAM), self.command, "--data", str(data), "--port", "0", *clock,
             "--log-level", log_level, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})},
        )
        self.log: list[str] = []
        found = None
        # What the log says before the port is open comes first.
        while found is None:
            line = self.process.stdout.readline()
            assert line, f"the server did not start: {''.join(self.log)}"
            found = re.search(r"(?:Serving|Publishing) http://127\.0\.0\.1:(\d+)/", line)
            if found is None:
                self.log.append(line)
        self.port = int(found.group(1))
        self.url = f"http://127.0.0.1:{self.port}"
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
