"""Realtime for a generated timetable, encoded here: nothing of the program's own simulator is in it.

A publication of trip updates is what a producer with predictions sends at NOW: for each trip that runs or
is about to, the stop it was at last and all that follow, each with arrival and departure as time and delay.
2 % of the trips are cancelled, 1 % of the stops skipped, 1 % of the trips modified: a stop is replaced.
Vehicle positions are of the same trips, alerts of stops.
"""

import csv
import datetime
import random
import struct
import zoneinfo
from itertools import groupby

from stand import DAY, NOW, WORK

MIDNIGHT = int((datetime.datetime.fromisoformat(f"{DAY}T12:00")
                .replace(tzinfo=zoneinfo.ZoneInfo("Europe/Zurich"))
                - datetime.timedelta(hours=12)).timestamp())
START = int(datetime.datetime.fromisoformat(NOW).timestamp())
AHEAD = 3 * 3_600
# One trip in so many is modified, and there are so many alerts.
MODIFIED, ALERTS = 100, 600


def rows(path):
    """The rows of a table as dictionaries."""
    with open(path, encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def services(folder):
    """The services that run on DAY."""
    day = DAY.replace("-", "")
    name = datetime.date.fromisoformat(DAY).strftime("%A").lower()
    active = {row["service_id"] for row in rows(folder / "calendar.txt")
              if row[name] == "1" and row["start_date"] <= day <= row["end_date"]}
    for row in rows(folder / "calendar_dates.txt"):
        if row["date"] == day:
            (active.add if row["exception_type"] == "1" else active.discard)(row["service_id"])
    return active


def seconds(text):
    """Seconds of a time of day."""
    return (int(text[:-6]) * 60 + int(text[-5:-3])) * 60 + int(text[-2:])


def trips(folder, count):
    """The trips that are under way at NOW, and then those that start next, each with its stop times.

    Relies on what the sample network writes: rows grouped by trip, in order, without quotes.
    """
    now, active = START - MIDNIGHT, services(folder)
    routes = {row["trip_id"].encode(): row["route_id"].encode() for row in rows(folder / "trips.txt")
              if row["service_id"] in active}
    found = []
    with open(folder / "stop_times.txt", "rb") as file:
        names = file.readline().strip().split(b",")
        places = [names.index(name) for name in
                  [b"stop_sequence", b"stop_id", b"arrival_time", b"departure_time"]]
        for trip, lines in groupby(file, lambda line: line[:line.index(b",")]):
            if trip not in routes:
                continue
            lines = list(lines)
            first = seconds(lines[0].split(b",")[places[3]])
            if first > now + AHEAD or seconds(lines[-1].split(b",")[places[2]]) < now:
                continue
            calls = []
            for line in lines:
                fields = line.split(b",")
                sequence, stop, arrival, departure = (fields[place] for place in places)
                if not departure:
                    continue
                calls.append((int(sequence), stop, seconds(arrival), seconds(departure)))
            found.append((max(first, now), trip, routes[trip], calls))
    found.sort(key=lambda entry: entry[:2])
    if len(found) < count:
        raise SystemExit(f"{folder} has {len(found)} trips at {NOW}, not {count}")
    return [entry[1:] for entry in found[:count]]


def varint(value):
    """A number in base 128, negative ones as 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    """A field with a length."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def event(delay, scheduled):
    """A StopTimeEvent: delay and time."""
    return b"\x08" + varint(delay) + b"\x10" + varint(MIDNIGHT + scheduled + delay)


def entities(chosen, seed):
    """The entities of a publication; another seed gives another delay at every stop."""
    rng = random.Random(seed)
    now, date = START - MIDNIGHT, DAY.replace("-", "").encode()
    parts = []
    for number, (trip, route, calls) in enumerate(chosen):
        cancelled = rng.random() < 0.02
        descriptor = field(1, trip) + field(3, date) + field(5, route)
        descriptor += b"\x20\x03" if cancelled else b""
        update = field(1, descriptor)
        if not cancelled:
            delay = rng.choice([-30, 0, 0, 30, 60, 120, 300]) + 6 * rng.randrange(1, 10)
            last = max((place for place, call in enumerate(calls) if call[3] <= now), default=0)
            for sequence, stop, arrival, departure in calls[last:]:
                delay += 6 * rng.randrange(-2, 3)
                body = b"\x08" + varint(sequence)
                if rng.random() < 0.01:
                    body += field(4, stop) + b"\x28\x01"
                else:
                    body += field(2, event(delay, arrival)) + field(3, event(delay, departure))
                    body += field(4, stop)
                update += field(2, body)
        parts.append(field(2, field(1, b"%d" % number) + field(3, update)))
    return b"".join(parts)


def modifications(chosen, _):
    """TripModifications: the third stop from the end is replaced by the first, a minute after the one before."""
    parts = []
    for number, (trip, _route, calls) in enumerate(chosen[::MODIFIED]):
        if len(calls) < 6:
            continue
        place = b"\x08" + varint(calls[-3][0])
        change = field(1, place) + field(2, place) + field(4, b"\x08\x3c" + field(2, calls[0][1]))
        body = field(1, field(1, trip)) + field(3, DAY.replace("-", "").encode()) + field(4, change)
        parts.append(field(2, field(1, b"m%d" % number) + field(8, body)))
    return b"".join(parts)


def vehicles(chosen, seed):
    """A vehicle for each trip: where it is, at or before which stop, and how full."""
    rng = random.Random(seed)
    now, date = START - MIDNIGHT, DAY.replace("-", "").encode()
    parts = []
    for number, (trip, route, calls) in enumerate(chosen):
        next_call = next((call for call in calls if call[3] >= now), calls[-1])
        place = struct.pack("<BfBf", 0x0D, 46 + rng.random(), 0x15, 6 + rng.random())
        body = field(1, field(1, trip) + field(3, date) + field(5, route)) + field(2, place)
        body += b"\x18" + varint(next_call[0]) + b"\x20" + varint(rng.randrange(3))
        body += field(7, next_call[1]) + b"\x48" + varint(rng.randrange(6))
        parts.append(field(2, field(1, b"v%d" % number) + field(4, body)))
    return b"".join(parts)


def alerts(chosen, seed):
    """Alerts about stops."""
    stops = sorted({call[1] for _, _, calls in chosen for call in calls})
    parts = []
    for number, stop in enumerate(random.Random(seed).sample(stops, min(ALERTS, len(stops)))):
        text = field(1, field(1, b"Works at %s" % stop) + field(2, b"en"))
        parts.append(field(2, field(1, b"a%d" % number) + field(5, field(5, field(5, stop)) + field(10, text))))
    return b"".join(parts)


# The feeds of a producer, by name, and what makes their entities.
FEEDS = {"trip-updates": [entities, modifications], "vehicle-positions": [vehicles], "alerts": [alerts]}


def publications(folder, count, most=None):
    """Of each feed the entities of two publications that differ, of trip updates of at most so many bytes; kept between runs."""
    size = f"-{most}" if most else ""
    files = {name: [WORK / f"{folder.name}-{count}{size}-{name}-{seed}.entities" for seed in (1, 2)] for name in FEEDS}
    every = [file for pair in files.values() for file in pair]
    archive = folder.with_suffix(".zip")
    if any(not file.exists() or file.stat().st_mtime < archive.stat().st_mtime for file in every):
        chosen = trips(folder, count)
        if most:
            whole = len(entities(chosen, 1))
            chosen = chosen[:min(count, count * most // whole)]
        for name, makers in FEEDS.items():
            for seed, file in enumerate(files[name], 1):
                file.write_bytes(b"".join(make(chosen, seed) for make in makers))
    return {name: [file.read_bytes() for file in pair] for name, pair in files.items()}


def header(timestamp):
    """The header of a publication, as the first bytes of a FeedMessage."""
    return field(1, field(1, b"2.0") + b"\x10\x00" + b"\x18" + varint(timestamp))
