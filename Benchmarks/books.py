#!/usr/bin/env python3
"""Imports exports of 10,000 rows beside Python's csv and sqlite3 doing the least of the same work.

Usage: books.py PROGRAM [--catalogue WORKS] [--json FILE]

The baseline reads the file with Python's csv module and inserts one row for each record, in one
transaction, without looking for duplicates, judging ISBNs or keeping reports. Where an open quote swallows rows, it has
less to do than the import. Ratios are of processor time, since others may use the machine. Every import is checked
against what the making of the file says. With --catalogue, a catalogue is made of generated dumps of so many works, and
searched with the program; 500,000 take some minutes.

Thresholds, in thresholds.json:
  books_import_s           10 s for 10,000 rows is what an import promises
  books_over_csv           duplicates, numbers, reports and a library with indexes; half as much again as now
  books_peak_mb            what a small server can spare for an import
  books_peak_over_small    memory is for a batch and for the keys of the file, not for its rows: ten times the
                           rows may take half as much again
"""

import argparse
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stand import finish

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Books"))

import book_exports  # noqa: E402

ROWS = 10_000
FEW_ROWS = 1_000
RUNS = 5
ENCODINGS = {"goodreads": "utf-8", "storygraph": "utf-8-sig", "librarything": "latin-1", "bookwyrm": "cp1252"}


def baseline(content, service, folder):
    """Processor seconds of Python's csv and one INSERT for each record."""
    start = time.process_time()
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
    return time.process_time() - start


def watched(command):
    """What a program prints, wall seconds, processor seconds and peak megabytes."""
    with tempfile.TemporaryFile("w+") as printed:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=printed)
        # What the kernel says at the end knows the memory of this program too, from before the other one began.
        pid, found = 0, None
        while not pid:
            found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text()) or found
            time.sleep(0.005)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        return printed.read(), seconds, usage.ru_utime + usage.ru_stime, int(found.group(1)) / 1024 if found else 0


def imported(program, export, folder):
    """Wall seconds, processor seconds and peak megabytes of one import, checked."""
    path = os.path.join(folder, "export.csv")
    Path(path).write_bytes(export.bytes)
    library = os.path.join(folder, f"{time.monotonic_ns()}.sqlite")
    text, *figures = watched([program, "library", "import", path, "--library", library, "--json"])
    counts = json.loads(text)
    counts.pop("seconds")
    if counts != export.counts:
        sys.exit(f"{counts} instead of {export.counts}")
    return figures


def catalogue(program, works):
    """A catalogue of generated dumps: how long it takes, how large it is, how fast it answers."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "Tests/Books/library_dump.py", folder, str(works)],
                       stdout=subprocess.DEVNULL, check=True)
        path = os.path.join(folder, "catalogue.sqlite")
        files = sorted(str(file) for file in Path(folder).glob("*.gz"))
        _, seconds, processor, peak = watched([program, "catalogue", "import", *files, "--catalogue", path])
        figure = {"works": works, "import_s": seconds, "processor_s": processor, "peak_mb": peak,
                  "file_mb": os.path.getsize(path) / 1e6}
        for name, question in (("isbn", ["9780441478125"]),
                               ("title", ["Les Misérables", "--author", "Hugo, Victor"]),
                               ("unknown", ["The Silent River of Nowhere", "--author", "Nobody"])):
            figure[f"find_{name}_s"] = min(
                watched([program, "catalogue", "find", *question, "--catalogue", path])[1] for _ in range(RUNS))
    print("\n| a catalogue of | " + " | ".join(f"{name}" for name in figure if name != "works") + " |")
    print("|---" * len(figure) + "|")
    print(f"| {works:,} works | " + " | ".join(f"{value:,.2f}" for name, value in figure.items() if name != "works") + " |")
    return figure


def measure(program):
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for service in book_exports.SERVICES:
            export = book_exports.Export(service, ROWS, seed=2)
            small = book_exports.Export(service, FEW_ROWS, seed=2)
            runs = [(imported(program, export, folder), baseline(export.bytes, service, folder))
                    for _ in range(RUNS)]
            processor = min(run[0][1] for run in runs)
            theirs = min(run[1] for run in runs)
            peak = max(run[0][2] for run in runs)
            figures[service] = {
                "bytes": len(export.bytes), "import_s": min(run[0][0] for run in runs),
                "processor_s": processor, "csv_s": theirs, "over_csv": processor / theirs,
                "rows_per_s": ROWS / processor, "csv_rows_per_s": ROWS / theirs, "peak_mb": peak,
                "peak_over_small": peak / min(imported(program, small, folder)[2] for _ in range(2)),
            }
    return figures


def table(figures):
    """The figures as Markdown."""
    names = list(figures)
    print(f"| {ROWS:,} rows with damage | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for title, name, form in (("import, wall", "import_s", "{:.2f} s"),
                              ("rows a second of processor time", "rows_per_s", "{:,.0f}"),
                              ("Python's csv and INSERT", "csv_rows_per_s", "{:,.0f}"),
                              ("import ÷ Python's csv", "over_csv", "{:.1f}"),
                              ("peak memory", "peak_mb", "{:.0f} MB"),
                              (f"÷ that of {FEW_ROWS:,} rows", "peak_over_small", "{:.2f}")):
        print(f"| {title} | " + " | ".join(form.format(figures[each][name]) for each in names) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--catalogue", type=int, metavar="WORKS", help="also make and search a catalogue")
    options = parser.parse_args()
    figures = measure(options.program)
    table(figures)
    found = {
        "books_import_s": max(figure["import_s"] for figure in figures.values()),
        "books_over_csv": max(figure["over_csv"] for figure in figures.values()),
        "books_peak_mb": max(figure["peak_mb"] for figure in figures.values()),
        "books_peak_over_small": max(figure["peak_over_small"] for figure in figures.values()),
    }
    if options.catalogue:
        figures["catalogue"] = catalogue(options.program, options.catalogue)
    return finish(figures, found, options.json)


if __name__ == "__main__":
    sys.exit(main())
