"""Many clients of a board's stream in one thread: raw sockets, and no more reading than needed."""

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
        self.arrivals(b"event: snapshot", longest)

    def arrivals(self, mark, longest=60):
        """When each stream had an event, in order of arrival (monotonic); the time they all may take."""
        waiting = set(self.sockets)
        # An event may come in two pieces: the end of one is kept to find its name.
        tails = dict.fromkeys(waiting, b"")
        found = []
        deadline = time.monotonic() + longest
        while waiting:
            ready = self.poll.poll(max(deadline - time.monotonic(), 0))
            if not ready:
                raise SystemExit(f"{len(waiting)} of {len(self.sockets)} streams had no {mark.decode()}")
            for number, _ in ready:
                chunk = self.sockets[number].recv(1 << 16)
                if not chunk:
                    raise SystemExit("the server closed a stream")
                if number in waiting and mark in tails[number] + chunk:
                    found.append(time.monotonic())
                    waiting.remove(number)
                tails[number] = chunk[-32:]
        return found

    def close(self):
        for client in self.sockets.values():
            client.close()
        self.poll.close()
