#!/usr/bin/env python3
"""A model of many servers that share one PostgreSQL: what flows, how long a publication takes, and which limit comes first.

Usage: scale_model.py [--costs FILE] [--seed N] [--check PAGE]

It simulates publications on their way from the producer through the leader and the database to every replica, and polls of
clients on theirs to a replica. Costs are those of scale_costs.json, which scale_costs.py measures, and of the README. The same
seed gives the same numbers. --check compares the tables with those of a page, Documentation/scale.md, and says what differs.
"""

import argparse
import heapq
import json
import random
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Connections of a replica that listen, for realtime and for timetables; an announcement wakes all that listen in a database,
#: to whatever.
LISTENING = 2
REPLICAS = (1, 10, 100, 1_000)
BOARDS = (10_000, 100_000, 1_000_000)
SEED = 1
#: Publications that are simulated, and clients that represent all others.
PUBLICATIONS, CLIENTS = 40, 50_000


@dataclass(frozen=True)
class World:
    """What a run assumes; nothing here is measured."""

    #: Cores of the database's machine, and bytes that its network carries a second.
    cores: int = 16
    network: float = 10e9 / 8
    #: Connections that it is set up for; PostgreSQL's own default is 100.
    connections: int = 2_000
    #: Seconds from one machine to another, there and back: least and most.
    trip: tuple[float, float] = (0.0003, 0.001)
    #: The share of announcements that a replica does not get; it reads the newest position within a second (SR7).
    lost: float = 0.001
    check: float = 1.0
    #: Cores of a replica, and bytes that its network carries a second.
    replica_cores: int = 4
    replica_network: float = 1e9 / 8
    #: One client watches a board, so no board is rendered for two; this share of clients has a stream open.
    streaming: float = 0.2
    #: Of so many replicas one reads from the database and passes on to the others; 0 if all of them read from it.
    fan_out: int = 0


@dataclass(frozen=True)
class Published:
    """What the README measured, with the release build on two cores, and two limits of the program."""

    #: Megabytes of trip updates, seconds between two of them, and seconds to decode and to index them.
    megabytes: float = 9.8
    interval: float = 15
    applied: float = 0.023 + 0.043
    #: Core seconds of a board that is rendered again: two cores render 8,107 a second.
    board: float = 2 / 8_107
    #: Megabytes of a server with 20 million stop times and such a feed, and of that timetable.
    resident: float = 719
    timetable: float = 240
    #: The window over which clients spread after a publication: two thirds of the interval.
    window: float = 10
    #: ServerLimits.connections, of which each stream has one.
    streams: int = 4_096


class Costs:
    """Measured costs by name."""

    def __init__(self, file):
        self.found = {name: each["value"] for name, each in json.loads(Path(file).read_text())["costs"].items()}

    def __getitem__(self, name):
        return self.found[name]

    def announce(self, listeners):
        """Core seconds of an announcement for one of so many connections that listen: between what was measured, on a line."""
        points = sorted((int(name.split("_")[1]), value / 1e6) for name, value in self.found.items()
                        if name.startswith("announce_"))
        for (less, low), (more, high) in zip(points, points[1:]):
            if listeners <= more:
                share = max(0, (listeners - less) / (more - less))
                return low + (high - low) * share
        return points[-1][1]


# MARK: From the producer to the replicas


class Machine:
    """Cores that work on one thing after another, in the order in which they come."""

    def __init__(self, cores, idle=1.0):
        # What the machine does all the time makes each core slower.
        self.free = [0.0] * cores
        self.slowdown = 1 / max(0.01, idle)

    def work(self, at, seconds):
        """When work is over that comes at an instant."""
        begin = max(at, heapq.heappop(self.free))
        end = begin + seconds * self.slowdown
        heapq.heappush(self.free, end)
        return end


