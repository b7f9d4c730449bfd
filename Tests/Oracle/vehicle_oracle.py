"""An independent oracle for what vehicle positions say of the rows of a board.

Written from the GTFS-Realtime reference and from Documentation/realtime-semantics.md. The run of a position is found by
the oracle of trip updates, to which it is an update that gives at most one stop.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from edge_updates import EdgeUpdates, message
from gtfs_oracle import Feed, format_instant, format_time
from realtime_oracle import OCCUPANCIES, RealtimeFeed, RealtimeRow, name_of
from realtime_wire import TripUpdate, descriptor, fields, text

STATUSES = {0: "INCOMING_AT", 1: "STOPPED_AT", 2: "IN_TRANSIT_TO"}
STALE = 180
MOST_PERCENT = 1000


@dataclass(slots=True)
class Position:
    """A VehiclePosition of a trip."""

    trip: TripUpdate
    raw_trip: bytes = b""
    sequence: int | None = None
    stop_id: str | None = None
    status: int = 2
    timestamp: int | None = None
    occupancy: int | None = None
    percent: int | None = None
    wheelchair: bool | None = None


def read_positions(data: bytes) -> tuple[int, list[Position]]:
    """Read a FeedMessage; return the header's timestamp and the positions of trips that run."""
    timestamp, positions = 0, []
    for number, value in fields(data):
        if number == 1:
            timestamp = next((part for inner, part in fields(value) if inner == 3), 0)
        if number != 2:
            continue
        for inner, part in fields(value):
            if inner == 4:
                position = read_position(part)
                if position and position.trip.relationship not in ("CANCELED", "DELETED"):
                    positions.append(position)
    return timestamp, positions


def read_position(data: bytes) -> Position | None:
    """Read a VehiclePosition; None without a trip."""
    position, has_trip = Position(TripUpdate()), False
    for number, value in fields(data):
        if number == 1:
            has_trip, position.raw_trip = True, value
            descriptor(value, position.trip)
        elif number == 3:
            position.sequence = value
        elif number == 4:
            position.status = value
        elif number == 5:
            position.timestamp = value or None
        elif number == 7:
            position.stop_id = text(value)
        elif number == 8:
            for inner, part in fields(value):
                if inner == 4:
                    position.wheelchair = {2: True, 3: False}.get(part)
        elif number == 9:
            position.occupancy = value
        elif number == 10:
            position.percent = value if value <= MOST_PERCENT else None
    return position if has_trip else None


class Vehicles:
    """Which vehicle is on which run."""

    def __init__(self, realtime: RealtimeFeed, data: bytes) -> None:
        """Find the runs of the positions of a feed."""
        self.realtime = realtime
        self.timestamp, self.positions = read_positions(data)
        known = {
            row.trip_id for rows in realtime.rows_at.values() for row in rows if row.added and row.trip_id
        }
        self.of_run: dict[tuple, Position] = {}
        self.of_extra: dict[str, Position] = {}
        by_name: list[tuple[tuple, Position]] = []
        others: list[Position] = []
        for position in self.positions:
            name = name_of(position.trip)
            # A trip beside the timetable may have the name of one that is in it.
            is_own = position.trip.relationship in ("SCHEDULED", "UNSCHEDULED", "REPLACEMENT")
            if is_own and position.trip.trip_id and name in realtime.names:
                by_name.append((realtime.names[name], position))
            else:
                others.append(position)
        # A run that a position has by its name is not the nearest free one of another vehicle.
        reserved = {key: position.trip for key, position in by_name}
        finder = RealtimeFeed(
            realtime.feed, self._as_updates(others), realtime.directions, reserved=reserved
        )
        owners = {id(update): key for key, update in finder.owners.items()}
        found = by_name + [
            (owners[id(update)], position)
            for update, position in zip(finder.updates, others)
            if id(update) in owners and owners[id(update)][0] not in ("new", "copy")
        ]
        order = {id(position): number for number, position in enumerate(self.positions)}
        for key, position in sorted(found, key=lambda each: order[id(each[1])]):
            before = self.of_run.get(key)
            if before is None or (position.timestamp or 0) >= (before.timestamp or 0):
                self.of_run[key] = position
        placed = {id(position) for position in self.of_run.values()}
        for position in self.positions:
            trip_id = position.trip.trip_id
            if id(position) in placed or trip_id not in known:
                continue
            before = self.of_extra.get(trip_id)
            if before is None or self.seen(position) >= self.seen(before):
                self.of_extra[trip_id] = position

    def _as_updates(self, positions: list[Position]) -> bytes:
        """Return positions as trip updates that give at most one stop, without a time."""
        entities = []
        for number, position in enumerate(positions):
            stop = None
            if position.sequence is not None or position.stop_id is not None:
                stop = message(f1=position.sequence, f4=position.stop_id)
            raw = position.raw_trip
            if position.trip.relationship == "REPLACEMENT":
                # The last relationship counts: as one that runs.
                raw += message(f4=0)
            update = message(f1=raw, f2=stop, f4=position.timestamp)
            entities.append(message(f1=f"v{number}", f3=update))
        return message(f1=message(f1="2.0", f3=self.timestamp), f2=entities)

    def seen(self, position: Position) -> int:
        """Return when a vehicle was seen."""
        stamp = position.timestamp
        return min(stamp, self.timestamp) if stamp and stamp >= 946_684_800 else self.timestamp

    def of(self, row: RealtimeRow) -> dict[str, object] | None:
        """Return what a row says of its vehicle."""
        if row.cancelled or row.skipped:
            return None
        if row.added:
            position = self.of_extra.get(row.trip_id or "")
        else:
            start = row.replaced_start if row.replaces else row.start
            position = self.of_run.get((row.trip_id, row.day, start))
        if position is None or self.timestamp - self.seen(position) > STALE:
            return None
        place = self.place(position, row.calls)
        if place is not None and place > row.index:
            return None
        occupancy = OCCUPANCIES.get(position.occupancy) if position.occupancy is not None else None
        if place is None and occupancy is None and position.percent is None and position.wheelchair is None:
            return None
        stop_id = row.calls[place][1] if place is not None else None
        return {
            "status": STATUSES.get(position.status) if place is not None else None,
            "stopName": self.realtime.feed.station(stop_id).name if stop_id else None,
            "stopsAway": row.index - place if place is not None else None,
            "occupancy": occupancy,
            "occupancyPercent": position.percent,
            "wheelchair": position.wheelchair,
            "seenAt": format_instant(self.seen(position)),
        }

    def place(self, position: Position, calls: list[tuple[int | None, str | None]]) -> int | None:
        """Return which of the calls of a trip the current stop of a vehicle is; None if that is not certain."""
        stop_id = self.realtime.place(position.stop_id).stop_id if position.stop_id else None
        same = self.realtime.same_station
        numbered = [i for i, call in enumerate(calls) if call[0] == position.sequence is not None]
        if numbered and (
            stop_id is None or calls[numbered[0]][1] is None or same(calls[numbered[0]][1], stop_id)
        ):
            return numbered[0]
        if stop_id is None:
            return None
        exact = [i for i, call in enumerate(calls) if call[1] == stop_id]
        near = [i for i, call in enumerate(calls) if call[1] is not None and same(call[1], stop_id)]
        chosen = exact or near
        return chosen[0] if len(chosen) == 1 else None


