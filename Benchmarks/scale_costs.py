#!/usr/bin/env python3
"""Measures what one replica, one board and one announcement cost, for scale_model.py.

Usage: scale_costs.py PROGRAM [--network NAME] [--minutes N] [--build WORD] [--json FILE]

What PostgreSQL needs is measured with statements of freshet over connections that add nothing; what clients need, at a server that
follows `freshet-lab feed`. Processor times of the program depend on its build and are not measured here: the model takes them from
the README. The file of the repository is scale_costs.json.
"""

import argparse
import atexit
import datetime
import json
import random
import re
import select
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from postgres import AHEAD, LONGEST, Replica
from postgres_stand import Cluster, Wire, tool
from stand import BOARD, NETWORKS, NOW, WORK, Server, imported, network, run, stations
from updates import START, entities, trips

#: Replicas at rest, and for how many seconds.
IDLE, REST = 4, 60
#: Bytes of a large publication, and how often it is read.
PUBLICATION, READS = 10_000_000, 20
#: Connections that listen, and how many announcements all of them together get.
LISTENERS, ANNOUNCED = (10, 100, 1_000), 40_000
#: Boards that are watched, and connections whose memory is measured.
BOARDS, CONNECTIONS, STREAMS = 300, 100, 1_000
#: Seconds between two polls of a client.
INTERVAL = 15


# MARK: PostgreSQL


def private(numbers):
    """Bytes of memory that are these processes' own."""
    total = 0
    for number in numbers:
        text = Path(f"/proc/{number}/smaps_rollup").read_text()
        total += sum(int(each) * 1024 for each in re.findall(r"Private_(?:Clean|Dirty):\s+(\d+)", text))
    return total


def check(cluster):
    """Processor time of a check of a lease, when PostgreSQL does nothing else."""
    cluster.sql("INSERT INTO freshet_realtime.source (id, title) VALUES ('check', 'check')")
    script = """WITH changed AS (SELECT id, fence, beat, owner FROM freshet_realtime.source WHERE false)
        SELECT coalesce(changed.fence, source.fence), coalesce(changed.beat, source.beat), coalesce(changed.owner, source.owner),
          changed.id IS NOT NULL, source.owner_name, log.position, source.polled_at, source.answered_at, source.failure,
          source.is_of_content, source.refusal
        FROM freshet_realtime.log CROSS JOIN freshet_realtime.source LEFT JOIN changed ON changed.id = source.id
        WHERE source.id = 'check';
        """
    return cluster.pgbench(script, 4, 5, "-M", "prepared")[1]


def connections(cluster):
    """Processor time and memory of a connection that listens and has looked."""
    before, processes = cluster.processor(), set(cluster.processes())
    lines = [Wire(cluster) for _ in range(CONNECTIONS)]
    for line in lines:
        line.query('LISTEN "freshet_realtime.publications"')
        line.query("SELECT source.fence, log.position FROM freshet_realtime.log CROSS JOIN freshet_realtime.source")
    time.sleep(0.2)
    processor = (cluster.processor() - before) / CONNECTIONS
    memory = private(set(cluster.processes()) - processes) / CONNECTIONS
    for line in lines:
        line.close()
    return {"processor": processor, "memory": memory}


