"""Trip modifications, stated a second time: which stops a trip has after them, and when.

Written from the GTFS-Realtime reference (TripModifications) and the choices of Documentation/realtime-semantics.md; plain
statements of the rules come before speed. As a program it adds modifications of every kind to a file of trip updates:
    modification_oracle.py GTFS YYYY-MM-DD EPOCH SEED COUNT FILE
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path

from edge_updates import message
from gtfs_oracle import EPOCH, Call, Feed, Trip, format_time, parse_date, parse_time
from realtime_wire import StopUpdate, TripUpdate, fields, signed, text

FARTHEST = 86_400
DAYS_BEFORE, DAYS_AFTER = 2, 8


@dataclass(slots=True)
class Change:
    """A Modification; a selector is a pair of stop_sequence and stop_id."""

    start: tuple[int | None, str | None] | None = None
    end: tuple[int | None, str | None] | None = None
    delay: int = 0
    stops: list[tuple[str | None, int | None]] = field(default_factory=list)


@dataclass(slots=True)
class Detour:
    """A TripModifications with the id of its entity."""

    entity: str
    trips: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    days: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Planned:
    """A stop of a changed trip: its call, its place in the trip of the timetable, whether it moved, and by how much.

    The call of a stop that the timetable lacks, or that has no time, names no stop.
    """

    call: Call
    origin: int | None
    moved: bool
    platform: str | None = None
    shift: int = 0


# --- Reading ------------------------------------------------------------------------


def selector(data: bytes) -> tuple[int | None, str | None]:
    """Read a StopSelector."""
    sequence = stop_id = None
    for number, value in fields(data):
        if number == 1:
            sequence = value
        elif number == 2:
            stop_id = text(value)
    return sequence, stop_id


def change(data: bytes) -> Change:
    """Read a Modification."""
    result = Change()
    for number, value in fields(data):
        if number == 1:
            result.start = selector(value)
        elif number == 2:
            result.end = selector(value)
        elif number == 3:
            result.delay = signed(value, 32)
        elif number == 4:
            stop_id = travel = None
            for inner, part in fields(value):
                if inner == 1:
                    travel = signed(part, 32)
                elif inner == 2:
                    stop_id = text(part)
            result.stops.append((stop_id, travel))
    return result


def read_detours(data: bytes) -> tuple[list[Detour], dict[str, tuple[str | None, str | None]]]:
    """Read the modifications of a feed, and its stops: the station that each is below, and its platform."""
    detours, stops = [], {}
    for number, entity in fields(data):
        if number != 2:
            continue
        parts = list(fields(entity))
        if any(inner == 2 and value for inner, value in parts):
            continue
        name = next(text(value) for inner, value in parts if inner == 1)
        for inner, value in parts:
            if inner == 7:
                stop = dict(fields(value))
                platform = stop.get(15)
                if platform is not None:
                    platform = text(dict(fields(dict(fields(platform))[1]))[1])
                parent = text(stop[11]) if 11 in stop else None
                stops.setdefault(text(stop[1]), (parent, platform))
            elif inner == 8:
                detour = Detour(name)
                for field_number, part in fields(value):
                    if field_number == 1:
                        detour.trips += [text(item) for kind, item in fields(part) if kind == 1]
                    elif field_number == 2:
                        detour.starts.append(text(part))
                    elif field_number == 3:
                        detour.days.append(text(part))
                    elif field_number == 4:
                        detour.changes.append(change(part))
                detours.append(detour)
    return detours, stops


# --- The rules ----------------------------------------------------------------------


class Modifications:
    """The modifications of a feed of trip updates (a RealtimeFeed), and the trips that they change."""

    def __init__(self, realtime, data: bytes) -> None:
        """Find the trips that change, and the trip updates of changed trips."""
        self.realtime, self.feed = realtime, realtime.feed
        detours, self.stops = read_detours(data)
        self.detours: dict[tuple, tuple[Detour, TripUpdate | None]] = {}
        today = (EPOCH + timedelta(seconds=realtime.timestamp or 0)).astimezone(self.feed.zone).date()
        for detour in detours:
            days = [parse_date(day) for day in detour.days]
            near = {day for day in days if -DAYS_BEFORE <= (day - today).days <= DAYS_AFTER}
            for trip_id in detour.trips:
                trip = self.feed.trips.get(trip_id)
                if trip is None or not trip.calls:
                    continue
                starts = {parse_time(start) for start in detour.starts}
                runs = [run for run in trip.runs() if not starts or run in starts] if trip.frequencies else [None]
                for key in [(trip_id, day, run) for run in runs for day in near]:
                    if self.feed.services[trip.service_id].runs_on(key[1]):
                        self.detours.setdefault(key, (detour, None))
        self.matched: list[TripUpdate] = []
        for update in realtime.updates:
            key = self._key(update)
            if key is None:
                continue
            detour, other = self.detours[key]
            if other is None or (update.timestamp or 0) >= (other.timestamp or 0):
                self.detours[key] = (detour, update)
                self.matched = [each for each in self.matched if each is not other] + [update]

    def _key(self, update: TripUpdate) -> tuple | None:
        """Return the trip of an update of a changed trip, if it names one only."""
        if update.modified is None:
            return None
        entity, trip_id, start, day = update.modified
        found = [
            key
            for key, (detour, _) in self.detours.items()
            if (detour.entity, key[0]) == (entity, trip_id)
            and (day is None or key[1] == parse_date(day))
            and (start is None or key[2] is None or key[2] == parse_time(start))
        ]
        if len(found) > 1 and day is None and len({run for _, _, run in found}) == 1:
            # Of several days that on which the trip is under way, or nearest to it.
            distances = {key: self._distance(*key) for key in found}
            least = min(distances.values())
            found = [key for key in found if distances[key] == least <= FARTHEST]
        return found[0] if len(found) == 1 else None

    def _distance(self, trip_id: str, day: date, run: int | None) -> int:
        """Return how far a trip on a day is from the feed's timestamp, in seconds."""
        trip = self.feed.trips[trip_id]
        midnight, now = self.feed.day_start(day, trip), self.realtime.timestamp or 0
        begins = trip.calls[0].departure if run is None else run
        ends = begins + trip.calls[-1].arrival - trip.calls[0].departure
        return max(0, midnight + begins - now, now - midnight - ends)

    def is_matched(self, update: TripUpdate) -> bool:
        """Tell whether an update is of a changed trip that is known."""
        return any(update is each for each in self.matched)

    def apply(self, actions: dict, updates: dict) -> None:
        """Put the rows of changed trips in the place of those that trip updates alone give them."""
        for key, (detour, update) in self.detours.items():
            trip_id, day, start = key
            trip = self.feed.trips[trip_id]
            instance = self.realtime.instance(trip, day, start)
            plan = self.plan(trip, detour)
            if update is not None:
                # If nothing fits, an update of the trip's own id counts.
                if update.relationship == "CANCELED":
                    actions[key] = lambda i=instance: self.realtime._cancelled_rows(i)
                elif update.relationship == "DELETED":
                    actions[key] = lambda i=instance: self.realtime._no_rows(i)
                elif plan:
                    actions[key] = lambda i=instance, p=plan, u=update: self.rows(i, p, u)
            elif plan and key not in actions:
                actions[key] = lambda i=instance, p=plan: self.rows(i, p, None)
            elif plan and updates[key].relationship in ("SCHEDULED", "UNSCHEDULED"):
                inner = self.realtime.found[key, id(updates[key])]
                actions[key] = lambda i=inner, p=plan, u=updates[key]: self.rows(i, p, u)

    def plan(self, trip: Trip, detour: Detour) -> list[Planned] | None:
        """Return the stops of a trip after its modifications; None if none fits."""
        calls, spans = trip.calls, []
        for each in detour.changes:
            first = self._place(calls, each.start, 0)
            last = first - 1 if first is not None and each.end is None else None
            if first is not None and each.end is not None:
                last = self._place(calls, each.end, first)
            if first is None or last is None or abs(each.delay) > FARTHEST:
                continue
            spans.append((first, last + 1, each))
        result: list[Planned] = []
        following = shift = 0
        used = False

        def keep(until: int) -> None:
            for place in range(following, until):
                call = calls[place]
                moved = replace(call, arrival=call.arrival + shift, departure=call.departure + shift)
                result.append(Planned(moved, place, shift != 0, shift=shift))

        for first, end, each in sorted(spans, key=lambda span: span[0]):
            if first < following or (used and first == following == end):
                continue
            keep(first)
            before = calls[max(0, first - 1)].arrival + shift
            for stop_id, travel in each.stops:
                place = self.place(stop_id) if stop_id and travel is not None and abs(travel) <= FARTHEST else None
                # One that is not known, or has no time, only has a number.
                time = before if place is None else before + travel
                named, platform = (None, None) if place is None else (place.stop_id, place.platform)
                result.append(Planned(Call(0, named, time, time, "", True), None, True, platform))
            shift += each.delay
            following, used = end, True
        keep(len(calls))
        if not used or len(result) < 2 or all(stop.call.stop_id is None for stop in result):
            return None
        number = calls[-1].sequence
        for stop in result:
            if stop.origin is None:
                number += 1
                stop.call.sequence = number
        return result

    def place(self, stop_id: str):
        """Return what an id means: a stop of the timetable, or the station of a stop of the feed."""
        return self.realtime.place(stop_id)

    def _place(self, calls: list[Call], chosen: tuple | None, first: int) -> int | None:
        if chosen is None or chosen == (None, None):
            return None
        sequence, stop_id = chosen
        stop = self.place(stop_id).stop_id if stop_id is not None else None
        if stop_id is not None and stop is None:
            return None
        for index in range(first, len(calls)):
            call = calls[index]
            if sequence is not None and call.sequence != sequence:
                continue
            if stop is None or stop == call.stop_id:
                return index
            if sequence is not None and self.realtime.same_station(stop, call.stop_id):
                return index
        return None

    def rows(self, instance, plan: list[Planned], update: TripUpdate | None) -> list:
        """Return the rows of a changed trip."""
        from realtime_oracle import OwnEnds, arranged

        realtime, trip = self.realtime, instance.trip
        calls = [stop.call for stop in plan]
        start = instance.origin + instance.moved
        links, shifts = {}, None
        if update is not None and update.modified is not None:
            numbered = [replace(call, sequence=index + 1) for index, call in enumerate(calls)]
            links = realtime._links(update.stops, numbered, start)
        elif update is not None:
            before = realtime._links(update.stops, trip.calls, start)
            links = {i: before[stop.origin] for i, stop in enumerate(plan) if stop.origin in before}
            shifts = [None if stop.origin is None else stop.shift for stop in plan]
        changed = replace(instance, trip=replace(trip, calls=calls))
        rows = realtime._updated_rows(update or TripUpdate(), changed, True, links, shifts)
        listed = [
            StopUpdate(stop_id=stop.call.stop_id, relationship=links[i].relationship if i in links else "SCHEDULED")
            for i, stop in enumerate(plan)
        ]
        ends = OwnEnds(realtime, listed, trip.calls)
        for row in rows:
            stop = plan[row.index]
            row.detoured = not row.cancelled
            if stop.platform is not None and not row.platform_changed:
                row.platform = stop.platform
            link = links.get(row.index)
            pickup = link.pickup if link else None
            found: dict = {"certainty": "detoured"}
            call = None
            if stop.origin is not None:
                call = trip.calls[stop.origin]
                found = realtime.feed.certainty(trip, stop.origin, instance.start)
            found = arranged(found, pickup, call)
            if stop.moved and stop.origin is not None and "headway" not in found:
                found = found | {"uncertainty": None}
                if found["certainty"] != "on_demand":
                    found["certainty"] = "detoured"
            row.certainty = found
            if not row.cancelled:
                row.ends_at, row.terminus, row.left_out = ends.of(row.index)
                if ends.elsewhere:
                    row.continues = None
        return rows


