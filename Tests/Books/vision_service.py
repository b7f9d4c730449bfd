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
import json
import time

from troubled_service import TroubledHandler, serve


class Handler(TroubledHandler):
    MEMBER = "books"
    # Longer than a job is silent.
    SLOW = 2

    def answer(self, status, body, fields=()):
        with self.server.lock:
            self.server.seen.append({"status": status, "at": self.began})
        super().answer(status, body, fields)

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
        if self.is_troubled(self.next_trouble()):
            return None
        asked = json.loads(content)
        assert (asked["version"], asked["task"]) == (1, "find_books"), asked
        photo = base64.b64decode(asked["photo"]["data"], validate=True)
        books = server.books.get(hashlib.sha256(photo).hexdigest())
        if books is None:
            return self.answer(422, b'{"error": "this photo is unknown"}')
        return self.answer(200, json.dumps({"model": "told", "books": books}).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("books")
    parser.add_argument("--trouble", action="append", default=[])
    parser.add_argument("--token")
    options = parser.parse_args()
    serve(Handler, options.trouble, books=json.loads(options.books), token=options.token)


if __name__ == "__main__":
    main()
