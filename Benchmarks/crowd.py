"""A client that asks a server for its most expensive responses, over many connections at once."""

import functools
import os
import random
import subprocess
import threading
import urllib.parse
from pathlib import Path
from typing import Callable

from stand import HERE, WORK

CONNECTIONS = 64
#: Another client than the one that is measured, which asks from 127.0.0.1.
ADDRESS = "127.0.0.2"
LETTERS = "bcdfghjklmnpqrstvwxz"
#: Requests that are made before; after the last one, the first comes again.
PATHS = 50_000


def misses(rng: random.Random, _ids: list[str]) -> str:
    """A search that finds nothing, another one each time."""
    word = "".join(rng.choices(LETTERS, k=3) + rng.choices("jqxz", k=2))
    return f"/api/stops/search?limit=50&q={word}"


def errors(rng: random.Random, _ids: list[str]) -> str:
    """A search for a short word that may be misspelled."""
    return "/api/stops/search?limit=50&q=" + "".join(rng.choices("aeiourstlnmgb", k=5))


def sentences(rng: random.Random, _ids: list[str]) -> str:
    """A search for many words."""
    words = ["".join(rng.choices("aeioulmnrst", k=4)) for _ in range(20)]
    return "/api/stops/search?limit=50&q=" + urllib.parse.quote(" ".join(words))


def boards(rng: random.Random, ids: list[str]) -> str:
    """A long board that was never requested before."""
    window = rng.randint(300, 720)
    return f"/api/stationboard?limit=60&window_minutes={window}&debug=1&stop_id={rng.choice(ids)}"


def places(rng: random.Random, _ids: list[str]) -> str:
    """Stops around a place."""
    return f"/api/stops/nearby?limit=50&lat={46 + 1.5 * rng.random()}&lon={6.5 + 2 * rng.random()}"


def ordinary(rng: random.Random, ids: list[str]) -> str:
    """A board as pages ask for it: what as many connections do that want nothing expensive."""
    return f"/api/stationboard?limit=20&stop_id={rng.choice(ids)}"


KINDS: list[Callable[[random.Random, list[str]], str]] = [misses, errors, sentences, boards, places]


class Crowd:
    """Asks without a pause, over all connections, for as long as it lasts.

    The program that asks is one of C, and runs when nothing else does: what it computes takes no processor from the
    server. Python took as long to ask as the server to answer.
    """

    def __init__(self, url: str, kind: Callable[[random.Random, list[str]], str], ids: list[str]):
        rng = random.Random(1)
        self.paths = WORK / "crowd-paths"
        self.paths.write_text("".join(kind(rng, ids) + "\n" for _ in range(PATHS)))
        self.port = url.rpartition(":")[2]
        self.answers = 0
        self.begun = threading.Event()

    def __enter__(self) -> "Crowd":
        with self.paths.open() as paths:
            self.process = subprocess.Popen(
                [_program(), self.port, ADDRESS, str(CONNECTIONS)], stdin=paths, stdout=subprocess.PIPE, text=True,
                preexec_fn=lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        assert self.begun.wait(60), "the crowd gets no answers"
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.poll() is None, "the crowd ended"
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.answers = int(line)
            if self.answers >= CONNECTIONS:
                self.begun.set()


@functools.cache
def _program() -> Path:
    """The program that asks, compiled."""
    program = WORK / "crowd"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "crowd.c"], check=True)
    return program
