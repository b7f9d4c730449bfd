"""What the services that tests ask have in common: answers in JSON, and trouble on demand."""

import http.server
import threading
import time


class TroubledHandler(http.server.BaseHTTPRequestHandler):
    """Answers in JSON, or as badly as the next word of `server.trouble` says."""

    protocol_version = "HTTP/1.1"
    #: The member that an answer begins with.
    MEMBER = "docs"
    #: Seconds that a slow answer takes.
    SLOW = 3

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def next_trouble(self):
        """The word for this request, used up; empty for none."""
        with self.server.lock:
            return self.server.trouble.pop(0) if self.server.trouble else ""

    def is_troubled(self, trouble):
        """Answers as the word says; whether that was all. A slow one is answered rightly afterwards."""
        begun = b'{"' + self.MEMBER.encode() + b'"'
        if trouble == "429-later":
            self.answer(429, b"{}", [("Retry-After", "1")])
        elif trouble == "429-tomorrow":
            self.answer(429, b"{}", [("Retry-After", "86400")])
        elif trouble.isdigit():
            self.answer(int(trouble), b"{}")
        elif trouble == "garbage":
            self.answer(200, b"<html>busy</html>")
        elif trouble == "list":
            self.answer(200, begun + b': {"title": "Dune"}}')
        elif trouble == "huge":
            self.answer(200, begun + b': ["' + b"x" * (5 << 20) + b'"]}')
        elif trouble == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(begun)
            self.wfile.flush()
            self.close_connection = True
        else:
            if trouble == "slow":
                time.sleep(self.SLOW)
            return False
        return True


def serve(handler, trouble, **more):
    """Serves on a free port, which is printed, until it is ended; `more` are members of the server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.trouble = trouble
    server.seen = []
    server.lock = threading.Lock()
    for name, value in more.items():
        setattr(server, name, value)
    print(server.server_address[1], flush=True)
    server.serve_forever()
