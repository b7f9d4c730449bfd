#!/usr/bin/env python3
"""Answers like a service with a vision model, from a list of books, with trouble on demand; for tests.

usage: vision_service.py BOOKS [--trouble WORD]… [--token TOKEN]

BOOKS is JSON: for each photo, by the SHA-256 of its bytes, the list of books to answer with. Prints its port. Each WORD is
used up by one request, in order: 503, 429, 429-later (Retry-After: 1), 429-tomorrow, 400, garbage, list (an answer without
a list), cut, slow, huge; after the last one everything is answered. GET /requests gives the status of each answer so far
and when it was asked for, in seconds.
"""

import argparse
import base64
import hashlib
import http.server
import json
import threading
import time

SLOW = 2
"""Seconds that a slow answer takes: longer than a job is silent."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, fields=()):
        with self.server.lock:
            self.server.seen.append({"status": status, "at": self.began})
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.began = time.monotonic()
        with self.server.lock:
            seen = json.dumps(self.server.seen).encode()
        self.answer(200, seen)

    def do_POST(self):
        self.began = time.monotonic()
        server = self.server
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if server.token and self.headers["Authorization"] != f"Bearer {server.token}":
            return self.answer(401, b"{}")
        with server.lock:
            trouble = server.trouble.pop(0) if server.trouble else ""
        if trouble == "429-later":
            return self.answer(429, b"{}", [("Retry-After", "1")])
        if trouble == "429-tomorrow":
            return self.answer(429, b"{}", [("Retry-After", "86400")])
        if trouble.isdigit():
            return self.answer(int(trouble), b"{}")
        if trouble == "garbage":
            return self.answer(200, b"<html>busy</html>")
        if trouble == "list":
            return self.answer(200, b'{"books": {"title": "Dune"}}')
        if trouble == "huge":
            return self.answer(200, b'{"books": ["' + b"x" * (5 << 20) + b'"]}')
        if trouble == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"books"')
            self.wfile.flush()
            self.close_connection = True
            return None
        if trouble == "slow":
            time.sleep(SLOW)
        asked = json.loads(content)
        assert (asked["version"], asked["task"]) == (1, "find_books"), asked
        photo = base64.b64decode(asked["photo"]["data"], validate=True)
        books = server.books.get(hashlib.sha256(photo).hexdigest())
        if books is None:
            return self.answer(422, b'{"error": "nobody told me of this photo"}')
        return self.answer(200, json.dumps({"model": "told", "books": books}).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("books")
    parser.add_argument("--trouble", action="append", default=[])
    parser.add_argument("--token")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.books = json.loads(options.books)
    server.trouble = options.trouble
    server.token = options.token
    server.seen = []
    server.lock = threading.Lock()
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
