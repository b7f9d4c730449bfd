"""A producer of realtime over HTTP: one publication after another, when it is asked."""

import http.server
import threading
import time
from typing import NamedTuple

from updates import START, header


# Seconds. A source whose clock is ahead of the server's is not believed, and no board would show its timestamp.
LAG = 2


class Tick(NamedTuple):
    """A publication that was fetched: its timestamp, when it was asked for and sent (monotonic)."""

    timestamp: int
    asked: float
    sent: float


class Producer:
    """Publishes the same entities under a new timestamp at every request, until it is told otherwise.

    It speaks of the service clock of a server that was started when the producer was made.
    """

    def __init__(self, publications):
        self.publications = publications
        self.which = 0
        self.alternates = False
        self.is_held = False
        self.began = time.monotonic()
        self.ticks = []
        self.changed = threading.Condition()
        producer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                producer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/feed.pb"

    def now(self):
        """The service clock, a little late rather than early, however long the server took to start."""
        return START - LAG + int(time.monotonic() - self.began)

    def answer(self, request):
        """Answers a poll: a publication, or that nothing is new."""
        asked = time.monotonic()
        with self.changed:
            is_new = not self.is_held or not self.ticks
            if is_new and self.alternates:
                self.which = 1 - self.which
            timestamp = self.now() if is_new else self.ticks[-1].timestamp
            which = self.which
        tag = f'"{timestamp}-{which}"'
        if request.headers.get("If-None-Match") == tag:
            request.send_response(304)
            request.send_header("ETag", tag)
            request.end_headers()
            return
        start, rest = header(timestamp), self.publications[which]
        request.send_response(200)
        request.send_header("ETag", tag)
        request.send_header("Content-Type", "application/x-protobuf")
        request.send_header("Content-Length", str(len(start) + len(rest)))
        request.end_headers()
        request.wfile.write(start)
        request.wfile.write(rest)
        with self.changed:
            self.ticks.append(Tick(timestamp, asked, time.monotonic()))
            self.changed.notify_all()

    def next_tick(self, longest=60):
        """Waits for the next publication to be fetched."""
        with self.changed:
            count = len(self.ticks)
            if not self.changed.wait_for(lambda: len(self.ticks) > count, longest):
                raise SystemExit(f"the server asked for no publication in {longest} s")
            return self.ticks[-1]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
