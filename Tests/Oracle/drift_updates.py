"""Writes trip updates whose trip ids have drifted away from the timetable, for any feed.

Every way of drifting occurs (a prefix, a suffix, a version in the middle, ids of an older export), and so do updates
that must stay without a trip: of another route, with another last stop, hours away, twice for one trip.
"""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from pathlib import Path

from edge_updates import message
from gtfs_oracle import Feed, Trip, format_time

WAYS = ("prefix", "suffix", "part", "older", "two", "shuffled", "few")


class DriftUpdates:
    """Draws trip updates for a feed, the same ones for the same seed."""

    def __init__(self, feed: Feed, day: date, now: int, seed: int, way: str) -> None:
        """Take the feed, a service day, the instant of the publication, and how the ids drift."""
        self.feed, self.day, self.now, self.way = feed, day, now, way
        self.draw = random.Random(f"{seed} {way}")
        trips = [trip for trip in feed.trips.values() if len(trip.calls) > 1]
        self.trips = self.draw.sample(trips, len(trips))
        self.others = self.draw.sample(trips, len(trips))
        self.truth: dict[str, tuple[str, date, int | None]] = {}

    def drifted(self, trip: Trip, number: int) -> str:
        """Return the id of a trip as the feed has it."""
        if self.draw.random() < 0.1:
            return trip.trip_id
        match self.way:
            case "prefix":
                return f"v2:{trip.trip_id}"
            case "suffix":
                return f"{trip.trip_id}_20260616"
            case "part":
                return trip.trip_id.replace("/", "-", 1).replace(" ", "-", 1)
            case "two":
                return f"{trip.trip_id}_{20260616 + number % 2}"
            case "shuffled":
                # The ids of other trips, with a suffix: they are found, and do not fit.
                return f"{self.others[number % len(self.others)].trip_id}_x"
            case "few":
                return f"{trip.trip_id}_a" if number % 40 == 0 else f"n{number}"
        return f"n{number}:{self.draw.randrange(10**6)}"

    def feed_bytes(self, count: int) -> bytes:
        """Return a feed of at most so many trip updates."""
        entities = []
        for trip in self.trips:
            service = self.feed.services[trip.service_id]
            days = [self.day + timedelta(days=shift) for shift in (-1, 0, 0, 1)]
            days = [day for day in days if service.runs_on(day)]
            if days and len(entities) < count:
                body = self.trip_update(trip, self.draw.choice(days), len(entities))
                entities.append(message(f1=f"e{len(entities)}", f3=body))
                if self.draw.random() < 0.03:
                    entities.append(message(f1=f"e{len(entities)}", f3=body))
        return message(f1=message(f1="2.0", f3=self.now), f2=entities)

    def trip_update(self, trip: Trip, day: date, number: int) -> bytes:
        """Draw a trip update, most of them as a careful producer writes them."""
        draw = self.draw
        start, run = trip.calls[0].departure, None
        if trip.frequencies:
            start = run = draw.choice(sorted(trip.runs()))
        origin = self.feed.day_start(day, trip) + start - trip.calls[0].departure
        trip_id = self.drifted(trip, number)
        self.truth[f"e{number}"] = (trip.trip_id, day, run)
        given_day, given_start = day, start
        if start >= 86_400 and draw.random() < 0.3:
            given_day, given_start = day + timedelta(days=1), start - 86_400
        route = trip.route.route_id
        # A piece of the ids is learned only if hardly any update contradicts it.
        flaw = draw.random() * (1 if self.way in ("older", "shuffled", "few") else 6)
        if flaw < 0.04:
            route = draw.choice(sorted(self.feed.routes))
        if 0.04 < flaw < 0.08:
            given_start += 60
        relationship = draw.choice((0,) * 12 + (2, 3, 7))
        descriptor = message(
            f1=trip_id if draw.random() < 0.97 else None,
            f2=format_time(given_start) if draw.random() < 0.9 else None,
            f3=given_day.strftime("%Y%m%d") if draw.random() < 0.97 else None,
            f4=relationship or None,
            f5=route if draw.random() < 0.9 else None,
        )
        delay = draw.choice((0, 20, 61, 300, -75, 2400))
        if 0.08 < flaw < 0.12:
            delay = draw.choice((4 * 3600, -4 * 3600))
        first = draw.choice((0, 0, 1, len(trip.calls) - 1))
        last = len(trip.calls) - (1 if 0.12 < flaw < 0.16 else 0)
        numbered, named = draw.choice(((True, True), (True, True), (True, False), (False, True)))
        stops = []
        for index in range(first, last):
            call = trip.calls[index]
            if index < last - 1 and draw.random() < 0.2:
                continue
            time = origin + call.departure + delay
            shown = delay + (1_000 if 0.16 < flaw < 0.2 else 0)
            way = draw.random()
            event = message(f1=shown, f2=time) if way < 0.5 else message(f2=time) if way < 0.8 else message(f1=delay)
            stop_id = call.stop_id
            if 0.2 < flaw < 0.24 and index == first:
                stop_id = draw.choice(sorted(self.feed.stops))
            if 0.24 < flaw < 0.27:
                stop_id = draw.choice(self.feed.family(self.feed.station(stop_id).stop_id))
            stops.append(
                message(
                    f1=call.sequence + (5 if 0.27 < flaw < 0.3 else 0) if numbered else None,
                    f2=event if index == len(trip.calls) - 1 or draw.random() < 0.3 else None,
                    f3=event if index < len(trip.calls) - 1 else None,
                    f4=stop_id if named else None,
                    f5=draw.choice((None,) * 15 + (1, 2)),
                )
            )
        if relationship in (3, 7) and draw.random() < 0.5:
            stops = []
        return message(f1=descriptor, f2=stops)


def main() -> int:
    """Run: drift_updates.py GTFS YYYY-MM-DD EPOCH SEED COUNT WAY FILE."""
    gtfs, day, now, seed, count, way, path = sys.argv[1:]
    if way not in WAYS:
        raise SystemExit(f"drift_updates.py: the way is one of {', '.join(WAYS)}")
    updates = DriftUpdates(Feed(gtfs), date.fromisoformat(day), int(now), int(seed), way)
    Path(path).write_bytes(updates.feed_bytes(int(count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