# --- Drawing modifications ----------------------------------------------------------


def draw_detours(feed: Feed, day: date, now: int, seed: int, count: int) -> bytes:
    """Return entities of modifications, stops and trip updates of changed trips."""
    draw = random.Random(seed)
    trips = sorted((trip for trip in feed.trips.values() if len(trip.calls) > 1), key=lambda t: t.trip_id)
    stops = sorted(stop_id for stop_id in feed.stops if feed.boardings.get(stop_id))
    stations = sorted(stop_id for stop_id in feed.stops if feed.children.get(stop_id))
    result = b""
    for number in range(12):
        parent = draw.choice([*stations, "nowhere", None])
        platform = draw.choice((None, f"X{number}"))
        told = message(f1=message(f1=platform)) if platform else None
        stop = message(f1=f"added-{number}", f11=parent, f15=told)
        result += message(f2=message(f1=f"stop-{number}", f7=stop))
    added = [f"added-{number}" for number in range(13)]
    for number in range(count):
        chosen = draw.sample(trips, draw.choice((1, 1, 2, 4)))
        calls = chosen[0].calls
        changes = []
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            first = draw.randrange(len(calls))
            last = min(len(calls) - 1, first + draw.choice((0, 0, 1, 3)))

            def select(place: int) -> bytes:
                way = draw.random()
                return message(
                    f1=None if way < 0.3 else calls[place].sequence + (7 if way > 0.97 else 0),
                    f2=calls[place].stop_id if way < 0.6 else draw.choice(stops) if way > 0.95 else None,
                )

            time, places = 0, []
            for _ in range(draw.choice((0, 1, 1, 2, 3))):
                time += draw.choice((40, 60, 333))
                pool = added if draw.random() < 0.25 else stops
                places.append(message(f1=time if draw.random() < 0.97 else None, f2=draw.choice(pool)))
            changes.append(
                message(
                    f1=select(first) if draw.random() < 0.98 else None,
                    f2=select(last) if draw.random() < 0.8 else None,
                    f3=draw.choice((None, 0, 120, 400, -60, 90_000)),
                    f4=places,
                )
            )
        days = [(day + timedelta(days=shift)).strftime("%Y%m%d") for shift in draw.choice(((0,), (-1, 0, 1), (0, 40)))]
        runs = list(chosen[0].runs())
        starts = [format_time(draw.choice(runs))] if runs and draw.random() < 0.5 else []
        selected = message(f1=[trip.trip_id for trip in chosen] + (["none"] if draw.random() < 0.1 else []))
        entity = message(f1=selected, f2=starts, f3=days, f4=changes)
        result += message(f2=message(f1=f"detour-{number}", f8=entity))
        if draw.random() < 0.4:
            chosen_by = message(
                f1=f"detour-{number}", f2=chosen[0].trip_id, f3=format_time(draw.choice(runs)) if runs else None,
                f4=days[0] if draw.random() < 0.9 else None,
            )
            delay = draw.choice((0, 61, 300))
            updates = [
                message(
                    f1=place + 1 if draw.random() < 0.8 else None,
                    f3=message(f1=delay),
                    f4=calls[place].stop_id if draw.random() < 0.3 else None,
                    f5=1 if draw.random() < 0.1 else None,
                )
                for place in range(len(calls)) if draw.random() < 0.7
            ]
            kind = draw.choice((None, None, None, None, 0, 3, 7))
            update = message(f1=message(f4=kind, f7=chosen_by), f2=updates, f4=now - draw.randrange(200))
            result += message(f2=message(f1=f"changed-{number}", f3=update))
    return result


def main() -> int:
    """Run the command line."""
    gtfs, day, now, seed, count, path = sys.argv[1:]
    entities = draw_detours(Feed(gtfs), date.fromisoformat(day), int(now), int(seed), int(count))
    with open(Path(path), "ab") as file:
        file.write(entities)
    return 0


if __name__ == "__main__":
    sys.exit(main())
