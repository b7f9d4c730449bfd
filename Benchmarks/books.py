#!/usr/bin/env python3
"""Imports exports of 10,000 rows and compares with Python's csv and sqlite3 doing the least of the same work.

usage: books.py PROGRAM

The baseline reads the file with Python's csv module and inserts one row for each record, in one
transaction, without looking for duplicates, judging ISBNs or keeping reports. Files without open quotes are used,
since the csv module would swallow the rows behind one.
"""

import csv
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Books"))

import book_exports  # noqa: E402

ROWS = 10_000
RUNS = 3
ENCODINGS = {"goodreads": "utf-8", "storygraph": "utf-8-sig", "librarything": "latin-1", "bookwyrm": "cp1252"}


def baseline(content: bytes, service: str, folder: str) -> float:
    start = time.monotonic()
    delimiter = book_exports.SERVICES[service].delimiter
    text = io.StringIO(content.decode(ENCODINGS[service]), newline="")
    database = sqlite3.connect(os.path.join(folder, f"baseline-{time.monotonic_ns()}.sqlite"))
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE books (title TEXT, author TEXT, isbn TEXT, rating TEXT)")
    with database:
        for row in csv.reader(text, delimiter=delimiter):
            if any(row):
                database.execute("INSERT INTO books VALUES (?, ?, ?, ?)", (row + [""] * 4)[:4])
    database.close()
    return time.monotonic() - start


def main() -> int:
    program = sys.argv[1]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for service in book_exports.SERVICES:
            export = book_exports.Export(service, ROWS, seed=2)
            path = os.path.join(folder, service + ".csv")
            Path(path).write_bytes(export.bytes)
            ours, whole, theirs = [], [], []
            for run in range(RUNS):
                library = os.path.join(folder, f"{service}-{run}.sqlite")
                start = time.monotonic()
                answer = subprocess.run([program, "library", "import", path, "--library", library, "--json"],
                                        capture_output=True, text=True, check=True)
                whole.append(time.monotonic() - start)
                counts = json.loads(answer.stdout)
                assert {**counts, "seconds": 0} == {**export.counts, "seconds": 0}, counts
                ours.append(counts["seconds"])
                theirs.append(baseline(export.bytes, service, folder))
            results[service] = {
                "bytes": len(export.bytes), "rowsPerSecond": round(ROWS / min(ours)),
                "seconds": round(min(ours), 3), "wholeProgramSeconds": round(min(whole), 3),
                "pythonCSVRowsPerSecond": round(ROWS / min(theirs)), "pythonSeconds": round(min(theirs), 3),
            }
            print(service, json.dumps(results[service]), flush=True)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"largest memory of an import: {memory / 1024:.0f} MiB")
    slowest = max(each["seconds"] for each in results.values())
    return 0 if slowest < 10 else 1


if __name__ == "__main__":
    sys.exit(main())
