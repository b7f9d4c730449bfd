"""A client that asks a server for the dearest things it has, over many connections at a time."""

import multiprocessing
import os
import random
import re
import selectors
import socket
import time
import urllib.parse
from typing import Callable

CONNECTIONS = 64
#: Another client than the one that is measured, which asks from 127.0.0.1.
ADDRESS = "127.0.0.2"
LETTERS = "bcdfghjklmnpqrstvwxz"


def misses(chance: random.Random, _ids: list[str]) -> str:
    """A search that finds nothing, another one each time."""
    word = "".join(chance.choices(LETTERS, k=chance.randint(2, 3))) + "qx"
    return f"/api/stops/search?limit=50&q={word}"


def errors(chance: random.Random, _ids: list[str]) -> str:
    """A search for a short word that may be misspelled."""
    return "/api/stops/search?limit=50&q=" + "".join(chance.choices("aeiourstlnmgb", k=5))


def sentences(chance: random.Random, _ids: list[str]) -> str:
    """A search for many words."""
    words = ["".join(chance.choices("aeioulmnrst", k=4)) for _ in range(20)]
    return "/api/stops/search?limit=50&q=" + urllib.parse.quote(" ".join(words))


def boards(chance: random.Random, ids: list[str]) -> str:
    """A long board that nobody has asked for before."""
    window = chance.randint(300, 720)
    return f"/api/stationboard?limit=60&window_minutes={window}&debug=1&stop_id={chance.choice(ids)}"


def places(chance: random.Random, _ids: list[str]) -> str:
    """Stops around a place."""
    return f"/api/stops/nearby?limit=50&lat={46 + 1.5 * chance.random()}&lon={6.5 + 2 * chance.random()}"


KINDS: list[Callable[[random.Random, list[str]], str]] = [misses, errors, sentences, boards, places]


class Crowd:
    """Asks without a pause, over all connections, for as long as it lasts."""

    def __init__(self, url: str, kind: Callable[[random.Random, list[str]], str], ids: list[str]):
        self.answers = multiprocessing.Value("q", 0)
        arguments = (int(url.rpartition(":")[2]), kind, ids, self.answers)
        self.process = multiprocessing.Process(target=_ask, args=arguments, daemon=True)

    def __enter__(self) -> "Crowd":
        self.process.start()
        deadline = time.monotonic() + 60
        while self.answers.value < CONNECTIONS and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.answers.value >= CONNECTIONS, "the crowd gets no answers"
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()


def _ask(port: int, kind: Callable[[random.Random, list[str]], str], ids: list[str], answers) -> None:
    # What is measured is the server: what the crowd itself computes takes no processor from it.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    chance = random.Random(1)
    selector = selectors.DefaultSelector()

    def ask(peer: socket.socket) -> None:
        peer.sendall(f"GET {kind(chance, ids)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    for _ in range(CONNECTIONS):
        peer = socket.create_connection(("127.0.0.1", port), source_address=(ADDRESS, 0))
        selector.register(peer, selectors.EVENT_READ, bytearray())
        ask(peer)
    while True:
        for key, _ in selector.select():
            piece = key.fileobj.recv(1 << 18)
            assert piece, "the server closed a connection"
            key.data.extend(piece)
            end = key.data.find(b"\r\n\r\n")
            length = re.search(rb"\r\ncontent-length: (\d+)", key.data[:max(end, 0)], re.IGNORECASE)
            if length and len(key.data) >= end + 4 + int(length.group(1)):
                key.data.clear()
                answers.value += 1
                ask(key.fileobj)
