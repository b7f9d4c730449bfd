#!/usr/bin/env python3
"""Measures how fast jobs store events and tell them, beside SQLite doing the same inserts and nothing else.

Usage: jobs.py PROGRAM [--json FILE]

The jobs are enrichments without a catalogue: every book is one event, one result and one transaction, and
next to no work. Beside them Python's sqlite3 stores the very same rows in the same tables with the same settings,
one transaction for each event; Python adds a few microseconds to each. Then the same with sockets that listen,
read by one process that counts and does not look into what it reads. The thresholds are in thresholds.json;
the exit code is 1 if one is missed.
"""

import argparse
import base64
import json
import os
import re
import selectors
import shutil
import socket
import sqlite3
import sys
import time
import urllib.request

from stand import WORK, Server, finish

JOBS = 60
BOOKS = 100
SOCKETS = 200
FAN_JOBS = 10
ROUNDS = 3
# What every event has once, and the payload of the Close behind the end.
MARK = b'"seq":'
CLOSE = b"\x03\xe8the job is over"


class JobServer(Server):
    """The program serving jobs."""

    def __init__(self, program, folder, *options):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        # The empty timetable answers its board with a problem, so nothing is asked of it.
        self.get = lambda path: None
        super().__init__(program, folder / "data", "--jobs", str(folder / "jobs"), *options)

    def ask(self, method, path, body=None, token=None):
        """The JSON of an answer."""
        request = urllib.request.Request(self.url + path, data=body, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def start(self, number):
        """Starts an enrichment."""
        books = [{"title": f"The Collected Works, Volume {number} {book}", "author": "Émile Zola"} for book in range(BOOKS)]
        return self.ask("POST", "/v1/jobs/batch_enrichment", json.dumps({"books": books}).encode())

    def wait(self, jobs):
        """Waits for the end of all jobs. A position of another epoch gets the state in place of the events, whose reading would
        count as storing."""
        for job in jobs:
            while self.ask("GET", f"/v1/jobs/{job['jobId']}?after=0.999999999", token=job["token"])["state"] != "succeeded":
                time.sleep(0.02)

    def metric(self, name):
        """A measurement."""
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*?}})? (\S+)$", text, re.M))


def stored(program):
    """Events stored a second, without subscribers; and the file they are in."""
    server = JobServer(program, WORK / "jobs")
    before = time.monotonic()
    jobs = [server.start(number) for number in range(JOBS)]
    server.wait(jobs)
    seconds = time.monotonic() - before
    events = server.metric("freshet_job_events_total")
    processor = server.processor()
    server.stop()
    return {"events": events, "per_s": events / seconds, "cpu_us": processor / events * 1e6}


