#!/usr/bin/env python3
"""Measures servers that share a PostgreSQL database: events of jobs, timetables, realtime, boards.

Usage: postgres.py PROGRAM [--small] [--network NAME] [--json FILE]

Each figure is beside something else in the same run: events of jobs beside pgbench, which inserts a row of the same size in each
transaction, over as many connections into the same server; a timetable that reaches all replicas beside psql clients that read
the same rows; realtime and boards beside one process without a database. PostgreSQL does not wait for a disk, on either side.
The thresholds are in thresholds.json; the exit code is 1 if one is missed. With --small, the network has 200 stops, counts are
small, and nothing is judged.
"""

import argparse
import datetime
import json
import random
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
from typing import NamedTuple

from jobs import BOOKS, JobServer
from postgres_stand import Cluster, Wire, tool
from producer import Producer
from readers import Reader
from realtime import text
from stand import BOARD, NETWORKS, WORK, Server, finish, imported, load, network, run, stations
from updates import START, publications

#: Connections of a server for jobs (PostgresClientLimits.connections), and clients of pgbench.
CLIENTS = 8
REPLICAS = 3
#: Milliseconds between two polls of the trip updates, so that a measurement need not wait for a tick as long as a person.
POLL = 2_000
#: Seconds between two boards that a reader reads, to see when a publication is shown.
PERIOD = 0.005
#: More boards than a server keeps, so that each has to be made.
COLD = 12_000
#: Seconds by which servers are ahead of the producer: those of a busy machine start later than they were told, and believe no
#: publication of the future.
AHEAD = 10
#: The longest that a timetable may take to be served, in seconds.
LONGEST = 600


class Size(NamedTuple):
    """How much is measured."""

    network: str
    jobs: int
    seconds: int
    rounds: int
    ticks: int
    #: Trips of the realtime, and the most bytes of it.
    trips: int
    most: int | None


SMALL = Size("200 stops", jobs=8, seconds=2, rounds=1, ticks=8, trips=1_000, most=None)
FULL = Size("30,000 stops", jobs=60, seconds=5, rounds=5, ticks=60, trips=20_000, most=10_000_000)


# MARK: Jobs


def stored(program, cluster, count):
    """Events stored a second, without subscribers, and the processor time of server and database for one."""
    server = JobServer(program, WORK / "jobs-postgres", "--database", cluster.url, "--jobs-running", str(CLIENTS))
    database, before = cluster.processor(), time.monotonic()
    jobs = [server.start(number) for number in range(count)]
    server.wait(jobs)
    seconds = time.monotonic() - before
    events = server.metric("freshet_job_events_total")
    figure = {"events": events, "per_s": events / seconds, "cpu_us": server.processor() / events * 1e6,
              "database_cpu_us": (cluster.processor() - database) / events * 1e6}
    server.stop()
    # About one for each book: a report without news makes no event.
    if events < 0.95 * count * BOOKS:
        raise SystemExit(f"{events:.0f} events of {count} jobs with {BOOKS} books")
    return figure


def inserted(cluster, seconds):
    """What pgbench stores a second over as many connections: rows as large as an event, a transaction each; and the rows of a step of
    a job, in a transaction that locks the job, counts, and announces the event."""
    size = int(cluster.sql("SELECT round(avg(octet_length(message))) FROM freshet.event"))
    job = cluster.sql("SELECT job FROM freshet.event LIMIT 1")
    message = f"'\\x{'5a' * size}'"
    cluster.sql(f"""
        DROP TABLE IF EXISTS inserted, counted, result_row;
        CREATE TABLE inserted (id bigserial PRIMARY KEY, job text, at bigint, message bytea);
        CREATE TABLE result_row (id bigserial PRIMARY KEY, job text, outcome text, value text);
        CREATE TABLE counted (id int PRIMARY KEY, seq bigint, updated_at bigint, sentence text);
        INSERT INTO counted SELECT number, 0, 0, '' FROM generate_series(0, {CLIENTS - 1}) AS number""")
    row = f"INSERT INTO inserted (job, at, message) VALUES ('{job}', 1764000000000, {message})"
    per_s, processor = cluster.pgbench(row + ";\n", CLIENTS, seconds, "-M", "prepared")
    step = f"""BEGIN;
        SELECT id, seq, updated_at, sentence FROM counted WHERE id = :client_id FOR UPDATE;
        INSERT INTO result_row (job, outcome, value) VALUES ('{job}', 'stored', '{'{}' * 40}');
        UPDATE counted SET updated_at = updated_at + 1, sentence = 'a sentence about it', seq = seq + 1 WHERE id = :client_id
            RETURNING seq;
        WITH stored AS ({row}) SELECT pg_notify('stored', '{job}.' || txid_current());
        COMMIT;
        """
    listener = Wire(cluster)
    listener.query("LISTEN stored")
    threading.Thread(target=listener.discard, daemon=True).start()
    steps_per_s, step_processor = cluster.pgbench(step, CLIENTS, seconds, "-M", "prepared")
    listener.close()
    return {"bytes": size, "per_s": per_s, "database_cpu_us": processor * 1e6, "steps_per_s": steps_per_s,
            "step_database_cpu_us": step_processor * 1e6}


