#!/usr/bin/env python3
"""Measures boards with realtime: ticks, readers during ticks, boards, unchanged answers, streams, memory.

Usage: realtime.py PROGRAM [--small] [--json FILE]

Every figure is shown beside something this project did not write, or beside the other side of its ratio,
in the same run. The trip updates are encoded by updates.py, not by the program. The thresholds are in
thresholds.json; the exit code is 1 if one is missed. With --small, the network has 200 stops and nothing
is judged.
"""

import argparse
import datetime
import itertools
import json
import random
import re
import statistics
import subprocess
import sys
import time

from producer import LAG, Producer
from readers import Reader
from stand import (BOARD, HERE, NETWORKS, ROUNDS, WORK, Server, finish, imported, load, network,
                   stations)
from subscribers import Subscribers
from updates import START, header, publications

SCHEMA = HERE.parent / "Sources/Boards/GTFSRealtime/Generated/gtfs-realtime.proto"
PYTHONS = [sys.executable, "/usr/bin/python3"]
TICKS = 5
# Milliseconds between two polls, so that a measurement need not wait for a tick as long as a person.
POLL = 3_000
# Seconds between two boards that a reader reads.
PERIOD = 0.002
# Second of a minute from which a measurement waits for the next minute.
QUIET_FROM = 25
# More boards than a server keeps, so that each has to be made.
COLD = 12_000
# A share of answers with another body than expected that a round may have: boards change.
STRAY = 0.05


