"""A hostile client: so many connections from one address, each of which asks again as soon as it is answered.

``python3 hostile_network.py PORT ADDRESS CONNECTIONS KIND`` writes a line when all connections ask, and at the end of its input how
many answers of each status it got. It obeys nothing.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import threading
from collections import Counter
from itertools import count

KINDS = ("boards", "search", "streams", "uploads")


def question(kind: str, stop: str, number: int) -> bytes:
    """A request that makes work: no answer can be kept for it."""
    if kind == "boards":
        instant = 4 * 3_600 + number % 50_400
        clock = f"{instant // 3_600:02}:{instant // 60 % 60:02}:{instant % 60:02}"
        target = f"/api/stationboard?stop_id={stop}&limit=500&window_minutes=720&datetime=2026-11-24T{clock}Z"
    elif kind == "search":
        # Short, and found nowhere.
        letters = "".join(chr(97 + number // 26**place % 26) for place in range(4))
        target = f"/api/stops/search?q=x{letters}q"
    elif kind == "streams":
        # Each of another board.
        target = f"/api/stationboard/stream?stop_id={stop}&limit={500 - number % 200}&window_minutes={720 - number // 200 % 300}"
    else:
        content = "Title,Author\r\n" + "".join(f"Book {number} {row},Author {row}\r\n" for row in range(100))
        return (
            f"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: {len(content)}\r\n\r\n{content}"
        ).encode()
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class Connection:
    """One connection, over which request follows request."""

    def __init__(self, port: int, address: str, selector: selectors.BaseSelector):
        self.place, self.selector = (port, address), selector
        self.socket: socket.socket | None = None
        self.received = b""

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.place[0]), source_address=(self.place[1], 0))
        self.socket.setblocking(False)
        self.selector.register(self.socket, selectors.EVENT_READ, self)

    def close(self) -> None:
        if self.socket:
            self.selector.unregister(self.socket)
            self.socket.close()
        self.socket = None

    def ask(self, request: bytes) -> None:
        """Sends a request, over a new connection if need be."""
        self.received = b""
        for _ in range(2):
            try:
                if self.socket is None:
                    self.open()
                self.socket.sendall(request)
                return
            except OSError:
                self.close()

    def take(self, isStream: bool) -> int | None:
        """Takes what came; the status once the answer is complete."""
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        status = int(self.received[9:12]) if found else 0
        if not data:
            self.close()
            return status
        if not found:
            return None
        if isStream and status == 200:
            # The first event is enough; the next stream is another one.
            if b"\n\ndata:" not in body and b"event:" not in body:
                return None
            self.close()
            return status
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), None)
        if length is None:
            return status if body.endswith(b"0\r\n\r\n") else None
        if len(body) < length:
            return None
        if b"connection: close" in head.lower():
            self.close()
        return status


def main() -> None:
    port, address, connections, kind, stop = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
    ends = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ends.set()), daemon=True).start()
    selector = selectors.DefaultSelector()
    # Another attack asks for other things.
    numbers, answers = count(int.from_bytes(os.urandom(2)) * 1_000), Counter()
    for _ in range(connections):
        connection = Connection(port, address, selector)
        connection.ask(question(kind, stop, next(numbers)))
    print("asking", flush=True)
    while not ends.is_set():
        for key, _ in selector.select(0.2):
            status = key.data.take(kind == "streams")
            if status is not None:
                answers[status] += 1
                key.data.ask(question(kind, stop, next(numbers)))
    print(json.dumps(answers), flush=True)


if __name__ == "__main__":
    main()