def announcements(cluster, count):
    """Processor time of an announcement for each connection that listens, and the time until the last one has it."""
    listeners = [Wire(cluster) for _ in range(count)]
    for listener in listeners:
        listener.query("LISTEN measured")
    poll = select.epoll()
    by_number = {listener.fileno(): listener for listener in listeners}
    for number in by_number:
        poll.register(number, select.EPOLLIN)
    speaker, spans, before = Wire(cluster), [], cluster.processor()
    for _ in range(ANNOUNCED // count):
        began = time.monotonic()
        speaker.query("SELECT pg_notify('measured', '123456')")
        waiting = set(by_number)
        while waiting:
            for number, _ in poll.poll():
                if by_number[number].message()[0] == b"A":
                    waiting.discard(number)
        spans.append(time.monotonic() - began)
    processor = (cluster.processor() - before) / ANNOUNCED
    for line in [*listeners, speaker]:
        line.close()
    return {"processor": processor, "last": statistics.median(spans)}


def disregarded(cluster, count):
    """Processor time of an announcement for each of so many connections that listen to something else."""
    listeners = [Wire(cluster) for _ in range(count)]
    for listener in listeners:
        listener.query("LISTEN another")
    speaker, before = Wire(cluster), cluster.processor()
    for _ in range(ANNOUNCED // count):
        speaker.query("SELECT pg_notify('measured', '123456')")
        # Each is awake before the next announcement, as when they come rarely.
        time.sleep(0.1)
    processor = (cluster.processor() - before) / ANNOUNCED
    for line in [*listeners, speaker]:
        line.close()
    return processor


def publication(cluster, content):
    """Processor time of reading a publication, its bytes on the wire and in the table."""
    subprocess.run([tool("psql"), "-qX", "-d", cluster.url], input=(
        "INSERT INTO freshet_realtime.publication (id, source, fence, fetched_at, content) "
        f"VALUES (1, 'check', 0, 0, '\\x{content.hex()}');"), text=True, check=True)
    line = Wire(cluster)
    statement = "SELECT fetched_at, absent_at, content_type, content FROM freshet_realtime.publication WHERE id = 1"
    line.send(statement)
    on_wire = line.drain(len(content))
    before = cluster.processor()
    for _ in range(READS):
        line.send(statement)
        line.drain(len(content))
    processor = (cluster.processor() - before) / READS
    stored = int(cluster.sql("SELECT pg_column_size(content) FROM freshet_realtime.publication WHERE id = 1"))
    line.close()
    return {"processor": processor, "on_wire": on_wire, "stored": stored}


# MARK: Replicas


def later(began):
    """The service clock of a server that starts now: ahead of one that was started with NOW, however long either takes."""
    at = datetime.datetime.fromtimestamp(START + AHEAD + time.monotonic() - began, datetime.UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def feed(program, data):
    """`freshet-lab feed`, and its address."""
    process = subprocess.Popen(
        [Path(program).with_name("freshet-lab"), "feed", "--data", data, "--port", "0", "--scenario", "rush", "--now", NOW,
         "--log-level", "error"], stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process, re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]


def shows(server):
    """Waits until a server shows realtime."""
    end = time.monotonic() + LONGEST
    while server.get(BOARD + "Parent8503000")[0].get("x-md-rt-fetched-at") is None:
        if time.monotonic() > end:
            raise SystemExit("a server shows no realtime")
        time.sleep(0.1)


def sources(url):
    return [word for kind in ("trip-updates", "vehicle-positions", "alerts") for word in (f"--{kind}", f"{url}/{kind}.pb")]


def rest(program, cluster, archive, data):
    """What a replica with three sources needs of PostgreSQL while nothing new is published."""
    run(program, "import", archive, "--data", WORK / "replica-import", "--database", cluster.url, stderr=subprocess.DEVNULL)
    process, url = feed(program, data)
    began = time.monotonic()
    replicas = [Replica(program, number, cluster, *sources(url), now=later(began)) for number in range(IDLE)]
    for replica in replicas:
        replica.wait()
        shows(replica)
    # A source that does not answer publishes nothing.
    process.kill()
    process.wait()
    time.sleep(10)
    count = ("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freshet'",
             "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'")
    connections = int(cluster.sql(count[0]))
    before, statements, at = cluster.processor(), int(cluster.sql(count[1])), time.monotonic()
    time.sleep(REST)
    processor = cluster.processor() - before
    seconds = time.monotonic() - at
    # Statistics of a connection are sent when it is idle for a second.
    statements = int(cluster.sql(count[1])) - statements
    for replica in replicas:
        replica.stop()
    return {"connections": connections / IDLE, "statements": statements / seconds / IDLE,
            "processor": processor / seconds / IDLE}


# MARK: Clients


class Client:
    """A client that polls boards with the tags that it has, and counts bytes."""

    def __init__(self, url):
        self.address = urlsplit(url)
        self.socket = socket.create_connection((self.address.hostname, self.address.port))

    def ask(self, path, tag):
        """The status, the tag, the bytes that were sent, and those of the answer."""
        fields = f"If-None-Match: {tag}\r\n" if tag else ""
        request = (f"GET {path} HTTP/1.1\r\nHost: {self.address.netloc}\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\n"
                   f"{fields}\r\n").encode()
        self.socket.sendall(request)
        content = b""
        while (end := content.find(b"\r\n\r\n")) < 0:
            content += self.received()
        head = content[:end + 2].decode()
        length = int((re.search(r"(?i)^content-length: (\d+)", head, re.M) or [0, 0])[1])
        while len(content) < end + 4 + length:
            content += self.received()
        return int(head.split()[1]), re.search(r"(?im)^etag: (\S+)", head)[1], len(request), len(content)

    def received(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise SystemExit("the server closed a connection")
        return piece


def opened(url, paths):
    """Streams that have their snapshot."""
    address, found = urlsplit(url), {}
    for path in paths:
        line = socket.create_connection((address.hostname, address.port))
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        found[line.fileno()] = line
    for line in found.values():
        content = b""
        while b"event: snapshot" not in content or not content.endswith(b"\n\n\r\n"):
            content += line.recv(1 << 16)
        line.setblocking(False)
    return found


def clients(program, folder, data, minutes):
    """Bytes and answers of clients that poll boards, and of as many streams of the same boards."""
    process, url = feed(program, data)
    began = time.monotonic()
    server = Server(program, data, *sources(url), now=later(began))
    ids = stations(folder, data)
    paths = [BOARD + each for each in random.Random(1).sample(ids, min(BOARDS, len(ids)))]
    shows(server)
    client, tags, statuses, sizes, requests = Client(server.url), {}, [], {200: [], 304: []}, []
    lines = opened(server.url, [path.replace("?", "/stream?") for path in paths])
    poll = select.epoll()
    for number in lines:
        poll.register(number, select.EPOLLIN)
    streamed, events = 0, {"change": 0, "verified": 0, "snapshot": 0, "reset": 0}
    begin, rounds = time.monotonic(), int(minutes * 60 / INTERVAL)
    for turn in range(rounds):
        for place, path in enumerate(paths):
            due = begin + (turn + place / len(paths)) * INTERVAL
            while (left := due - time.monotonic()) > 0:
                for number, _ in poll.poll(left):
                    piece = lines[number].recv(1 << 16)
                    streamed += len(piece)
                    for name in events:
                        events[name] += piece.count(b"event: " + name.encode())
            status, tags[path], sent, size = client.ask(path, tags.get(path))
            if turn:
                statuses.append(status)
                sizes[status].append(size)
                requests.append(sent)
    seconds = time.monotonic() - begin
    for line in lines.values():
        line.close()
    time.sleep(1)
    before = server.resident()
    many = opened(server.url, [paths[number % len(paths)].replace("?", "/stream?") for number in range(STREAMS)])
    memory = (server.resident() - before) / STREAMS
    for line in many.values():
        line.close()
    resident = server.resident()
    publications = {kind: len(server_bytes(f"{url}/{kind}.pb")) for kind in ("trip-updates", "vehicle-positions", "alerts")}
    server.stop()
    process.kill()
    process.wait()
    return {"unchanged": statuses.count(304) / len(statuses), "request": statistics.mean(requests),
            "not_modified": statistics.mean(sizes[304]), "changed": statistics.mean(sizes[200]),
            "streamed": streamed / seconds / len(paths), "changes": events["change"] / seconds / len(paths),
            "verified": events["verified"] / seconds / len(paths), "stream_memory": memory, "resident": resident,
            "publications": publications}


def server_bytes(url):
    """What a producer publishes."""
    import urllib.request
    with urllib.request.urlopen(url) as answer:
        return answer.read()


# MARK: All of it


def measure(program, name, minutes, build):
    WORK.mkdir(parents=True, exist_ok=True)
    stops, stop_times = NETWORKS[name]
    folder, archive = network(program, name, stops, stop_times)
    data = WORK / f"data-{stops}"
    if not data.exists():
        imported(program, archive, data)
    for number in [*range(IDLE), "import"]:
        subprocess.run(["rm", "-rf", WORK / f"replica-{number}"], check=True)
    cluster = Cluster("shared_buffers=256MB", f"max_connections={max(LISTENERS) + 100}")
    run(program, "migrate", "--database", cluster.url)
    found = {}

    def add(name, value, unit, what):
        digits = 4 if abs(value) < 1 else 1
        found[name] = {"value": round(value, digits) if unit != "µs" else round(value, 1), "unit": unit, "what": what}

    add("check", check(cluster) * 1e6, "µs", "processor time of PostgreSQL for a check of a lease, under load")
    each = connections(cluster)
    add("connect", each["processor"] * 1e6, "µs", "processor time of PostgreSQL to open a connection that listens")
    add("connection", each["memory"] / 1e6, "MB", "memory of PostgreSQL for a connection, without what all share")
    for count in LISTENERS:
        spread = announcements(cluster, count)
        add(f"announce_{count}", spread["processor"] * 1e6, "µs",
            f"processor time of PostgreSQL for an announcement, for each of {count:,} connections that listen")
        add(f"announced_{count}", spread["last"] * 1e3, "ms", f"until the last of {count:,} connections has it")
    most = max(LISTENERS)
    add("wake_another", disregarded(cluster, most) * 1e6, "µs",
        f"the same for each of {most:,} connections that listen to something else")
    chosen, content, seed = trips(folder, 1_000), b"", 0
    while len(content) < PUBLICATION:
        content += entities(chosen, seed)
        seed += 1
    read = publication(cluster, content[:PUBLICATION])
    megabytes = PUBLICATION / 1e6
    add("read", read["processor"] / megabytes * 1e3, "ms/MB", "processor time of PostgreSQL to hand out a publication")
    add("read_bytes", read["on_wire"] / PUBLICATION, "×", "bytes on the wire for a byte of a publication")
    add("stored_bytes", read["stored"] / PUBLICATION, "×", "bytes in the table for a byte of a publication")
    idle = rest(program, cluster, archive, data)
    cluster.stop()
    add("connections", idle["connections"], "", "connections of a replica with three sources and timetables, at rest")
    add("statements", idle["statements"], "/s", "transactions of a replica at rest")
    add("rest", idle["processor"] * 1e6, "µs/s", "processor time of PostgreSQL for a replica at rest")
    watched = clients(program, folder, data, minutes)
    add("unchanged", watched["unchanged"], "", f"share of 304 of a client that polls every {INTERVAL} s, at rush hour")
    add("request", watched["request"], "B", "a request of such a client")
    add("not_modified", watched["not_modified"], "B", "a 304")
    add("changed", watched["changed"], "B", "a board of 20 departures that changed, with gzip")
    add("streamed", watched["streamed"], "B/s", "bytes of a stream, without compression")
    add("stream_changes", watched["changes"], "/s", "changes of a stream")
    add("stream_memory", watched["stream_memory"] / 1e3, "kB", "memory of a server for a stream")
    add("resident", watched["resident"] / 1e6, "MB", f"memory of that server, with {name}")
    add("publication", sum(watched["publications"].values()) / 1e6, "MB", f"trip updates, vehicle positions and alerts of {name}")
    return {"build": build, "network": name, "date": datetime.date.today().isoformat(), "costs": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--network", choices=NETWORKS, default="10,000 stops", help="the network whose boards are watched")
    parser.add_argument("--minutes", type=float, default=5, help="how long boards are watched")
    parser.add_argument("--build", default="release", help="what is said of the program in the file")
    parser.add_argument("--json", help="write the figures to this file instead of the standard output")
    options = parser.parse_args()
    text = json.dumps(measure(options.program, options.network, options.minutes, options.build), indent=1, ensure_ascii=False) + "\n"
    if options.json:
        Path(options.json).write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
