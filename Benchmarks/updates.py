"""Trip updates for a generated timetable, encoded here: nothing of the program's own simulator is in them.

A publication is what a producer with predictions sends at NOW: for each trip that runs or is about to,
the stop it was at last and all that follow, each with arrival and departure as time and delay. 2 % of
the trips are cancelled, 1 % of the stops skipped.
"""

import csv
import datetime
import random
import zoneinfo
from itertools import groupby

from stand import DAY, NOW, WORK

MIDNIGHT = int((datetime.datetime.fromisoformat(f"{DAY}T12:00")
                .replace(tzinfo=zoneinfo.ZoneInfo("Europe/Zurich"))
                - datetime.timedelta(hours=12)).timestamp())
START = int(datetime.datetime.fromisoformat(NOW).timestamp())
AHEAD = 3 * 3_600


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
    chance = random.Random(seed)
    now, date = START - MIDNIGHT, DAY.replace("-", "").encode()
    parts = []
    for number, (trip, route, calls) in enumerate(chosen):
        cancelled = chance.random() < 0.02
        descriptor = field(1, trip) + field(3, date) + field(5, route)
        descriptor += b"\x20\x03" if cancelled else b""
        update = field(1, descriptor)
        if not cancelled:
            delay = chance.choice([-30, 0, 0, 30, 60, 120, 300]) + 6 * chance.randrange(1, 10)
            last = max((place for place, call in enumerate(calls) if call[3] <= now), default=0)
            for sequence, stop, arrival, departure in calls[last:]:
                delay += 6 * chance.randrange(-2, 3)
                body = b"\x08" + varint(sequence)
                if chance.random() < 0.01:
                    body += field(4, stop) + b"\x28\x01"
                else:
                    body += field(2, event(delay, arrival)) + field(3, event(delay, departure))
                    body += field(4, stop)
                update += field(2, body)
        parts.append(field(2, field(1, b"%d" % number) + field(3, update)))
    return b"".join(parts)


def publications(folder, count, most=None):
    """The entities of two publications that differ everywhere, of at most so many bytes; kept between runs."""
    size = f"-{most}" if most else ""
    files = [WORK / f"{folder.name}-{count}{size}-{seed}.entities" for seed in (1, 2)]
    archive = folder.with_suffix(".zip")
    if any(not file.exists() or file.stat().st_mtime < archive.stat().st_mtime for file in files):
        chosen = trips(folder, count)
        if most:
            whole = len(entities(chosen, 1))
            chosen = chosen[:min(count, count * most // whole)]
        for seed, file in enumerate(files, 1):
            file.write_bytes(entities(chosen, seed))
    return [file.read_bytes() for file in files]


def header(timestamp):
    """The header of a publication, as the first bytes of a FeedMessage."""
    return field(1, field(1, b"2.0") + b"\x10\x00" + b"\x18" + varint(timestamp))