def readers(world, replicas):
    """Replicas that read from the database."""
    return replicas if not world.fan_out else max(1, -(-replicas // world.fan_out))


def publication(world, costs, replicas, rng):
    """Seconds from a commit until each replica shows a publication; the first one is the leader, which has it."""
    direct = readers(world, replicas)
    size = Published.megabytes * 1e6 * costs["read_bytes"]
    rest = direct * costs["rest"] / 1e6 / world.cores
    database, line = Machine(world.cores, 1 - rest), Machine(1)
    # The one that commits tells the connections that listen, one after the other.
    events = []
    for number in range(direct):
        told = database.work(0, LISTENING * costs.announce(LISTENING * direct))
        if rng.random() < world.lost:
            told = rng.random() * world.check
        heapq.heappush(events, (told + rng.uniform(*world.trip) / 2, number, "marks"))
    shown = []
    while events:
        at, number, step = heapq.heappop(events)
        if step == "marks":
            done = database.work(at, costs["check"] / 1e6)
            heapq.heappush(events, (done + rng.uniform(*world.trip), number, "content" if number else "index"))
        elif step == "content":
            done = database.work(at, Published.megabytes * costs["read"] / 1e3)
            heapq.heappush(events, (done, number, "line"))
        elif step == "line":
            # The database's network carries one after the other, and a replica receives no faster than its own network.
            arrived = max(line.work(at, size / world.network), at + size / world.replica_network)
            heapq.heappush(events, (arrived + rng.uniform(*world.trip) / 2, number, "index"))
        else:
            shown.append(at + Published.applied * rng.uniform(0.9, 1.3))
            if world.fan_out:
                shown += relayed(world, size, at, min(world.fan_out, replicas - number * world.fan_out) - 1, rng)
    return shown


def relayed(world, size, at, count, rng):
    """When replicas show a publication that they have from a relay, which has it at an instant."""
    line, shown = Machine(1), []
    for _ in range(count):
        arrived = line.work(at + rng.uniform(*world.trip), size / world.replica_network)
        shown.append(arrived + Published.applied * rng.uniform(0.9, 1.3))
    return shown


def percentiles(values):
    """Median and 99th percentile."""
    parts = statistics.quantiles(values, n=100, method="inclusive")
    return parts[49], parts[98]


def database(world, costs, replicas, seed):
    """What so many replicas do to the database."""
    direct = readers(world, replicas)
    rng = random.Random(f"{seed} {replicas} {world.fan_out}")
    shown = [each for _ in range(PUBLICATIONS) for each in publication(world, costs, replicas, rng)]
    p50, p99 = percentiles(shown)
    reading = (direct - 1) * Published.megabytes * costs["read"] / 1e3
    size = Published.megabytes * 1e6 * costs["read_bytes"] * (direct - 1)
    rest = direct * costs["rest"] / 1e6
    announced = LISTENING * direct * costs.announce(LISTENING * direct)
    timetable = (direct - 1) * Published.timetable
    relays = Published.timetable * 1e6 / world.replica_network * max(0, min(world.fan_out, replicas) - 1)
    return {
        "replicas": replicas, "connections": direct * costs["connections"],
        "memory": direct * costs["connections"] * costs["connection"] / 1e3,
        "statements": direct * (costs["statements"] + 2 / Published.interval),
        "cores": rest + (reading + announced) / Published.interval,
        "bytes": size / Published.interval, "burst": size, "p50": p50, "p99": p99,
        "timetable": relays + max(timetable * 1e6 * costs["read_bytes"] / world.network,
                                  timetable * costs["read"] / 1e3 / world.cores,
                                  Published.timetable * 1e6 / world.replica_network if direct > 1 else 0),
        "limits": {
            "connections": direct * costs["connections"] / world.connections,
            "network of the database": size / Published.interval / world.network,
            "processor of the database": (rest + (reading + announced) / Published.interval) / world.cores,
        },
    }


# MARK: From the replicas to the clients


def clients(world, costs, replicas, boards, seed):
    """What clients of so many boards do to so many replicas, which take turns."""
    rng = random.Random(f"{seed} {boards}")
    polling, streams = boards * (1 - world.streaming), boards * world.streaming
    # Each client has its place in the window after a publication, and whether its board changed is random.
    seconds, sent = [0] * int(Published.interval), 0.0
    for _ in range(CLIENTS):
        seconds[int(rng.random() * Published.window)] += 1
        sent += costs["not_modified"] if rng.random() < costs["unchanged"] else costs["changed"]
    scale = polling / CLIENTS
    busiest, mean = max(seconds) * scale, polling / Published.interval
    answers = sent * scale / Published.interval
    streamed = streams * costs["streamed"]
    # A board of a stream is rendered at least for each publication.
    changing = streams * max(costs["stream_changes"], 1 / Published.interval)
    cores = (mean + changing) * Published.board / replicas
    peak = (busiest + changing * Published.interval / Published.window) * Published.board / replicas
    memory = Published.resident + streams / replicas * costs["stream_memory"] / 1e3
    return {
        "boards": boards, "replicas": replicas, "mean": mean, "busiest": busiest, "bytes": answers + streamed,
        "requested": mean * costs["request"], "each": busiest / replicas, "cores": cores, "streams": streams / replicas,
        "memory": memory,
        "limits": {
            "processor of the replicas": peak / world.replica_cores,
            "network of the replicas": (answers + streamed) * Published.interval / Published.window / replicas / world.replica_network,
            "streams of a replica": streams / replicas / Published.streams,
        },
    }


# MARK: Tables


def quantity(value):
    """A number with about two digits that count."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.01 else "< 0.01"


def size(value):
    """Bytes in a unit that leaves a short number."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor:
            return f"{quantity(value / factor)} {unit}"
    return f"{value:.0f} B"


def nearest(limits):
    """The limit that is nearest, or exceeded most, and how far it is used."""
    name = max(limits, key=lambda each: limits[each])
    text = f"{name}: {quantity(limits[name] * 100)} %"
    return f"**{text}**" if limits[name] > 1 else text


def table_of_database(world, costs, seed):
    rows = ["| replicas | connections; their memory | transactions a second | cores | bytes a second | of one publication "
            "| shown after the commit, p50 / p99 | timetable at all | nearest limit |", "|---:" * 8 + "|---|"]
    for replicas in REPLICAS:
        each = database(world, costs, replicas, seed)
        rows.append(
            f"| {replicas:,} | {each['connections']:,.0f}; {size(each['memory'] * 1e9)} | {quantity(each['statements'])} "
            f"| {quantity(each['cores'])} | {size(each['bytes'])} | {size(each['burst'])} "
            f"| {quantity(each['p50'])} / {quantity(each['p99'])} s | {quantity(each['timetable'])} s | {nearest(each['limits'])} |")
    return rows


def table_of_clients(world, costs, seed):
    rows = ["| boards | replicas | polls a second: mean / busiest | bytes a second | of a replica: polls in the busiest second | cores, mean "
            "| streams | memory | nearest limit |", "|---:" * 8 + "|---|"]
    for boards in BOARDS:
        for replicas in REPLICAS:
            each = clients(world, costs, replicas, boards, seed)
            rows.append(
                f"| {boards:,} | {replicas:,} | {quantity(each['mean'])} / {quantity(each['busiest'])} | {size(each['bytes'])} "
                f"| {quantity(each['each'])} | {quantity(each['cores'])} | {quantity(each['streams'])} "
                f"| {size(each['memory'] * 1e6)} | {nearest(each['limits'])} |")
    return rows


def tables(costs, seed):
    """The tables of the page, by name."""
    world = World()
    return {
        "database": table_of_database(world, costs, seed),
        "clients": table_of_clients(world, costs, seed),
        "fan-out": table_of_database(replace(world, fan_out=32), costs, seed),
        "costs": table_of_costs(HERE / "scale_costs.json"),
    }


def table_of_costs(file):
    found = json.loads(Path(file).read_text())
    return ["| measured | |", "|---|---:|",
            *(f"| {each['what']} | {each['value']:,} {each['unit']}".rstrip() + " |" for each in found["costs"].values())]


def differences(page, found):
    """What a page says otherwise; a table is between two comments that name it."""
    text, faults = Path(page).read_text(), []
    for name, rows in found.items():
        begin, end = f"<!-- model: {name} -->\n", "<!-- end -->"
        if begin not in text:
            faults.append(f"{page}: has no table {name}")
            continue
        said = text.partition(begin)[2].partition(end)[0].split("\n")[:-1]
        if said != rows:
            place = next((number for number, pair in enumerate(zip(said, rows)) if pair[0] != pair[1]), min(len(said), len(rows)))
            faults.append(f"{page}: the table {name} differs in its row {place}; Benchmarks/scale_model.py prints it")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--costs", default=HERE / "scale_costs.json", help="the measured costs")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--check", metavar="PAGE", help="compare the tables with those of a page")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into a page")
    options = parser.parse_args()
    found = tables(Costs(options.costs), options.seed)
    if options.write:
        page = Path(options.write)
        text = page.read_text()
        for name, rows in found.items():
            head, begin, rest = text.partition(f"<!-- model: {name} -->\n")
            text = head + begin + "\n".join(rows) + "\n" + rest[rest.index("<!-- end -->"):]
        page.write_text(text)
        return 0
    if options.check:
        faults = differences(options.check, found)
        print("\n".join(faults), file=sys.stderr) if faults else None
        return 1 if faults else 0
    for name, rows in found.items():
        print(f"{name}\n\n" + "\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
