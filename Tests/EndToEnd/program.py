"""Runs the built program as a person would: its path is in $FRESHET."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

PROGRAM = os.environ.get("FRESHET", "")
DAY = "2026-11-24"
NOW = "2026-11-24T07:00:00Z"
LONGEST = 120


def run(*arguments: str, timeout: float = LONGEST) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )


def sample(folder: str | Path, *options: str) -> None:
    """Writes the sample network."""
    answer = run("sample", "--date", DAY, "--out", str(folder), *options)
    assert answer.returncode == 0, answer.stderr


class Server:
    """The program serving a data folder on a free port."""

    def __init__(self, data: str | Path, *options: str, now: str = NOW):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--data", str(data), "--port", "0", "--now", now,
             "--log-level", "error", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, f"the server did not start: {line}{self.process.stdout.read()}"
        self.port = int(found.group(1))
        self.url = f"http://127.0.0.1:{self.port}"
        self.log: list[str] = []
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
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.drain.join(timeout=30)
        self.process.stdout.close()


class Feed:
    """The simulated producer."""

    def __init__(self, data, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "feed", "--data", str(data), "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/trip-updates", line)
        assert found, f"the feed did not start: {line}"
        self.url = found.group(1)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Folder:
    """A temporary folder."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="freshet-test-"))

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
