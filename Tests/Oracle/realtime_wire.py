"""A small reader of GTFS-Realtime trip updates in their protobuf form, standard library only.

It knows the fields that decide departures (gtfs-realtime.proto of the reference) and skips all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

TRIP_RELATIONSHIPS = {
    0: "SCHEDULED",
    1: "ADDED",
    2: "UNSCHEDULED",
    3: "CANCELED",
    5: "REPLACEMENT",
    6: "DUPLICATED",
    7: "DELETED",
    8: "NEW",
}
STOP_RELATIONSHIPS = {0: "SCHEDULED", 1: "SKIPPED", 2: "NO_DATA", 3: "UNSCHEDULED"}


@dataclass(slots=True)
class Event:
    """A StopTimeEvent."""

    delay: int | None = None
    time: int | None = None
    scheduled: int | None = None
    uncertainty: int | None = None


@dataclass(slots=True)
class StopUpdate:
    """A StopTimeUpdate; ``sequence`` and ``stop_id`` have None where the feed gives none."""

    sequence: int | None = None
    stop_id: str | None = None
    arrival: Event | None = None
    departure: Event | None = None
    relationship: str = "SCHEDULED"
    assigned: str | None = None
    headsign: str | None = None
    pickup: int | None = None
    occupancy: int | None = None


@dataclass(slots=True)
class TripUpdate:
    """A TripUpdate with its descriptor and its properties (names beginning with ``new_``)."""

    trip_id: str | None = None
    original_id: str | None = None
    route_id: str | None = None
    direction: int | None = None
    start_date: str | None = None
    start_time: str | None = None
    relationship: str = "SCHEDULED"
    # Of a changed trip: the entity of its modifications, its trip_id, start_time and start_date.
    modified: tuple[str | None, str | None, str | None, str | None] | None = None
    timestamp: int | None = None
    delay: int | None = None
    new_trip_id: str | None = None
    new_date: str | None = None
    new_time: str | None = None
    headsign: str | None = None
    stops: list[StopUpdate] = field(default_factory=list)


def varint(data: bytes, place: int) -> tuple[int, int]:
    """Read a varint; return it and the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, place
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of every field of a message."""
    place = 0
    while place < len(data):
        tag, place = varint(data, place)
        match tag & 7:
            case 0:
                value, place = varint(data, place)
            case 1:
                value, place = data[place : place + 8], place + 8
            case 2:
                length, place = varint(data, place)
                if place + length > len(data):
                    raise ValueError("the message is cut short")
                value, place = data[place : place + length], place + length
            case 5:
                value, place = data[place : place + 4], place + 4
            case kind:
                raise ValueError(f"wire type {kind} at {place}")
        yield tag >> 3, value


def signed(value: int, bits: int = 64) -> int:
    """Return an unsigned varint as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def text(value: bytes) -> str | None:
    """Return a string; None if it is empty."""
    return value.decode("utf-8") or None


def event(data: bytes) -> Event:
    """Read a StopTimeEvent."""
    result = Event()
    for number, value in fields(data):
        if number == 1:
            result.delay = signed(value, 32)
        elif number == 2:
            result.time = signed(value)
        elif number == 3:
            result.uncertainty = signed(value, 32)
        elif number == 4:
            result.scheduled = signed(value)
    return result


def stop_update(data: bytes) -> StopUpdate:
    """Read a StopTimeUpdate."""
    result = StopUpdate()
    for number, value in fields(data):
        if number == 1:
            result.sequence = value
        elif number == 2:
            result.arrival = event(value)
        elif number == 3:
            result.departure = event(value)
        elif number == 4:
            result.stop_id = text(value)
        elif number == 5:
            result.relationship = STOP_RELATIONSHIPS.get(value, "SCHEDULED")
        elif number == 6:
            for inner, part in fields(value):
                if inner == 1:
                    result.assigned = text(part)
                elif inner == 2:
                    result.headsign = text(part)
                elif inner == 3:
                    result.pickup = part
        elif number == 7:
            result.occupancy = value
    return result


def descriptor(data: bytes, result: TripUpdate) -> None:
    """Read a TripDescriptor."""
    for number, value in fields(data):
        if number == 1:
            result.trip_id = text(value)
        elif number == 2:
            result.start_time = text(value)
        elif number == 3:
            result.start_date = text(value)
        elif number == 4:
            result.relationship = TRIP_RELATIONSHIPS.get(value, "UNKNOWN")
        elif number == 5:
            result.route_id = text(value)
        elif number == 6:
            result.direction = value
        elif number == 7:
            parts = dict(fields(value))
            result.modified = tuple(text(parts[each]) if each in parts else None for each in (1, 2, 3, 4))
        elif number == 8:
            result.original_id = text(value)


def trip_update(data: bytes) -> TripUpdate:
    """Read a TripUpdate."""
    result = TripUpdate()
    for number, value in fields(data):
        if number == 1:
            descriptor(value, result)
        elif number == 2:
            result.stops.append(stop_update(value))
        elif number == 4:
            result.timestamp = value or None
        elif number == 5:
            result.delay = signed(value, 32)
        elif number == 6:
            for inner, part in fields(value):
                if inner == 1:
                    result.new_trip_id = text(part)
                elif inner == 2:
                    result.new_date = text(part)
                elif inner == 3:
                    result.new_time = text(part)
                elif inner == 5:
                    result.headsign = text(part)
    return result


def read_feed(data: bytes) -> tuple[int | None, list[TripUpdate]]:
    """Read a FeedMessage; return the header's timestamp and the trip updates in their order."""
    timestamp, updates = None, []
    for number, value in fields(data):
        if number == 1:
            for inner, part in fields(value):
                if inner == 3:
                    timestamp = part or None
        elif number == 2:
            deleted, found = False, None
            for inner, part in fields(value):
                if inner == 2:
                    deleted = bool(part)
                elif inner == 3:
                    found = trip_update(part)
            if found is not None and not deleted:
                updates.append(found)
    return timestamp, updates
