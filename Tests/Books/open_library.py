#!/usr/bin/env python3
"""Answers like Open Library's search, from a list of books, with trouble on demand; for tests.

usage: open_library.py [--trouble WORD]…

Prints its port. Each WORD is used up by one request, in order: 503, 429, 429-later (Retry-After: 1), 500, 404, garbage,
cut, slow, huge; after the last one everything is answered. GET /requests gives the paths so far.
"""

import argparse
import json
import urllib.parse

from troubled_service import TroubledHandler, serve

BOOKS = [
    {"key": "/works/OL1W", "title": "Dune", "author_name": ["Frank Herbert"], "first_publish_year": 1965,
     "isbn": ["bad", "9780441013593"], "publisher": ["Ace"], "language": ["eng"], "number_of_pages_median": 604,
     "cover_i": 11, "subject": ["Science fiction"]},
    {"key": "/works/OL2W", "title": "Dune Messiah", "author_name": ["Frank Herbert"], "isbn": ["9780593098233"]},
    {"key": "/works/OL3W", "title": "Les Misérables", "author_name": ["Victor Hugo"], "isbn": ["9780451419439"]},
    {"key": "/works/OL4W", "author_name": ["No Title"]},
]


class Handler(TroubledHandler):
    def do_GET(self):
        server = self.server
        if self.path == "/requests":
            return self.answer(200, json.dumps(server.seen).encode())
        with server.lock:
            server.seen.append(self.path)
        if self.is_troubled(self.next_trouble()):
            return None
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        docs = []
        for book in BOOKS:
            title = book.get("title", "").lower()
            words = " ".join([title, *book["author_name"]]).lower()
            if "isbn" in query and query["isbn"][0] not in book.get("isbn", []):
                continue
            if "title" in query and query["title"][0].lower() not in title:
                continue
            if "q" in query and not any(word in words.split() for word in query["q"][0].lower().split()):
                continue
            docs.append(book)
        limit = int(query.get("limit", ["100"])[0])
        return self.answer(200, json.dumps({"numFound": len(docs), "docs": docs[:limit]}).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trouble", action="append", default=[])
    options = parser.parse_args()
    serve(Handler, options.trouble)


if __name__ == "__main__":
    main()
