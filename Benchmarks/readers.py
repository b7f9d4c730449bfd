"""A client that reads boards at a steady rate, whatever the server does meanwhile."""

import socket
import threading
import time
from typing import NamedTuple
from urllib.parse import urlsplit


class Sample(NamedTuple):
    """A board that was read: when it was due (monotonic), the seconds until it was there, its realtime."""

    due: float
    seconds: float
    fetched_at: bytes


class Reader:
    """Reads boards in a thread: one connection, one request every so often.

    A request that is due while the one before is not answered counts from the moment it was due: a
    server that stops is seen by every request it holds up.
    """

    def __init__(self, url, paths, period):
        address = urlsplit(url)
        self.connection = socket.create_connection((address.hostname, address.port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = [f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode() for path in paths]
        self.period = period
        self.samples = []
        self.is_over = False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        number, due = 0, time.monotonic()
        while not self.is_over:
            rest = due - time.monotonic()
            if rest > 0:
                time.sleep(rest)
                due = time.monotonic()
            fields = self.answer(self.requests[number % len(self.requests)])
            start = fields.find(b"x-md-rt-fetched-at: ")
            fetched_at = fields[start + 20:fields.index(b"\r", start)] if start >= 0 else b""
            self.samples.append(Sample(due, time.monotonic() - due, fetched_at))
            number += 1
            due += self.period

    def answer(self, request):
        """Sends a request and reads the answer; its head."""
        self.connection.sendall(request)
        content = b""
        while (end := content.find(b"\r\n\r\n")) < 0:
            content += self.received()
        if not content.startswith(b"HTTP/1.1 200"):
            raise SystemExit(content[:end].decode())
        start = content.index(b"Content-Length: ") + 16
        missing = int(content[start:content.index(b"\r", start)]) - (len(content) - end - 4)
        while missing > 0:
            missing -= len(self.received())
        return content[:end]

    def received(self):
        chunk = self.connection.recv(1 << 16)
        if not chunk:
            raise SystemExit("the server closed a connection")
        return chunk

    def stop(self):
        """Ends; the samples."""
        self.is_over = True
        self.thread.join()
        self.connection.close()
        return self.samples