class Pair:
    """A server with realtime, one without, one with trip updates alone, and the producers of the realtime."""

    def __init__(self, program, name, count, most=None):
        stops, stop_times = NETWORKS[name]
        folder, archive = network(program, name, stops, stop_times)
        data = WORK / f"data-{stops}"
        imported(program, archive, data)
        ids = stations(folder, data)
        self.busiest = ids[0]
        self.sample = random.Random(1).sample(ids, min(1_000, len(ids)))
        several = [f"{BOARD}{id}&window_minutes={210 + more}" for more in range(COLD // len(ids) + 1)
                   for id in ids]
        self.cold = random.Random(2).sample(several, COLD)
        feeds = publications(folder, count, most)
        self.feed = feeds["trip-updates"]
        self.static = Server(program, data)
        self.producers = {name: Producer(feed) for name, feed in feeds.items()}
        self.producer = self.producers["trip-updates"]
        sources = [word for name, producer in self.producers.items()
                   for word in (f"--{name}", producer.url, "--poll", f"{name}={POLL}")]
        self.live = Server(program, data, *sources)
        # Its producer publishes only before it is measured, so that it does no work beside the others.
        self.alone = Producer(self.feed)
        self.trips = Server(program, data, "--trip-updates", self.alone.url, "--poll", f"trip-updates={POLL}")
        for producer in [*self.producers.values(), self.alone]:
            if not producer.ticks:
                producer.next_tick()
        self.alone.is_held = True
        self.wait()
        self.wait(self.trips, self.alone)

    def wait(self, server=None, producer=None, longest=30):
        """Waits until boards show the publication fetched last; the seconds since it was sent."""
        server, producer = server or self.live, producer or self.producer
        tick = producer.ticks[-1]
        while time.monotonic() < tick.sent + longest:
            fields, _ = server.get(BOARD + self.busiest)
            if fields["x-md-rt-fetched-at"] == text(tick.timestamp):
                return time.monotonic() - tick.sent
            time.sleep(0.005)
        raise SystemExit(f"no board shows a publication after {longest} s")

    def quiet(self):
        """Waits for a tick and holds the next one back: for 40 s, realtime is fresh and no tick comes.

        Trip updates come last, and are made after the others arrived: `since_rt` names a publication of trip updates, so
        it says nothing about vehicles and alerts that came later. Departures are at full minutes: a good part of the
        minute is left, or most boards would change by themselves.
        """
        for name, producer in sorted(self.producers.items(), key=lambda item: item[0] == "trip-updates"):
            if name == "trip-updates":
                time.sleep(LAG + 1)
                if self.producer.now() % 60 > QUIET_FROM:
                    time.sleep(60 + LAG - self.producer.now() % 60)
            self.publish(producer)
        self.publish(self.alone)
        self.wait(self.trips, self.alone)
        self.wait()
        time.sleep(0.2)

    @staticmethod
    def publish(producer):
        """Lets one publication be fetched."""
        producer.is_held = False
        producer.next_tick()
        producer.is_held = True

    def ticks(self, count):
        """Lets ticks come that change every trip; for each, seconds of its parts."""
        for producer in self.producers.values():
            producer.is_held, producer.alternates = False, True
        found = []
        for _ in range(count):
            self.producer.next_tick()
            found.append({"shown": self.wait(), **self.parts()})
        for producer in self.producers.values():
            producer.alternates = False
        return {part: statistics.median(tick[part] for tick in found) for part in found[0]}

    def parts(self):
        """What the server says of its last tick."""
        metrics = self.live.get("/metrics")[1].decode()
        pattern = r'^freshet_realtime_(decode|index)_seconds\{[^}]*kind="(\w+)"[^}]*\} (\S+)'
        found = re.findall(pattern, metrics, re.MULTILINE)
        trips = {part: float(seconds) for part, kind, seconds in found if kind == "trip_updates"}
        return {**trips, "others": sum(float(seconds) for _, kind, seconds in found if kind != "trip_updates")}

    def stop(self):
        for server in [self.live, self.static, self.trips]:
            server.stop()
        for producer in [*self.producers.values(), self.alone]:
            producer.stop()


def text(timestamp):
    """An instant in whole seconds as boards have it."""
    return datetime.datetime.fromtimestamp(timestamp, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def decoded(feed):
    """What Python's protobuf needs for the same bytes."""
    schema, content = WORK / "gtfs-realtime.bin", WORK / "feed.pb"
    subprocess.run(["protoc", f"--descriptor_set_out={schema}", f"--proto_path={SCHEMA.parent}", SCHEMA.name],
                   check=True)
    content.write_bytes(header(START) + feed)
    for python in PYTHONS:
        if subprocess.run([python, "-c", "import google.protobuf"], capture_output=True).returncode == 0:
            out = subprocess.run([python, HERE / "decode.py", schema, content], check=True,
                                 capture_output=True).stdout
            content.unlink()
            return json.loads(out)
    raise SystemExit("Python's protobuf is missing (Debian: python3-protobuf)")


def ticks(pair):
    """A tick beside Python's protobuf decoding the same bytes."""
    peer = decoded(pair.feed[0])
    found = pair.ticks(TICKS)
    both = found["decode"] + found["index"]
    return {"bytes": len(pair.feed[0]), "trips": peer["trips"], "stop_times": peer["stop_times"],
            "decode_s": found["decode"], "index_s": found["index"], "tick_s": both, "others_s": found["others"],
            "shown_s": found["shown"], "peer": peer, "tick_over_decode": both / peer["decode_s"],
            "tick_over_read": both / peer["read_s"]}


def readers(pair):
    """Latencies of boards while ticks are worked on, beside those of the time between.

    Every board has to be made, on both sides.
    """
    reader = Reader(pair.live.url, pair.cold, PERIOD)
    first = len(pair.producer.ticks)
    pair.ticks(TICKS)
    time.sleep(2)
    samples = reader.stop()
    windows = []
    for tick in pair.producer.ticks[first:]:
        # A tick that no board shows yet lasts until the end.
        shown = next((sample for sample in samples
                      if sample.fetched_at >= text(tick.timestamp).encode()), samples[-1])
        windows.append((tick.asked, shown.due + shown.seconds))
    during, between = [], []
    for sample in samples:
        if any(begin <= sample.due <= end for begin, end in windows):
            during.append(sample.seconds)
        elif all(abs(sample.due - end) > 0.5 for _, end in windows):
            between.append(sample.seconds)
    return {"windows_s": [end - begin for begin, end in windows],
            "during": latencies(during), "between": latencies(between)}


def latencies(seconds):
    """Median, 99th percentile and maximum in milliseconds."""
    parts = statistics.quantiles(seconds, n=100)
    return {"count": len(seconds), "p50_ms": parts[49] * 1e3, "p99_ms": parts[98] * 1e3,
            "most_ms": max(seconds) * 1e3}


def not_modified(pair):
    """Requests of clients that have the board as it is now, for 304."""
    return [(BOARD + id, {"If-None-Match": pair.live.get(BOARD + id)[0]["ETag"]}) for id in pair.sample[:200]]


def no_content(pair):
    """Requests of clients that have the board as it is now, for 204: of boards that have not changed since the publication."""
    since = pair.live.get(BOARD + pair.busiest)[0]["x-md-rt-fetched-at"]
    paths = (f"{BOARD}{id}&if_board=1&since_rt={since}" for id in pair.sample)
    return list(itertools.islice((path for path in paths if not pair.live.get(path)[1]), 200))


def boards(pair):
    """Boards with realtime beside boards without, and unchanged answers beside hello-world."""
    hot = [BOARD + pair.busiest]
    rounds = []
    for _ in range(ROUNDS):
        pair.quiet()
        found = {}
        for kind, server, requests in [
                # At once: a board that changes by itself is no 204 until the next publication.
                ("no_content", pair.live, no_content), ("hello", pair.live, ["/version.json"]),
                ("not_modified", pair.live, not_modified), ("hot_static", pair.static, hot),
                ("hot", pair.live, hot), ("cold_static", pair.static, pair.cold),
                ("cold_trips", pair.trips, pair.cold), ("cold", pair.live, pair.cold)]:
            if callable(requests):
                # Asked for at once, as a board changes with every departure.
                requests = requests(pair)
            before = server.processor()
            met = load(server.url, requests, 8, in_order=requests is pair.cold)
            found[kind] = {**met._asdict(), "cpu_us": (server.processor() - before) / met.count * 1e6}
        for kind in ["not_modified", "no_content"]:
            if found[kind]["bytes"] > 1_000 + STRAY * found["cold"]["bytes"]:
                raise SystemExit(f"{kind}: {found[kind]['bytes']:.0f} bytes an answer: boards were sent")
        rounds.append(found)
    ratios = {"cold": "cold_static", "cold_trips": "cold_static", "hot": "hot_static", "not_modified": "hello", "no_content": "hello"}
    figure = {kind: {name: statistics.median(found[kind][name] for found in rounds)
                     for name in rounds[0][kind]} for kind in rounds[0]}
    for kind, other in ratios.items():
        figure[kind]["ratio"] = statistics.median(
            found[kind]["per_s"] / found[other]["per_s"] for found in rounds)
        figure[kind]["cpu_ratio"] = statistics.median(
            found[other]["cpu_us"] / found[kind]["cpu_us"] for found in rounds)
    return figure


def streams(pair, count, ids, per_s):
    """One tick for many open streams: when they have the change, and what they take in memory."""
    before = pair.live.resident()
    paths = [BOARD.replace("?", "/stream?") + ids[number % len(ids)] for number in range(count)]
    subscribers = Subscribers(pair.live.url, paths)
    opened = pair.live.resident()
    pair.quiet()
    known = text(pair.producer.ticks[-1].timestamp)
    subscribers.drain()
    spent = time.thread_time()
    pair.producer.is_held, pair.producer.alternates = False, True
    arrivals = subscribers.arrivals(rf'"rtFetchedAt":"(?!{known})')
    spent = time.thread_time() - spent
    pair.producer.is_held, pair.producer.alternates = True, False
    sent = max(tick.sent for tick in pair.producer.ticks if tick.sent <= arrivals[0])
    after = pair.live.resident()
    subscribers.close()
    fan_out = arrivals[-1] - arrivals[0]
    return {"count": count, "first_s": arrivals[0] - sent, "median_s": statistics.median(arrivals) - sent,
            "last_s": arrivals[-1] - sent, "fan_out_s": fan_out, "client_s": spent,
            "over_polls": fan_out / (count / per_s), "before_mb": before / 1e6,
            "kb_each": (opened - before) / count / 1e3, "after_mb": after / 1e6}


def measure(program, small):
    WORK.mkdir(parents=True, exist_ok=True)
    figures = {}
    if not small:
        pair = Pair(program, "10,000 stops", 20_000, 10_000_000)
        figures["small_feed"] = ticks(pair)
        pair.stop()
    pair = Pair(program, "200 stops" if small else "30,000 stops", 1_000 if small else 64_000)
    figures["resident_static_mb"] = pair.static.resident() / 1e6
    figures["large_feed"] = ticks(pair)
    figures["resident_mb"] = pair.live.resident() / 1e6
    figures["most_resident_mb"] = pair.live.resident("VmHWM") / 1e6
    figures["readers"] = readers(pair)
    figures["boards"] = boards(pair)
    count, per_s = 100 if small else 1_000, figures["boards"]["hot"]["per_s"]
    figures["one_stop"] = streams(pair, count, [pair.busiest], per_s)
    figures["many_stops"] = streams(pair, count, pair.sample, figures["boards"]["cold"]["per_s"])
    figures["end_mb"] = pair.live.resident() / 1e6
    pair.stop()
    return figures


def table(figures):
    """The figures as Markdown."""
    print("| with realtime | | beside it |")
    print("|---|---|---|")

    def line(title, value, beside):
        print(f"| {title} | {value} | {beside} |")

    for part in ["small_feed", "large_feed"]:
        if part not in figures:
            continue
        feed = figures[part]
        peer = feed["peer"]
        title = f"{feed['bytes'] / 1e6:.1f} MB, {feed['trips']:,} trips, {feed['stop_times']:,} stop times"
        line(f"{title}: decode + index",
             f"{feed['decode_s'] * 1e3:.0f} + {feed['index_s'] * 1e3:.0f} ms",
             f"Python's protobuf ({peer['implementation']}): {peer['decode_s'] * 1e3:.0f} ms, "
             f"read once {peer['read_s'] * 1e3:.0f} ms")
        line("the same trips' vehicles, and alerts: decode + index", f"{feed['others_s'] * 1e3:.0f} ms", "–")
        line("last byte sent to board", f"{feed['shown_s'] * 1e3:.0f} ms", "–")
    during, between = figures["readers"]["during"], figures["readers"]["between"]
    line("boards during ticks, p50 / p99 / most",
         f"{during['p50_ms']:.2f} / {during['p99_ms']:.2f} / {during['most_ms']:.1f} ms",
         f"between: {between['p50_ms']:.2f} / {between['p99_ms']:.2f} / {between['most_ms']:.1f} ms")
    found = figures["boards"]
    for kind, title, other, name in [
            ("hot", "boards a second, one stop", "hot_static", "without sources"),
            ("cold_trips", "boards a second, each rendered again, with trip updates alone", "cold_static",
             "without sources"),
            ("cold", "the same with vehicles and alerts as well", "cold_static", "without sources"),
            ("not_modified", "304 a second", "hello", "hello-world"),
            ("no_content", "204 a second", "hello", "hello-world")]:
        line(title, f"{found[kind]['per_s']:,.0f} ({found[kind]['cpu_us']:.0f} µs of processor)",
             f"{name}: {found[other]['per_s']:,.0f} ({found[other]['cpu_us']:.0f} µs); ratio "
             f"{found[kind]['ratio']:.2f}, by processor time {found[kind]['cpu_ratio']:.2f}")
    for part, title in [("one_stop", "of one stop"), ("many_stops", "of many stops")]:
        stream = figures[part]
        line(f"{stream['count']:,} streams {title}: first / median / last has a tick",
             f"{stream['first_s'] * 1e3:.0f} / {stream['median_s'] * 1e3:.0f} / {stream['last_s'] * 1e3:.0f} ms",
             f"first to last {stream['fan_out_s'] * 1e3:.0f} ms: {stream['over_polls']:.2f} × as many polls "
             f"(client {stream['client_s'] * 1e3:.0f} ms)")
        line("memory of a stream", f"{stream['kb_each']:.0f} kB",
             f"{stream['before_mb']:,.0f} MB before, {stream['after_mb']:,.0f} MB after")
    line("resident with the large feed, most", f"{figures['resident_mb']:,.0f}, "
         f"{figures['most_resident_mb']:,.0f} MB", f"without sources: {figures['resident_static_mb']:,.0f} MB")


def judged(figures):
    """The figures that have a threshold."""
    found, large = figures["boards"], figures["large_feed"]
    during, between = figures["readers"]["during"], figures["readers"]["between"]
    return {
        "tick_10_mb_s": figures["small_feed"]["tick_s"],
        "tick_10_mb_over_protobuf_read": figures["small_feed"]["tick_over_read"],
        "tick_64000_trips_s": large["tick_s"] + large["others_s"],
        "board_p99_during_ticks_ms": during["p99_ms"],
        "board_p50_during_over_between": during["p50_ms"] / between["p50_ms"],
        "static_over_merged_hot": 1 / found["hot"]["ratio"],
        "static_over_merged_cold": 1 / found["cold_trips"]["ratio"],
        "static_over_all_cold": 1 / found["cold"]["ratio"],
        "hello_over_304": 1 / found["not_modified"]["ratio"],
        "hello_over_204": 1 / found["no_content"]["ratio"],
        "streams_over_polls": max(figures[part]["over_polls"] for part in ["one_stop", "many_stops"]),
        "realtime_resident_mb": figures["resident_mb"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--small", action="store_true", help="200 stops, to try it out")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.program, options.small)
    table(figures)
    return finish(figures, {} if options.small else judged(figures), options.json)


if __name__ == "__main__":
    sys.exit(main())