class EdgePositions:
    """Draws vehicle positions beside trip updates, the same ones for the same seed."""

    def __init__(self, realtime: RealtimeFeed, updates: EdgeUpdates, seed: int) -> None:
        """Take the trip updates and what has drawn them."""
        self.realtime, self.edge = realtime, updates
        self.draw = random.Random(seed)

    def feed_bytes(self, count: int) -> bytes:
        """Return a feed of some positions."""
        entities = [message(f1=f"v{n}", f4=self.position()) for n in range(count)]
        return message(f1=message(f1="2.0", f3=self.edge.now), f2=entities)

    def position(self) -> bytes:
        """Draw a position: of a trip update, or of some trip."""
        draw, feed = self.draw, self.realtime.feed
        update = draw.choice(self.realtime.updates) if draw.random() < 0.5 else None
        trip = feed.trips.get((update.trip_id or "") if update else "") or self.edge.running()
        if update:
            trip_id, start, day = update.trip_id or "", update.start_time, update.start_date
            if update.relationship in ("DUPLICATED", "NEW", "ADDED"):
                trip_id = update.new_trip_id or trip_id
        else:
            trip_id, day = trip.trip_id, self.edge.day.strftime("%Y%m%d")
            runs = list(trip.runs())
            start = format_time(draw.choice(runs)) if runs else None
        relationship = draw.choice((None, None, None, 0, 1, 2, 3, 5, 6, 7, 8))
        named = message(
            f1=trip_id or None,
            f2=start,
            f3=day if draw.random() < 0.9 else None,
            f4=relationship,
            f5=trip.route.route_id if draw.random() < 0.5 else None,
        )
        calls = update.stops if update and update.stops and draw.random() < 0.5 else trip.calls
        call = draw.choice(calls) if calls else None
        sequence = getattr(call, "sequence", None) if draw.random() < 0.6 else None
        stop_id = getattr(call, "stop_id", None) if draw.random() < 0.6 else None
        if draw.random() < 0.1:
            stop_id = draw.choice([*self.edge.stops, "nowhere"])
        old = draw.random() < 0.1
        stamp = self.edge.now - (draw.randrange(900, 9000) if old else draw.randrange(0, 50))
        wheelchair = draw.choice((None, None, 0, 1, 2, 3))
        return message(
            f1=named if draw.random() < 0.95 else None,
            f3=sequence,
            f4=draw.choice((None, 0, 1, 2, 7)),
            f5=draw.choice((stamp, stamp, stamp, None, 17)),
            f7=stop_id,
            f8=message(f2="x", f4=wheelchair) if wheelchair is not None else None,
            f9=draw.choice((None, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)),
            f10=draw.choice((None, 0, 50, 100, 1000, 1001, 4_294_967_295)),
        )


def main() -> int:
    """Run: vehicle_oracle.py GTFS UPDATES YYYY-MM-DD EPOCH SEED COUNT FILE: write positions beside trip updates."""
    gtfs, updates, day, now, seed, count, path = sys.argv[1:]
    feed = Feed(gtfs)
    realtime = RealtimeFeed(feed, Path(updates).read_bytes())
    edge = EdgeUpdates(feed, date.fromisoformat(day), int(now), int(seed))
    Path(path).write_bytes(EdgePositions(realtime, edge, int(seed)).feed_bytes(int(count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
