"""Many clients of a board's stream in one thread: raw sockets, and no more reading than needed."""

import re
import select
import socket
import time
from urllib.parse import urlsplit


class Subscribers:
    """Open streams of boards."""

    def __init__(self, url, paths, longest=60):
        address = urlsplit(url)
        self.poll = select.epoll()
        self.sockets = {}
        for path in paths:
            client = socket.create_connection((address.hostname, address.port))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            client.setblocking(False)
            self.sockets[client.fileno()] = client
            self.poll.register(client.fileno(), select.EPOLLIN)
        self.arrivals("event: snapshot", longest)

    def drain(self):
        """Reads away what has arrived."""
        while ready := self.poll.poll(0.1):
            for number, _ in ready:
                self.sockets[number].recv(1 << 16)

    def arrivals(self, pattern, longest=60):
        """When each stream had an event that matches, in order of arrival (monotonic)."""
        found_in = re.compile(pattern.encode()).search
        waiting = set(self.sockets)
        # An event may come in two pieces: the end of one is kept to look at it whole.
        tails = dict.fromkeys(waiting, b"")
        found = []
        deadline = time.monotonic() + longest
        while waiting:
            ready = self.poll.poll(max(deadline - time.monotonic(), 0))
            if not ready:
                raise SystemExit(f"{len(waiting)} of {len(self.sockets)} streams had no {pattern}")
            for number, _ in ready:
                chunk = self.sockets[number].recv(1 << 16)
                if not chunk:
                    raise SystemExit("the server closed a stream")
                if number in waiting and found_in(tails[number] + chunk):
                    found.append(time.monotonic())
                    waiting.remove(number)
                tails[number] = chunk[-64:]
        return found

    def close(self):
        for client in self.sockets.values():
            client.close()
        self.poll.close()
