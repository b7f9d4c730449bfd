"""Writes trip updates in which every rule of the realtime merge is used, for any feed.

The feed of edge_feed.py with these is what real feeds hardly have: updates without dates, by route and
start, with contradicting sequences and stops, platforms of every spelling, gaps, copies, replacements.
"""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from pathlib import Path

from gtfs_oracle import Feed, Trip, format_time

RELATIONSHIPS = (0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 6, 7, 8, 4)


def varint(value: int) -> bytes:
    """Return a varint; negative numbers as 64 bits."""
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def message(**fields: object) -> bytes:
    """Return a message; fields are named f1, f2, …, a list is a repeated field, None is left out."""
    result = b""
    for name, value in fields.items():
        number = int(name[1:])
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                item = item.encode("utf-8")
            if isinstance(item, bytes):
                result += varint(number << 3 | 2) + varint(len(item)) + item
            elif item is not None:
                result += varint(number << 3) + varint(int(item))
    return result


class EdgeUpdates:
    """Draws trip updates for a feed, the same ones for the same seed."""

    def __init__(self, feed: Feed, day: date, now: int, seed: int) -> None:
        """Take the feed, a service day, and the instant of the publication."""
        self.feed, self.day, self.now = feed, day, now
        self.draw = random.Random(seed)
        # Of fields that were added later: the others stay what they were.
        self.later = random.Random(seed + 1)
        self.trips = [trip for trip in feed.trips.values() if len(trip.calls) > 1]
        self.stops = sorted(feed.stops)

    def feed_bytes(self, count: int) -> bytes:
        """Return a feed of some trip updates."""
        entities = [
            message(f1=f"e{number}", f3=self.trip_update()) for number in range(count)
        ]
        return message(f1=message(f1="2.0", f3=self.now), f2=entities)

    def running(self) -> Trip:
        """Draw a trip, rather one that runs on the day or the day before."""
        for _ in range(30):
            trip = self.draw.choice(self.trips)
            service = self.feed.services[trip.service_id]
            if service.runs_on(self.day) or service.runs_on(self.day - timedelta(days=1)):
                break
        return trip

    def trip_update(self) -> bytes:
        """Draw a trip update."""
        draw, trip = self.draw, self.running()
        relationship = draw.choice(RELATIONSHIPS)
        service = self.feed.services[trip.service_id]
        days = [self.day + timedelta(days=shift) for shift in (-1, 0, 0, 1)]
        day = draw.choice([d for d in days if service.runs_on(d)] or days)
        start = trip.calls[0].departure
        if trip.frequencies:
            frequency = draw.choice(trip.frequencies)
            start = frequency.start + frequency.headway * draw.randrange(4)
            if draw.random() < 0.4:
                start = max(0, start + draw.choice((-200, 70, 131, 900, 40_000)))
        given_day, given_start = day, start
        if start >= 86400 and draw.random() < 0.5:
            given_day = day + timedelta(days=1)
            given_start -= 86400 * draw.randrange(2)
        origin = self.feed.day_start(day, trip) + start - trip.calls[0].departure
        date_text = given_day.strftime("%Y%m%d") if draw.random() < 0.75 else None
        time_text = format_time(given_start) if draw.random() < 0.7 else None
        properties = None
        new_id = f"new-{draw.randrange(1000)}"
        if relationship == 6 and draw.random() < 0.7:
            moved = start + draw.choice((-600, 660, 0, 7200))
            origin += moved - start
            properties = message(
                f1=new_id, f2=day.strftime("%Y%m%d"), f3=format_time(max(0, moved))
            )
        trip_id = trip.trip_id
        if relationship in (1, 8) and draw.random() < 0.7:
            trip_id = new_id
        way = draw.random()
        by_route = way < 0.08 and relationship not in (1, 6, 8)
        descriptor = message(
            f1=None if by_route else "unknown" if way > 0.97 else trip_id,
            f2=format_time(start) if by_route else time_text,
            f3=day.strftime("%Y%m%d") if by_route else date_text,
            f4=relationship if relationship or draw.random() < 0.5 else None,
            f5=trip.route.route_id if by_route or draw.random() < 0.5 else None,
            f8=trip.trip_id if way > 0.985 else None,
        )
        if properties is None and draw.random() < 0.1:
            properties = message(f5=f"Sign {draw.randrange(9)}")
        stops = self.own_stops(trip, origin)
        if relationship not in (1, 5, 8):
            stops = self.stop_updates(trip, origin)
        return message(
            f1=descriptor,
            f2=stops,
            f4=draw.choice((None, self.now - draw.randrange(300))),
            f5=draw.choice((None, None, None, draw.randrange(-120, 600))),
            f6=properties,
        )

    def event(self, scheduled: int, delay: int, planned: bool = False) -> bytes:
        """Draw an event: with time, delay, both, both but hours apart, or neither."""
        time, way = scheduled + delay, self.draw.random()
        plan = scheduled if planned else None
        error = self.later.choice((None, None, 0, 45, 300, -1))
        if way < 0.3 or planned:
            return message(f2=time, f3=error, f4=plan)
        if way < 0.6:
            return message(f1=delay, f3=error)
        if way < 0.8:
            return message(f1=delay + self.draw.choice((0, 7, -90)), f2=time)
        if way < 0.9:
            return message(f1=delay, f2=time + self.draw.choice((14400, 14401, -20000, 90000)))
        if way < 0.95:
            return message(f2=time + self.draw.choice((0, 86400, 200000)))
        return b""

    def stop_updates(self, trip: Trip, origin: int) -> list[bytes]:
        """Draw the stop time updates of a trip of the feed."""
        draw, result = self.draw, []
        if draw.random() < 0.05:
            return [message(f1=call.sequence, f5=1) for call in trip.calls]
        delay = draw.choice((0, 20, 61, 300, -75, 7000))
        some = draw.choice((0.2, 0.6, 1))
        for call in trip.calls:
            if draw.random() > some:
                continue
            delay += draw.choice((0, 0, 6, 60, -30))
            arrival = departure = None
            way = draw.random()
            relationship = 1 if way < 0.08 else 2 if way < 0.16 else 3 if way < 0.2 else None
            if relationship not in (1, 2):
                if draw.random() < 0.7:
                    arrival = self.event(origin + call.arrival, delay)
                if draw.random() < 0.7:
                    departure = self.event(origin + call.departure, delay)
            sequence, stop_id = call.sequence, self.spelling(call.stop_id)
            kind = draw.random()
            if kind < 0.2:
                sequence = None
            elif kind < 0.4:
                stop_id = None
            elif kind < 0.45:
                sequence += draw.choice((-1, 1, 5))
            assigned = self.neighbour(call.stop_id) if draw.random() < 0.08 else None
            headsign = f"Sign {draw.randrange(9)}" if draw.random() < 0.08 else None
            pickup = draw.choice((0, 1, 2, 3)) if draw.random() < 0.08 else None
            result.append(
                message(
                    f1=sequence, f2=arrival, f3=departure, f4=stop_id, f5=relationship,
                    f6=message(f1=assigned, f2=headsign, f3=pickup) or None,
                    f7=self.later.choice((None, None, None, *range(9))),
                )
            )
        if result and draw.random() < 0.05:
            draw.shuffle(result)
        return result

    def own_stops(self, trip: Trip, origin: int) -> list[bytes]:
        """Draw the stops of a new or replacement trip, near those of a trip of the feed."""
        draw, result = self.draw, []
        delay, planned = draw.choice((0, 45, 400)), draw.random() < 0.6
        for call in trip.calls:
            if draw.random() < 0.15:
                continue
            relationship = draw.choice((None,) * 12 + (1, 2))
            only_arrival = draw.random() < 0.1
            departure = self.event(origin + call.departure, delay, planned)
            pickup = draw.choice((None,) * 10 + (1, 2, 3))
            result.append(
                message(
                    f1=call.sequence if draw.random() < 0.97 else None,
                    f2=self.event(origin + call.arrival, delay, planned),
                    f3=None if only_arrival else departure,
                    f4=self.spelling(call.stop_id),
                    f5=relationship,
                    f6=message(f3=pickup) if pickup else None,
                    f7=self.later.choice((None, None, 2, 5)),
                )
            )
        return result

    def neighbour(self, stop_id: str) -> str:
        """Draw a stop of the same station."""
        return self.draw.choice(self.feed.family(self.feed.station(stop_id).stop_id))

    def spelling(self, stop_id: str) -> str:
        """Draw how a feed may name a stop."""
        way = self.draw.random()
        if way < 0.8:
            return stop_id
        if way < 0.86:
            return self.neighbour(stop_id)
        if way < 0.9:
            return self.feed.station(stop_id).stop_id
        if way < 0.92:
            return self.draw.choice(self.stops)
        if way < 0.94:
            return "nowhere"
        root = stop_id.removeprefix("Parent").split(":")[0].removesuffix("P")
        tail = self.draw.choice(("", ":0", ":0:77", ":0:1", "P"))
        return self.draw.choice((root + tail, "Parent" + root))


def main() -> int:
    """Run: edge_updates.py GTFS YYYY-MM-DD EPOCH SEED COUNT FILE."""
    gtfs, day, now, seed, count, path = sys.argv[1:]
    updates = EdgeUpdates(Feed(gtfs), date.fromisoformat(day), int(now), int(seed))
    Path(path).write_bytes(updates.feed_bytes(int(count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