def events(program, cluster, size):
    """Rounds of both, one after the other; the round in the middle."""
    rounds = []
    for _ in range(size.rounds):
        ours = stored(program, cluster, size.jobs)
        rounds.append((ours, inserted(cluster, size.seconds)))
    rounds.sort(key=lambda pair: pair[1]["per_s"] / pair[0]["per_s"])
    ours, alone = rounds[len(rounds) // 2]
    return {"stored": ours, "inserted": alone, "ratio": alone["per_s"] / ours["per_s"],
            "step_ratio": alone["steps_per_s"] / ours["per_s"]}


# MARK: Timetables


class Replica(Server):
    """The program with a data folder of its own and a database."""

    def __init__(self, program, number, cluster, *options, **how):
        # Its timetable comes later, or in a moment.
        self.get = lambda path: None
        super().__init__(program, WORK / f"replica-{number}", "--database", cluster.url, *options, **how)
        del self.get

    def serves(self):
        """Whether it has a timetable."""
        try:
            self.get(BOARD + "Parent8503000")
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            return False
        return True

    def wait(self):
        """When it was seen first to serve a board (monotonic)."""
        end = time.monotonic() + LONGEST
        while not self.serves():
            if time.monotonic() > end:
                raise SystemExit(f"a replica has no timetable after {LONGEST} s")
            time.sleep(0.01)
        return time.monotonic()


def at_once(calls):
    """What calls return that run at the same time."""
    found = [None] * len(calls)

    def keep(place, call):
        found[place] = call()

    threads = [threading.Thread(target=keep, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if None in found:
        raise SystemExit("a part of a measurement failed")
    return found


def distributed(program, cluster, archive):
    """From the commit of an import to the first board of each of the replicas, which have no timetable before."""
    replicas = [Replica(program, number, cluster) for number in range(REPLICAS)]
    listener = Wire(cluster)
    listener.query('LISTEN "freshet_timetables.changes"')
    began = time.monotonic()
    importer = threading.Thread(
        target=run, args=(program, "import", archive, "--data", WORK / "replica-import", "--database", cluster.url),
        kwargs={"stderr": subprocess.DEVNULL})
    importer.start()
    committed = []

    def commit():
        while listener.message()[0] != b"A":
            pass
        committed.append(time.monotonic())
        return True

    served = at_once([commit, *(replica.wait for replica in replicas)])[1:]
    importer.join()
    listener.close()
    for replica in replicas:
        replica.stop()
    stored_bytes = int(cluster.sql("SELECT sum(octet_length(content)) FROM freshet_timetables.chunk"))
    read = copied(cluster)
    each = [at - committed[0] for at in served]
    return {"bytes": stored_bytes, "import_s": committed[0] - began, "first_s": min(each), "all_s": max(each),
            "copy_s": read, "over_copy": max(each) / read}


def copied(cluster):
    """How long as many psql clients need to read the same rows, each into a file."""
    files = [WORK / f"chunks-{number}" for number in range(REPLICAS)]

    def copy(file):
        with open(file, "wb") as target:
            subprocess.run(
                [tool("psql"), "-qX", "-d", cluster.url, "-c",
                 "COPY (SELECT content FROM freshet_timetables.chunk ORDER BY file, number) TO STDOUT (FORMAT binary)"],
                stdout=target, check=True)
        return True

    before = time.monotonic()
    at_once([lambda file=file: copy(file) for file in files])
    seconds = time.monotonic() - before
    for file in files:
        file.unlink()
    return seconds


# MARK: Realtime


class Side:
    """Servers and the producer that they follow."""

    def __init__(self, feed, count, start):
        self.producer = Producer(feed)
        self.servers = [start(number, *self.options()) for number in range(count)]

    def options(self):
        """What a server needs to follow the producer: address, interval, and its service clock."""
        at = START + AHEAD + time.monotonic() - self.producer.began
        now = datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="milliseconds")
        return (("--trip-updates", self.producer.url, "--poll", f"trip-updates={POLL}"), {"now": now.replace("+00:00", "Z")})

    def ready(self, board):
        """Waits until every server shows realtime."""
        end = time.monotonic() + LONGEST
        for server in self.servers:
            while server.get(board)[0].get("x-md-rt-fetched-at") is None:
                if time.monotonic() > end:
                    raise SystemExit("a server shows no realtime")
                time.sleep(0.05)

    def hold(self, board):
        """Lets one more publication come and holds the next one back, so that boards do not change meanwhile."""
        self.producer.is_held = False
        tick = self.producer.next_tick()
        self.producer.is_held = True
        end = time.monotonic() + LONGEST
        for server in self.servers:
            while server.get(board)[0]["x-md-rt-fetched-at"] < text(tick.timestamp):
                if time.monotonic() > end:
                    raise SystemExit("a publication is not shown")
                time.sleep(0.01)

    def published(self, board, count):
        """For each publication, the seconds from its last byte to the first and to the last server that shows it."""
        readers = [Reader(server.url, [board], PERIOD) for server in self.servers]
        self.producer.is_held, self.producer.alternates = False, True
        self.producer.next_tick()
        first = len(self.producer.ticks)
        for _ in range(count):
            self.producer.next_tick()
        ticks = self.producer.ticks[first:first + count]
        last, end = text(ticks[-1].timestamp).encode(), time.monotonic() + LONGEST
        while any(reader.samples[-1].fetched_at < last for reader in readers) and time.monotonic() < end:
            time.sleep(0.01)
        samples = [reader.stop() for reader in readers]
        self.producer.alternates = False
        spread = []
        for tick in ticks:
            known = text(tick.timestamp).encode()
            shown = [next((each.due + each.seconds for each in found if each.fetched_at >= known), None) for found in samples]
            if None in shown:
                raise SystemExit("a reader never saw a publication")
            spread.append((min(shown) - tick.sent, max(shown) - tick.sent))
        return {"first": latencies([each for each, _ in spread]), "all": latencies([each for _, each in spread])}

    def stop(self):
        for server in self.servers:
            server.stop()
        self.producer.stop()


def latencies(seconds):
    """Median and 99th percentile in milliseconds, of those that were met."""
    parts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {"count": len(seconds), "p50_ms": parts[49] * 1e3, "p99_ms": parts[98] * 1e3}


def sides(program, cluster, feed, data):
    """One process without a database, and replicas with one."""

    def alone(_, options, how):
        return Server(program, data, *options, **how)

    def replica(number, options, how):
        server = Replica(program, number, cluster, *options, **how)
        server.wait()
        return server

    return Side(feed, 1, alone), Side(feed, REPLICAS, replica)


def boards(one, many, ids, rounds):
    """Boards a second of a replica beside those of one process without a database."""
    several = [f"{BOARD}{id}&window_minutes={210 + more}" for more in range(COLD // len(ids) + 1) for id in ids]
    cold = random.Random(2).sample(several, COLD)
    hot = BOARD + ids[0]
    sample = random.Random(1).sample(ids, min(200, len(ids)))
    kinds = {"hot": [hot], "cold": cold, "not_modified": None}
    found = []
    for number in range(rounds):
        figure = {}
        for side in (one, many):
            side.hold(hot)
        for kind, requests in kinds.items():
            # The second run finds a warmer machine, so the order alternates.
            for name, side in (("without", one), ("with", many))[::1 if number % 2 else -1]:
                server = side.servers[0]
                asked = requests or [(BOARD + id, {"If-None-Match": server.get(BOARD + id)[0]["ETag"]}) for id in sample]
                before = server.processor()
                met = load(server.url, asked, CLIENTS, in_order=kind == "cold")
                figure[f"{kind}_{name}"] = met.per_s
                figure[f"{kind}_{name}_cpu_us"] = (server.processor() - before) / met.count * 1e6
        found.append(figure)
    middle = {name: statistics.median(each[name] for each in found) for name in found[0]}
    for kind in kinds:
        middle[f"{kind}_ratio"] = statistics.median(each[f"{kind}_without"] / each[f"{kind}_with"] for each in found)
        middle[f"{kind}_cpu_ratio"] = statistics.median(
            each[f"{kind}_with_cpu_us"] / each[f"{kind}_without_cpu_us"] for each in found)
    return middle


# MARK: All of it


def measure(program, size):
    WORK.mkdir(parents=True, exist_ok=True)
    cluster = Cluster("shared_buffers=256MB")
    run(program, "migrate", "--database", cluster.url)
    figures = {"network": size.network, "events": events(program, cluster, size)}
    stops, stop_times = NETWORKS[size.network]
    folder, archive = network(program, size.network, stops, stop_times)
    for number in [*range(REPLICAS), "import"]:
        subprocess.run(["rm", "-rf", WORK / f"replica-{number}"], check=True)
    figures["timetable"] = distributed(program, cluster, archive)
    data = WORK / f"data-{stops}"
    _, figures["timetable"]["stop_times"], *_ = imported(program, archive, data)
    ids = stations(folder, data)
    one, many = sides(program, cluster, publications(folder, size.trips, size.most)["trip-updates"], data)
    board = BOARD + ids[0]
    for side in (one, many):
        side.ready(board)
    figures["realtime"] = {"bytes": len(one.producer.publications[0])}
    # One side rests while the other one is measured.
    for name, side, other in (("one", one, many), ("replicas", many, one)):
        other.hold(board)
        figures["realtime"][name] = side.published(board, size.ticks)
    for server in many.servers[1:]:
        server.stop()
    del many.servers[1:]
    figures["boards"] = boards(one, many, ids, size.rounds)
    one.stop()
    many.stop()
    cluster.stop()
    return figures


def table(figures):
    """The figures as Markdown."""
    print("| with one PostgreSQL | | beside it |")
    print("|---|---|---|")
    found = figures["events"]
    ours, alone = found["stored"], found["inserted"]
    print(f"| events of jobs stored a second | {ours['per_s']:,.0f} ({ours['cpu_us']:.0f} µs of processor, PostgreSQL "
          f"{ours['database_cpu_us']:.0f} µs) | pgbench, {CLIENTS} clients, inserts of {alone['bytes']} bytes: {alone['per_s']:,.0f} "
          f"({alone['database_cpu_us']:.0f} µs), {found['ratio']:.1f} × as many |")
    print(f"| the same | | pgbench, the statements of such an event in a transaction: {alone['steps_per_s']:,.0f} "
          f"({alone['step_database_cpu_us']:.0f} µs), {found['step_ratio']:.1f} × as many |")
    found = figures["timetable"]
    print(f"| {found['stop_times']:,} stop times, {found['bytes'] / 1e6:,.1f} MB: from the commit to the first / the last of "
          f"{REPLICAS} replicas | {found['first_s']:.2f} / {found['all_s']:.2f} s (import {found['import_s']:.1f} s) | psql reads "
          f"the same rows {REPLICAS} times: {found['copy_s']:.2f} s; {found['over_copy']:.1f} × |")
    found = figures["realtime"]
    one, many = found["one"]["all"], found["replicas"]
    print(f"| {found['bytes'] / 1e6:.1f} MB of trip updates: last byte sent to the last of {REPLICAS} replicas, p50 / p99 "
          f"| {many['all']['p50_ms']:.0f} / {many['all']['p99_ms']:.0f} ms (the first: {many['first']['p50_ms']:.0f} / "
          f"{many['first']['p99_ms']:.0f}) | one process without a database: {one['p50_ms']:.0f} / {one['p99_ms']:.0f} ms |")
    found = figures["boards"]
    for kind, title in (("hot", "boards a second, one stop"), ("cold", "boards a second, each rendered again"),
                        ("not_modified", "304 a second")):
        print(f"| {title} | {found[kind + '_with']:,.0f} | without a database: {found[kind + '_without']:,.0f}; "
              f"ratio {1 / found[kind + '_ratio']:.2f}, by processor time {1 / found[kind + '_cpu_ratio']:.2f} |")


def judged(figures):
    """The figures that have a threshold."""
    realtime, boards_found = figures["realtime"], figures["boards"]
    return {
        "postgres_inserts_over_events": figures["events"]["ratio"],
        "postgres_steps_over_events": figures["events"]["step_ratio"],
        "timetable_to_replicas_s": figures["timetable"]["all_s"],
        "timetable_over_copies": figures["timetable"]["over_copy"],
        "publication_beside_one_p99_ms": realtime["replicas"]["all"]["p99_ms"] - realtime["one"]["all"]["p99_ms"],
        # By processor time, which other work on the machine changes less.
        "boards_cpu_with_over_without_database": max(
            boards_found[f"{kind}_cpu_ratio"] for kind in ("hot", "cold", "not_modified")),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--small", action="store_true", help="200 stops and small counts, to try it out")
    parser.add_argument("--network", choices=NETWORKS, help="the network that is shared; 30,000 stops have 20 million stop times")
    parser.add_argument("--json", help="write the figures to this file instead of the standard output")
    options = parser.parse_args()
    size = SMALL if options.small else FULL
    if options.network:
        size = size._replace(network=options.network)
    figures = measure(options.program, size)
    table(figures)
    if not options.json:
        print(json.dumps(figures))
    return finish(figures, {} if options.small else judged(figures), options.json)


if __name__ == "__main__":
    sys.exit(main())