def raw(folder):
    """Transactions of SQLite alone, with the rows that the server stored."""
    source = sqlite3.connect(f"file:{folder / 'jobs/jobs.sqlite'}?mode=ro", uri=True)
    schema = [row[0] for row in source.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'")]
    events = source.execute("SELECT job, seq, at, message FROM event ORDER BY at, job, seq").fetchall()
    results = {(row[0], row[1]): row for row in source.execute("SELECT * FROM result")}
    jobs = source.execute("SELECT * FROM job").fetchall()
    source.close()
    path = WORK / "jobs-raw.sqlite"
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    for statement in schema:
        if "grdb_migrations" not in statement:
            database.execute(statement)
    marks = ", ".join("?" * len(jobs[0]))
    database.executemany(f"INSERT INTO job VALUES ({marks})", jobs)
    before, processor = time.monotonic(), time.process_time()
    for job, seq, at, message in events:
        database.execute("BEGIN IMMEDIATE")
        if row := results.get((job, seq - 2)):
            database.execute("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        database.execute("UPDATE job SET last_seq = ?, updated_at = ?, processed = ? WHERE id = ?", (seq, at, seq, job))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?)", (job, seq, at, message))
        database.execute("COMMIT")
    seconds, processor = time.monotonic() - before, time.process_time() - processor
    database.close()
    return {"per_s": len(events) / seconds, "cpu_us": processor / len(events) * 1e6}


def opened(server, job):
    """A socket that listens."""
    peer = socket.create_connection((server.url.split("/")[2].split(":")[0], int(server.url.rsplit(":", 1)[1])))
    key = base64.b64encode(os.urandom(16)).decode()
    peer.sendall(
        f"GET /ws/progress?jobId={job['jobId']} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nAuthorization: Bearer {job['token']}\r\n\r\n".encode()
    )
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(1)
    assert b" 101 " in head, head
    peer.setblocking(False)
    return peer


def fanned(program):
    """Messages told a second, to sockets that share a few jobs, while they are stored."""
    server = JobServer(program, WORK / "jobs-fan", "--jobs-running", "1")
    blockers = [server.start(number) for number in range(40)]
    jobs = [server.start(number) for number in range(FAN_JOBS)]
    selector = selectors.DefaultSelector()
    for number in range(SOCKETS):
        selector.register(opened(server, jobs[number % FAN_JOBS]), selectors.EVENT_READ)
    server.wait(blockers)
    stored_before = server.metric("freshet_job_events_total")
    processor, before = server.processor(), time.monotonic()
    messages, tails = 0, {}
    while selector.get_map():
        for key, _ in selector.select():
            data = tails.get(key.fd, b"") + key.fileobj.recv(1 << 20)
            messages += data.count(MARK)
            if not data.endswith(CLOSE):
                # The end of a read may be the beginning of a mark, or of the Close; no mark is counted twice.
                keep = data[-len(CLOSE) + 1:]
                tails[key.fd] = keep[keep.find(MARK) + len(MARK):] if MARK in keep else keep
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()
    seconds = time.monotonic() - before
    processor = server.processor() - processor
    left_out = server.metric("freshet_job_events_left_out_total")
    events = server.metric("freshet_job_events_total") - stored_before
    server.stop()
    return {"messages": messages, "per_s": messages / seconds, "stored_per_s": events / seconds,
            "cpu_us": processor / messages * 1e6, "left_out": left_out}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    def middle(figures):
        return sorted(figures, key=lambda each: each["per_s"])[len(figures) // 2]

    pairs = []
    for _ in range(ROUNDS):
        ours = stored(options.program)
        pairs.append((ours, raw(WORK / "jobs")))
    ours, alone = sorted(pairs, key=lambda pair: pair[1]["per_s"] / pair[0]["per_s"])[ROUNDS // 2]
    told = middle([fanned(options.program) for _ in range(ROUNDS)])
    print("| events of jobs | a second | ÷ SQLite alone | processor time |")
    print("|---|---|---|---|")
    for name, per_second, microseconds in (
        ("SQLite alone, the same rows, a transaction each", alone["per_s"], alone["cpu_us"]),
        ("stored", ours["per_s"], ours["cpu_us"]),
        (f"stored while {SOCKETS} sockets listen", told["stored_per_s"], None),
        (f"told to {SOCKETS} sockets", told["per_s"], told["cpu_us"]),
    ):
        spent = f"{microseconds:.0f} µs" if microseconds else "–"
        print(f"| {name} | {per_second:,.0f} | {per_second / alone['per_s']:.2f} | {spent} |")
    print(f"{told['left_out']:,.0f} events were left out for newer ones")
    figures = {"alone": alone, "stored": ours, "told": told}
    found = {
        "jobs_raw_over_stored": alone["per_s"] / ours["per_s"],
        "jobs_cpu_over_raw": ours["cpu_us"] / alone["cpu_us"],
        "jobs_told_cpu_over_raw": told["cpu_us"] / alone["cpu_us"],
    }
    return finish(figures, found, options.json)


if __name__ == "__main__":
    sys.exit(main())
