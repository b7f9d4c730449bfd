"""An independent oracle for departure boards with GTFS-Realtime trip updates.

Written from the GTFS-Realtime reference and from the choices of Documentation/realtime-semantics.md;
it reads the raw files of the feed (gtfs_oracle) and the protobuf bytes (realtime_wire), and shares no
code with the server it checks. Plain statements of the rules come before speed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from gtfs_oracle import (
    DEFAULT_WINDOW_MINUTES,
    EPOCH,
    GRACE_SECONDS,
    MOST_CONTINUATIONS,
    Call,
    Feed,
    FeedFiles,
    Trip,
    epoch_microseconds,
    format_instant,
    parse_date,
    parse_integer,
    parse_time,
)
from modification_oracle import Modifications
from realtime_wire import Event, StopUpdate, TripUpdate, read_feed
from trip_ladder import Ladder

DISAGREEMENT = 240 * 60
# How many stops that are left out a row names.
MOST_NAMES = 20
MOST_DEVIATION = 24 * 3600
MOST_UNCERTAINTY = 65_534
OCCUPANCIES = {
    0: "EMPTY",
    1: "MANY_SEATS_AVAILABLE",
    2: "FEW_SEATS_AVAILABLE",
    3: "STANDING_ROOM_ONLY",
    4: "CRUSHED_STANDING_ROOM_ONLY",
    5: "FULL",
    6: "NOT_ACCEPTING_PASSENGERS",
    8: "NOT_BOARDABLE",
}
# How far from the feed's timestamp a trip without a date may be.
FARTHEST = 24 * 3600
# A vehicle of a frequency without exact times: how far outside of the runs, and how many runs are tried.
SLACK, TRIED = 3600, 8
# The updates, and the reasons for which they have no trip, that are tried again without the id.
CLIMBING = ("SCHEDULED", "UNSCHEDULED", "CANCELED", "DELETED")
CLIMBING_REASONS = ("unknown trip", "not running", "ambiguous")
_SLOID = re.compile(r"ch:1:sloid:([0-9]{1,5})(:.*)?")
_NUMBER = re.compile(r"(?:Parent)?(85[0-9]{5})(P|:.*)?")
_PLATFORM = re.compile(r"[0-9]{7}:[0-9]+:(.+)")


@dataclass(slots=True)
class RealtimeRow:
    """A row of a board; ``scheduled`` has None where nothing schedules it."""

    trip_id: str | None
    stop_id: str
    stop_sequence: int
    day: date
    start: int | None
    scheduled: int | None
    predicted: int | None = None
    cancelled: bool = False
    skipped: bool = False
    detoured: bool = False
    # The stop time update of the stop.
    told: StopUpdate | None = None
    added: bool = False
    replaces: bool = False
    platform: str | None = None
    previous_platform: str | None = None
    platform_changed: bool = False
    headsign: str | None = None
    # Where the trip ends instead of at its last stop, whether that is here, and which stops it leaves out before.
    ends_at: str | None = None
    terminus: bool = False
    left_out: list[str] = field(default_factory=list)
    # Of a frequency without exact times: nothing is late or early.
    inexact: bool = False
    # How exact the schedule is, under the names of gtfs_oracle.Row; of a listed stop it is exact.
    certainty: dict[str, object] = field(default_factory=lambda: {"certainty": "exact"})
    short_name: str | None = None
    # The service day whose trips the vehicle runs next, if the trip of the timetable reaches its last stop.
    continues: date | None = None
    continues_as: list[dict[str, object]] = field(default_factory=list)
    # The stops of its trip as (stop_sequence, stop_id), and its place among them.
    calls: list[tuple[int | None, str | None]] = field(default_factory=list)
    index: int = 0
    # Of a replacement, the start of the run that it replaces.
    replaced_start: int | None = None
    stops: tuple[str, ...] = ()

    @property
    def effective(self) -> int:
        """The departure as far as it is known."""
        return self.predicted if self.predicted is not None else self.scheduled

    def _uncertainty(self) -> int | None:
        """Return by how many seconds the prediction may be off."""
        told = self.told
        if told is None or self.predicted is None or self.cancelled or self.skipped or told.relationship == "NO_DATA":
            return None
        event = told.departure or told.arrival
        seconds = event.uncertainty if event else None
        return None if seconds is None or seconds < 0 else min(seconds, MOST_UNCERTAINTY)

    def _occupancy(self) -> str | None:
        """Return how full the vehicle leaves by prediction."""
        if self.told is None or self.cancelled or self.skipped or self.told.occupancy is None:
            return None
        return OCCUPANCIES.get(self.told.occupancy)

    def _word(self) -> str | None:
        """Return how exact the schedule is; what has to be arranged needs no schedule."""
        word = self.certainty["certainty"]
        return word if self.scheduled is not None or word == "on_demand" else None

    def as_json(self) -> dict[str, object]:
        """Return the row under the field names of the HTTP contract."""
        delay = None
        if self.predicted is not None and self.scheduled is not None and not self.inexact:
            delay = self.predicted - self.scheduled
        known = self.scheduled if self.scheduled is not None else self.effective
        reason = "CANCELED_TRIP" if self.cancelled else "SKIPPED_STOP" if self.skipped else None
        return {
            "trip_id": self.trip_id,
            "stop_id": self.stop_id,
            "stop_sequence": self.stop_sequence,
            "serviceDate": self.day.isoformat(),
            "scheduledDeparture": format_instant(known),
            "realtimeDeparture": None if self.predicted is None else format_instant(self.predicted),
            "rawDelaySec": delay,
            "cancelled": self.cancelled or self.skipped,
            "cancelReasonCode": reason,
            "platform": self.platform,
            "platformChanged": self.platform_changed,
            "previousPlatform": self.previous_platform,
            "added": self.added,
            "detoured": self.detoured,
            "predictionUncertaintySec": self._uncertainty(),
            "occupancy": self._occupancy(),
            "destination": self.headsign,
            "endsAt": self.ends_at,
            "terminus": self.terminus,
            "skippedStops": self.left_out[:MOST_NAMES],
            "certainty": self._word(),
            "uncertaintySec": self.certainty.get("uncertainty"),
            "headwaySec": self.certainty.get("headway"),
            "boarding": self.certainty.get("boarding"),
            "tripShortName": self.short_name,
            "continuesAs": self.continues_as,
        }


@dataclass(slots=True)
class Place:
    """What a stop_id of a realtime feed means."""

    stop_id: str | None
    is_platform: bool = False
    platform: str | None = None


@dataclass(slots=True)
class Instance:
    """A trip on a service day: what a trip update is about."""

    trip: Trip
    day: date
    start: int | None
    origin: int
    # How much later than the run the vehicle starts from which delays count.
    moved: int = 0


@dataclass(slots=True)
class Vehicle:
    """A vehicle of a frequency without exact times that starts at none of the runs."""

    trip: Trip
    day: date
    estimate: int
    start: int | None


class Discarded(Exception):
    """Raised when a trip update matches no single trip."""


class OwnEnds:
    """Where a trip ends whose stop time updates are all its stops, and which stops it leaves out on its way."""

    def __init__(self, feed: "RealtimeFeed", stops: list[StopUpdate], calls: list[Call] | None) -> None:
        """Take its stops, and those of the trip that it replaces if it replaces one."""
        self.feed = feed
        self.calls = calls or []
        self.ids = [feed.place(stop.stop_id).stop_id if stop.stop_id else None for stop in stops]
        self.skipped = [stop.relationship == "SKIPPED" for stop in stops]
        served = [i for i, skipped in enumerate(self.skipped) if not skipped]
        self.last = served[-1] if served else -1
        end = self.ids[self.last] if served else None
        early = self.last < len(stops) - 1
        self.elsewhere = False
        if calls and end is not None:
            visits = self.visits(end)
            self.elsewhere = not visits
            early = early or bool(visits) and visits[-1] < len(calls) - 1
        self.end = end if early else None
        # How far along the other trip each stop is: the first visit after those before.
        self.reached, following = [], 0
        for stop_id in self.ids:
            ahead = [i for i in self.visits(stop_id) if i >= following] if stop_id else []
            following = ahead[0] + 1 if ahead else following
            self.reached.append(following - 1)
        behind = len(self.calls) if self.elsewhere else following
        known = [stop_id for stop_id in self.ids if stop_id is not None]
        self.unlisted = [
            i for i in range(behind)
            if not any(feed.same_station(self.calls[i].stop_id, stop_id) for stop_id in known)
        ]

    def visits(self, stop_id: str) -> list[int]:
        """Return where the other trip stops at the station of a stop."""
        return [i for i, call in enumerate(self.calls) if self.feed.same_station(call.stop_id, stop_id)]

    def of(self, index: int) -> tuple[str | None, bool, list[str]]:
        """Return the new terminus, whether it is here, and the names of the stops left out, seen from a stop."""
        left_out: list[tuple[float, int, str]] = []
        for i in range(index + 1, self.last):
            if self.skipped[i] and self.ids[i] is not None:
                left_out.append((self.reached[i], i, self.ids[i]))
        for i in self.unlisted:
            if i > self.reached[index] and (self.elsewhere or i < self.reached[self.last]):
                # Before the stops of the replacement that have come farther than it.
                left_out.append((i, -1, self.calls[i].stop_id))
        names = [self.feed.feed.station(stop_id).name for _, _, stop_id in sorted(left_out)]
        end = None if self.end is None else self.feed.feed.station(self.end).name
        return end, end is not None and index == self.last, names


@dataclass
class RealtimeFeed:
    """A feed of trip updates applied to a GTFS feed; ``discarded`` counts what has no effect."""

    feed: Feed
    data: bytes
    directions: dict[str, int | None] = field(default_factory=dict)
    discarded: Counter[str] = field(default_factory=Counter)
    # Runs that are taken, and by which update.
    reserved: dict[tuple, TripUpdate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Resolve every update and compute the rows of the trips that they are about."""
        self.timestamp, self.updates = read_feed(self.data)
        self.ladder = Ladder(self)
        # The instance of each update that names one.
        self.found: dict[tuple, Instance] = {}
        self._places: dict[str, Place] = {}
        self._numbers: dict[str, list[str]] = defaultdict(list)
        for stop_id in self.feed.stops:
            number = station_number(stop_id)
            if number:
                self._numbers[number].append(stop_id)
        self.modifications = Modifications(self, self.data)
        self.touched: set[tuple[str, date, int | None]] = set()
        # Trips that do not run as the timetable has them, so that no vehicle goes on as one of them.
        self.off: set[tuple[str, date, int | None]] = set()
        self.rows_at: dict[str, list[RealtimeRow]] = defaultdict(list)
        for action in self._chosen().values():
            for row in action():
                for stop_id in row.stops:
                    self.rows_at[stop_id].append(row)
        # When it is known which trips do not run.
        for row in {id(row): row for rows in self.rows_at.values() for row in rows}.values():
            if row.continues is not None and row.ends_at is None and not row.cancelled:
                row.continues_as = self._continues_as(row.trip_id, row.continues)

    # Stops

    def place(self, stop_id: str) -> Place:
        """Return what a stop_id means: a stop of the feed, or a Swiss station or platform."""
        if stop_id not in self._places:
            self._places[stop_id] = self._find_place(stop_id)
        return self._places[stop_id]

    def _find_place(self, stop_id: str) -> Place:
        if stop_id in self.feed.stops:
            return Place(stop_id, self.feed.stops[stop_id].location_type != "1")
        same = self._numbers.get(station_number(stop_id) or "", [])
        parent, platform = self.modifications.stops.get(stop_id, (None, None))
        if not same and parent and self.place(parent).stop_id is not None:
            return Place(self.place(parent).stop_id, False, platform)
        if not same:
            return Place(None)
        station = self.feed.station(same[0]).stop_id
        match = _PLATFORM.fullmatch(stop_id)
        if match is None:
            return Place(station)
        for member in self.feed.family(station):
            if self.feed.boardings.get(member) and self.feed.platform(member) == match.group(1):
                return Place(member, True)
        return Place(station, False, match.group(1))

    def same_station(self, one: str | None, other: str | None) -> bool:
        """Tell whether two stops of the feed belong to one station; a stop that it lacks belongs to none."""
        if one is None or other is None:
            return False
        left, right = self.feed.station(one).stop_id, self.feed.station(other).stop_id
        numbers = [
            station_number(stop) or station_number(root)
            for stop, root in ((one, left), (other, right))
        ]
        return left == right or (numbers[0] is not None and numbers[0] == numbers[1])

    # Which trip, which day

    def _chosen(self) -> dict[tuple, object]:
        """Return, by what they are about, how to compute the rows of the updates that count."""
        copies = {u.trip_id for u in self.updates if u.relationship == "DUPLICATED"}
        chosen: dict[tuple, tuple[tuple, object, TripUpdate]] = {}

        unresolved: list[tuple[int, str]] = []

        def choose(
            update: TripUpdate, number: int, run: int | None = None, found: Instance | None = None
        ) -> None:
            try:
                key, strength, action = self._action(update, number, copies, run, found)
            except Discarded as reason:
                if update.relationship in CLIMBING and str(reason) in CLIMBING_REASONS:
                    unresolved.append((number, str(reason)))
                else:
                    self.discarded[str(reason)] += 1
                return
            rank = (strength, update.timestamp or 0, number)
            if key in chosen:
                self.discarded["repeated"] += 1
            if key not in chosen or rank > chosen[key][0]:
                chosen[key] = (rank, action, update)

        vehicles = []
        for number, update in enumerate(self.updates):
            if self.modifications.is_matched(update):
                continue
            vehicle = self._vehicle(update)
            if vehicle is None:
                choose(update, number)
            else:
                vehicles.append((number, update, vehicle))
        # What is a run takes it first; then each vehicle the nearest one that is left.
        for number, update, vehicle in vehicles:
            starts = sorted(vehicle.trip.runs(), key=lambda s: (abs(s - vehicle.estimate), s))
            for run in starts[:TRIED]:
                key = (vehicle.trip.trip_id, vehicle.day, run)
                other = chosen[key][2] if key in chosen else self.reserved.get(key)
                start = start_of(update.start_time)
                if other and (start is None or start_of(other.start_time) != start):
                    continue
                choose(update, number, run)
                break
            else:
                self.discarded["unknown start"] += 1
        taken = {key for key in chosen if key[0] not in ("new", "copy")} | set(self.reserved)
        for number, found in self.ladder.climb(unresolved, taken).items():
            choose(self.updates[number], number, found=found)
        # What other feeds may ask: which update is of a run, and which run a name represents.
        self.owners = {key: update for key, (_, _, update) in chosen.items()}
        runs: dict[tuple, list[tuple]] = defaultdict(list)
        for key, update in self.owners.items():
            if key[0] not in ("new", "copy") and update.trip_id:
                runs[name_of(update)].append(key)
        # A name of several runs represents none of them.
        self.names = {name: keys[0] for name, keys in runs.items() if len(keys) == 1}
        actions = {key: action for key, (_, action, _) in chosen.items()}
        self.modifications.apply(actions, self.owners)
        return actions

    def instance(self, trip: Trip, day: date, start: int | None) -> Instance:
        """Return a trip on a day, or a run of it."""
        moved = 0 if start is None else start - trip.calls[0].departure
        return Instance(trip, day, start, self.feed.day_start(day, trip) + moved)

    def _vehicle(self, update: TripUpdate) -> Vehicle | None:
        """Return the vehicle of an update that is of no run of a frequency without exact times."""
        if update.modified or update.relationship in ("UNKNOWN", "ADDED", "NEW", "DUPLICATED"):
            return None
        if update.relationship == "REPLACEMENT" and not update.stops:
            return None
        trip = self._known(update)
        runs = trip.runs() if trip else {}
        if not runs or runs[min(runs)]:
            return None
        try:
            self._instance(update)
            return None
        except Discarded as reason:
            if str(reason) != "unknown start":
                return None
        starts = range(min(runs) - SLACK, max(runs) + SLACK + 1)
        given, day = start_of(update.start_time), parse_date(update.start_date or "")
        if given is not None and given in starts:
            run = min(runs, key=lambda s: (abs(s - given), s))
            try:
                found = self._dated(trip, run, run, day, given)
            except Discarded:
                return None
            return Vehicle(trip, found.day, given, given)
        passing = self._passing(update, trip)
        if passing is None:
            return None
        today = (EPOCH + timedelta(seconds=self.timestamp)).astimezone(self.feed.zone).date()
        shifts = (0, -1) if day else (0, -1, 1)
        for each in [(day or today) + timedelta(days=shift) for shift in shifts]:
            estimate = passing - self.feed.day_start(each, trip)
            if self.feed.services[trip.service_id].runs_on(each) and estimate in starts:
                return Vehicle(trip, each, estimate, None)
        return None

    def _passing(self, update: TripUpdate, trip: Trip) -> int | None:
        """Return when the trip began, by the first time that the update gives."""
        for stop in update.stops:
            times = [e.time for e in (stop.departure, stop.arrival) if e and e.time is not None]
            for call in trip.calls:
                is_same = call.sequence == stop.sequence
                if stop.sequence is None and stop.stop_id is not None:
                    is_same = self.place(stop.stop_id).stop_id == call.stop_id
                if times and is_same:
                    return times[0] - (call.departure - trip.calls[0].departure)
        return None

    def _action(
        self,
        update: TripUpdate,
        number: int,
        copies: set[str | None],
        run: int | None = None,
        found: Instance | None = None,
    ):
        if update.modified:
            raise Discarded("modified trip")
        kind = update.relationship
        if kind == "UNKNOWN":
            raise Discarded("unknown relationship")
        if kind == "ADDED":
            if update.trip_id is not None and update.trip_id in copies:
                raise Discarded("also duplicated")
            # Copies were ADDED trips with the id of their template and a start, once.
            is_copy = (
                self._known(update) is not None
                and parse_date(update.start_date or "") is not None
                and start_of(update.start_time) is not None
            )
            kind = "DUPLICATED" if is_copy else "NEW"
        if kind == "DUPLICATED":
            return self._copy(update)
        if kind == "NEW":
            if not update.stops:
                raise Discarded("no stop times")
            key = ("new", update.trip_id or update.original_id or number, update.start_date)
            return key, 0, lambda: self._own_rows(update, None)
        if kind == "REPLACEMENT" and not update.stops:
            raise Discarded("no stop times")
        if found is not None:
            instance = found
        elif run is None:
            instance = self._instance(update)
        else:
            vehicle = self._vehicle(update)
            instance = self._run(vehicle.trip, run, run, vehicle.day)
            if vehicle.start is not None:
                instance.moved = vehicle.start - run
        identity = (instance.trip.trip_id, instance.day, instance.start)
        self.found[identity, id(update)] = instance
        actions = {
            "CANCELED": lambda: self._cancelled_rows(instance),
            "DELETED": lambda: self._no_rows(instance),
            "REPLACEMENT": lambda: self._own_rows(update, instance),
        }
        action = actions.get(kind, lambda: self._updated_rows(update, instance))
        return identity, int(kind in actions), action

    def _known(self, update: TripUpdate) -> Trip | None:
        for trip_id in (update.trip_id, update.original_id):
            trip = self.feed.trips.get(trip_id or "")
            if trip is not None and trip.calls:
                return trip
        return None

    def _copy(self, update: TripUpdate):
        template = self._known(update)
        if template is None:
            raise Discarded("unknown trip")
        day = parse_date(update.new_date or "") or parse_date(update.start_date or "")
        if day is None:
            raise Discarded("no start")
        start = start_of(update.new_time)
        if start is None:
            start = start_of(update.start_time)
        base = template.calls[0].departure
        if template.frequencies:
            base = min(f.start for f in template.frequencies)
        start = base if start is None else start
        trip_id = update.new_trip_id or update.trip_id
        origin = self.feed.day_start(day, template) + start - template.calls[0].departure
        instance = Instance(template, day, None, origin)

        def rows() -> list[RealtimeRow]:
            found = self._updated_rows(update, instance, touches=False)
            for row in found:
                row.trip_id, row.added, row.short_name = trip_id, True, None
            return found

        return ("copy", trip_id, template.trip_id, day, start), 0, rows

    def instance_of(self, update: TripUpdate, trip: Trip) -> Instance | None:
        """Return the instance of an update as if its id were that of a trip; None if absent."""
        try:
            return self._instance(update, trip)
        except Discarded:
            return None

    def run_of(self, trip: Trip, run: int | None, begins: int, day: date) -> Instance:
        """Return a run of a trip on a service day."""
        return self._run(trip, run, begins, day)

    def _instance(self, update: TripUpdate, other: Trip | None = None) -> Instance:
        trip = other or self._known(update)
        start = start_of(update.start_time)
        day = parse_date(update.start_date or "")
        if trip is None:
            if update.trip_id or update.original_id:
                raise Discarded("unknown trip")
            return self._by_start(update, day, start)
        if not trip.frequencies:
            return self._dated(trip, None, trip.calls[0].departure, day, start)
        starts = sorted({s for f in trip.frequencies for s in range(f.start, f.end, f.headway)})
        if start is None and len(starts) == 1:
            start = starts[0]
        if start in starts:
            return self._dated(trip, start, start, day, start)
        if start is not None and start + 86400 in starts and day is not None:
            return self._dated(trip, start + 86400, start + 86400, day, start)
        raise Discarded("unknown start")

    def _by_start(self, update: TripUpdate, day: date | None, start: int | None) -> Instance:
        if update.route_id is None or day is None or start is None:
            raise Discarded("no trip")
        found = []
        for trip in self.feed.trips.values():
            if trip.route.route_id != update.route_id or not trip.calls:
                continue
            if not self.feed.services[trip.service_id].runs_on(day):
                continue
            if update.direction is not None and self.directions.get(trip.trip_id) not in (
                None,
                update.direction,
            ):
                continue
            if trip.frequencies:
                if any(start in range(f.start, f.end, f.headway) for f in trip.frequencies):
                    found.append(self._dated(trip, start, start, day, None))
            elif trip.calls[0].departure == start:
                found.append(self._dated(trip, None, start, day, None))
        if len(found) != 1:
            raise Discarded("ambiguous" if found else "unknown trip")
        return found[0]

    def _dated(
        self, trip: Trip, run: int | None, begins: int, day: date | None, given: int | None
    ) -> Instance:
        """Return the instance of a run (its start, for frequencies) on its service day."""
        service = self.feed.services[trip.service_id]
        if day is None:
            day = self._nearest_day(trip, begins)
        elif begins >= 86400:
            before = day - timedelta(days=1)
            is_calendar_date = given == begins - 86400 or not service.runs_on(day)
            if is_calendar_date and service.runs_on(before):
                day = before
        if day is None or not service.runs_on(day):
            raise Discarded("not running")
        return self._run(trip, run, begins, day)

    def _run(self, trip: Trip, run: int | None, begins: int, day: date) -> Instance:
        origin = self.feed.day_start(day, trip) + begins - trip.calls[0].departure
        return Instance(trip, day, run, origin)

    def _nearest_day(self, trip: Trip, begins: int) -> date | None:
        """Return the active service day whose span is nearest to the feed's timestamp."""
        service = self.feed.services[trip.service_id]
        ends = begins + trip.calls[-1].arrival - trip.calls[0].departure
        first, last = self.feed.validity()
        best = None
        day = first
        while day <= last:
            if service.runs_on(day):
                midnight = self.feed.day_start(day, trip)
                distance = max(
                    0, midnight + begins - self.timestamp, self.timestamp - midnight - ends
                )
                if best is None or distance < best[0]:
                    best = (distance, day)
            day += timedelta(days=1)
        return best[1] if best and best[0] <= FARTHEST else None

    # Rows

    def _row(self, instance: Instance, call: Call) -> RealtimeRow:
        return RealtimeRow(
            trip_id=instance.trip.trip_id,
            stop_id=call.stop_id,
            stop_sequence=call.sequence,
            day=instance.day,
            start=instance.start,
            scheduled=instance.origin + call.departure,
            platform=self.feed.platform(call.stop_id),
            inexact=not instance.trip.runs().get(instance.start, True),
            certainty=self.feed.certainty(
                instance.trip, instance.trip.calls.index(call), instance.start
            ),
            short_name=instance.trip.short_name or None,
            calls=[(each.sequence, each.stop_id) for each in instance.trip.calls],
            index=instance.trip.calls.index(call),
            stops=(call.stop_id,),
        )

    def _touch(self, instance: Instance) -> None:
        self.touched.add((instance.trip.trip_id, instance.day, instance.start))

    def _continues_as(self, trip_id: str, day: date) -> list[dict[str, object]]:
        """Return what rows say of the trips that the vehicle of a trip runs next, of those that run."""
        running = [
            (trip, on)
            for trip, on in self.feed.continuations(self.feed.trips[trip_id], day)
            if (trip.trip_id, on, None) not in self.off
        ]
        return [self.feed.told(trip, on) for trip, on in running[:MOST_CONTINUATIONS]]

    def _turn_off(self, instance: Instance) -> None:
        self.off.add((instance.trip.trip_id, instance.day, instance.start))

    def _no_rows(self, instance: Instance) -> list[RealtimeRow]:
        self._touch(instance)
        self._turn_off(instance)
        return []

    def _cancelled_rows(self, instance: Instance) -> list[RealtimeRow]:
        self._touch(instance)
        self._turn_off(instance)
        rows = [self._row(instance, call) for call in instance.trip.calls[:-1] if call.boards]
        for row in rows:
            row.cancelled = True
        return rows

    def _updated_rows(
        self,
        update: TripUpdate,
        instance: Instance,
        touches: bool = True,
        links: dict[int, StopUpdate] | None = None,
        shifts: list[int | None] | None = None,
    ) -> list[RealtimeRow]:
        if touches:
            self._touch(instance)
        calls = instance.trip.calls
        start = instance.origin + instance.moved
        # Of a trip with modifications they are known, and so is its end.
        is_changed = links is not None
        if links is None:
            links = self._links(update.stops, calls, start)
        is_cancelled = all(
            index in links and links[index].relationship == "SKIPPED" for index in range(len(calls))
        )
        if is_cancelled and touches:
            self._turn_off(instance)
        delay = update.delay if within_a_day(update.delay) else None
        delay_of_trip = delay is not None
        rows = []
        for index, call in enumerate(calls):
            # By how much modifications make the stop later than the delays of the update assume; None where it has none.
            shift = shifts[index] if shifts else 0
            scheduled, boards = start + call.departure, call.boards
            link = links.get(index)
            if link is not None:
                if link.relationship == "NO_DATA":
                    delay, delay_of_trip = None, False
                elif link.relationship != "SKIPPED":
                    departure = predicted_departure(link, start + call.arrival, scheduled, shift or 0)
                    if departure is not None:
                        delay, delay_of_trip = departure - scheduled, False
                    elif not delay_of_trip:
                        delay = None
            if call.stop_id is None:
                continue
            row = self._row(instance, call)
            row.headsign = update.headsign
            row.continues = instance.day if touches else None
            if link is not None:
                self._move(row, link)
                row.told = link
                row.headsign = link.headsign or row.headsign
                boards = call.boards if link.pickup is None else link.pickup != 1
                row.certainty = arranged(row.certainty, link.pickup, call)
                row.skipped = link.relationship == "SKIPPED"
            if is_cancelled:
                row.cancelled = True
            elif delay is not None and shift is not None:
                row.predicted = scheduled + delay
            if index < len(calls) - 1 and boards:
                rows.append(row)
                if not is_cancelled and not is_changed:
                    self._say_end(row, index, calls, links)
        return rows

    def _name(self, stop_id: str) -> str:
        return self.feed.station(stop_id).name

    def _say_end(
        self, row: RealtimeRow, index: int, calls: list[Call], links: dict[int, StopUpdate]
    ) -> None:
        """Say of a row which later stops are left out, and where the trip ends if not at its last stop."""
        left_out = {i for i, link in links.items() if link.relationship == "SKIPPED"}
        end = max(i for i in range(len(calls)) if i not in left_out)
        row.left_out = [self._name(calls[i].stop_id) for i in range(index + 1, end) if i in left_out]
        if end == len(calls) - 1:
            end_seen = None
        else:
            row.ends_at = self._name(calls[end].stop_id)
            row.terminus = index == end
            # At the new last stop, after it and where the trip does not stop, the scheduled destination is kept.
            end_seen = end if end > index and not row.skipped else None
        trip = self.feed.trips[row.trip_id] if row.trip_id in self.feed.trips else None
        if row.headsign is None and trip is not None and not row.added:
            row.headsign = self.feed.destination(trip, index, end_seen) or None

    def _links(
        self, updates: list[StopUpdate], calls: list[Call], start: int
    ) -> dict[int, StopUpdate]:
        """Return which update belongs to which call, by the call's index."""
        result: dict[int, StopUpdate] = {}
        following = 0
        for number, update in enumerate(updates):
            index = self._link(update, calls, following, updates[number + 1 :], start)
            if index is None:
                self.discarded["stop time update"] += 1
                continue
            result[index] = update
            following = index + 1
        return result

    def _link(
        self, update: StopUpdate, calls: list[Call], following: int, later: list[StopUpdate], start: int
    ) -> int | None:
        numbered = [i for i, call in enumerate(calls) if call.sequence == update.sequence]
        if update.stop_id is None:
            return numbered[0] if numbered else None
        stop_id = self.place(update.stop_id).stop_id
        if stop_id is None:
            return numbered[0] if numbered else None
        if numbered and self.same_station(calls[numbered[0]].stop_id, stop_id):
            return numbered[0]
        if numbered and calls[numbered[0]].stop_id is None and all(call.stop_id != stop_id for call in calls):
            # Of a stop that the timetable lacks only the number is known.
            return numbered[0]
        visits = [i for i in range(following, len(calls)) if calls[i].stop_id == stop_id]
        times = [
            (event.time, kind)
            for event, kind in ((update.departure, "departure"), (update.arrival, "arrival"))
            if event is not None and event.time is not None
        ]
        if len(visits) > 1 and times:
            # The updates that follow need a visit each; of the others the nearest in time.
            needed = sum(other.stop_id == update.stop_id for other in later)
            free = visits[: max(1, len(visits) - needed)]
            time, kind = times[0]
            return min(free, key=lambda i: abs(time - start - getattr(calls[i], kind)))
        for indexes in (range(following, len(calls)), range(len(calls))):
            for index in indexes:
                if calls[index].stop_id == stop_id:
                    return index
            for index in indexes:
                if self.same_station(calls[index].stop_id, stop_id):
                    return index
        return None

    def _move(self, row: RealtimeRow, update: StopUpdate) -> None:
        """Apply a change of platform to a row."""
        named = update.assigned or update.stop_id
        if named is None:
            return
        place = self.place(named)
        if place.stop_id is None or place.stop_id == row.stop_id:
            return
        usual = row.platform
        if place.is_platform:
            row.platform = self.feed.platform(place.stop_id)
            row.stops = (row.stop_id, place.stop_id)
        elif place.platform is not None and place.platform != usual:
            row.platform = place.platform
            if usual is None:
                return
        else:
            return
        row.platform_changed, row.previous_platform = True, usual

    def _own_rows(self, update: TripUpdate, replaced: Instance | None) -> list[RealtimeRow]:
        """Return the rows of a trip whose stop time updates are all its stops."""
        if replaced is not None:
            self._touch(replaced)
            self._turn_off(replaced)
        stops = update.stops
        if all(stop.sequence is not None for stop in stops):
            stops = sorted(stops, key=lambda stop: stop.sequence)
        times = [own_departure(stop) for stop in stops]
        day = replaced.day if replaced else parse_date(update.start_date or "")
        if day is None:
            known = [predicted if predicted is not None else planned for planned, predicted in times]
            first = min((time for time in known if time is not None), default=self.timestamp)
            day = (EPOCH + timedelta(seconds=first)).astimezone(self.feed.zone).date()
        rows = []
        ends = OwnEnds(self, stops, replaced.trip.calls if replaced else None)
        for index, (stop, (planned, predicted)) in enumerate(zip(stops, times)):
            place = self.place(stop.stop_id) if stop.stop_id else Place(None)
            is_last = index == len(stops) - 1
            if place.stop_id is None or is_last or stop.relationship == "SKIPPED":
                continue
            if stop.pickup == 1 or (planned is None and predicted is None):
                continue
            trip_id = replaced.trip.trip_id if replaced else update.trip_id or update.original_id
            row = RealtimeRow(
                trip_id=trip_id,
                stop_id=place.stop_id,
                stop_sequence=stop.sequence if stop.sequence is not None else index,
                day=day,
                start=None,
                scheduled=planned,
                predicted=predicted,
                added=replaced is None,
                short_name=replaced.trip.short_name or None if replaced else None,
                calls=[
                    (other.sequence, self.place(other.stop_id).stop_id if other.stop_id else None)
                    for other in stops
                ],
                index=index,
                replaces=replaced is not None,
                replaced_start=replaced.start if replaced else None,
                platform=place.platform or self.feed.platform(place.stop_id),
                headsign=stop.headsign or update.headsign,
                stops=(place.stop_id,),
            )
            if stop.assigned and self.place(stop.assigned).is_platform:
                self._move(row, stop)
            row.ends_at, row.terminus, row.left_out = ends.of(index)
            row.continues = replaced.day if replaced and not ends.elsewhere else None
            row.certainty = arranged(row.certainty, stop.pickup, None)
            row.told = stop
            rows.append(row)
        return rows

    # Boards

    def board(
        self, stop_id: str, now: datetime, window: int = DEFAULT_WINDOW_MINUTES
    ) -> list[RealtimeRow]:
        """Return the board of a stop at an instant (an aware datetime)."""
        micros = epoch_microseconds(now)
        low = -(-(micros - GRACE_SECONDS * 1_000_000) // 1_000_000)
        high = -(-(micros + window * 60_000_000) // 1_000_000)
        found = []
        for row in self.feed.board(stop_id, now, window):
            if (row.trip_id, row.service_date, row.start_time) not in self.touched:
                found.append(
                    RealtimeRow(
                        trip_id=row.trip_id,
                        stop_id=row.stop_id,
                        stop_sequence=row.stop_sequence,
                        day=row.service_date,
                        start=row.start_time,
                        scheduled=row.departure,
                        platform=row.platform,
                        certainty={
                            "certainty": row.certainty,
                            "uncertainty": row.uncertainty,
                            "headway": row.headway,
                            "boarding": row.boarding,
                        },
                        short_name=row.short_name or None,
                        continues_as=self._continues_as(row.trip_id, row.service_date),
                        calls=[(c.sequence, c.stop_id) for c in self.feed.trips[row.trip_id].calls],
                        index=[c.sequence for c in self.feed.trips[row.trip_id].calls].index(
                            row.stop_sequence
                        ),
                    )
                )
        seen: set[int] = set()
        for member in self.feed.family(stop_id):
            for row in self.rows_at.get(member, ()):
                if low <= row.effective < high and id(row) not in seen:
                    seen.add(id(row))
                    found.append(row)
        found.sort(
            key=lambda row: (
                row.effective,
                row.effective if row.scheduled is None else row.scheduled,
                (row.trip_id or "").encode("utf-8"),
                row.stop_sequence,
                2 if row.added else 1 if row.replaces else 0,
                -1 if row.start is None else row.start,
                row.day,
            )
        )
        return found


def read_directions(path: str) -> dict[str, int | None]:
    """Return the direction_id of every trip of a feed."""
    files = FeedFiles(path)
    try:
        rows = files.rows("trips.txt", ("trip_id", "direction_id"))
        return {trip_id: parse_integer(text) for trip_id, text in rows}
    finally:
        files.close()


def name_of(update: TripUpdate) -> tuple:
    """Return what an update calls its trip."""
    return update.trip_id, start_of(update.start_time), parse_date(update.start_date or "")


# --- Single values ------------------------------------------------------------------


def station_number(stop_id: str) -> str | None:
    """Return the seven digits of the Swiss station of an id of any year's shape, else None."""
    match = _SLOID.fullmatch(stop_id)
    if match:
        return str(8_500_000 + int(match.group(1)))
    match = _NUMBER.fullmatch(stop_id)
    return match.group(1) if match else None


def start_of(text: str | None) -> int | None:
    """Return a start_time in seconds of the service day."""
    return parse_time(text) if text else None


def arranged(certainty: dict[str, object], pickup: int | None, call: Call | None) -> dict[str, object]:
    """Return how exact a time is, with what realtime says of how people board."""
    if pickup in (2, 3):
        return certainty | {"certainty": "on_demand", "boarding": {2: "phone_agency", 3: "ask_driver"}[pickup]}
    if pickup != 0 or certainty["certainty"] != "on_demand" or call is None:
        return certainty
    exact = "timepoint" if call.timepoint == 1 and not call.untimed else "exact"
    word = "headway" if "headway" in certainty else "interpolated" if call.rough else exact
    return certainty | {"certainty": word, "boarding": None}


def within_a_day(deviation: int | None) -> bool:
    """Tell whether a delay is one."""
    return deviation is not None and abs(deviation) <= MOST_DEVIATION


def instant_of(event: Event | None, scheduled: int | None) -> int | None:
    """Return the instant of an event: its time, unless its delay contradicts it by hours."""
    if event is None:
        return None
    by_delay = None
    if event.delay is not None and scheduled is not None:
        by_delay = scheduled + event.delay
    if event.time is None:
        return by_delay
    if by_delay is not None and abs(event.time - by_delay) > DISAGREEMENT:
        return by_delay
    return event.time


def predicted_departure(update: StopUpdate, arrival: int, departure: int, shift: int = 0) -> int | None:
    """Return the departure that a stop time update predicts for a scheduled stop.

    Its delays are those against a schedule that was so much earlier.
    """
    time = instant_of(update.departure, departure - shift)
    if time is not None and within_a_day(time - departure):
        return time
    time = instant_of(update.arrival, arrival - shift)
    if time is not None and within_a_day(time - arrival):
        return max(time, departure + time - arrival)
    return None


def own_departure(update: StopUpdate) -> tuple[int | None, int | None]:
    """Return the scheduled and the predicted departure of a stop of a new trip.

    Scheduled is the scheduled_time, else what time and delay together say.
    """
    departure, arrival = update.departure or Event(), update.arrival or Event()
    if update.relationship == "NO_DATA":
        return departure.scheduled, None

    def instant(event: Event) -> int | None:
        if event.time is not None and event.time <= 0:
            event = Event(event.delay, None, event.scheduled)
        return instant_of(event, event.scheduled)

    def plan(event: Event) -> int | None:
        if event.scheduled is not None:
            return event.scheduled
        if event.time is None or event.time <= 0 or not within_a_day(event.delay):
            return None
        return event.time - event.delay

    time = instant(departure)
    if time is not None:
        return plan(departure), time
    time = instant(arrival)
    if time is None:
        return departure.scheduled, None
    if departure.scheduled is None:
        return plan(arrival), time
    if arrival.scheduled is not None:
        time = max(time, departure.scheduled + time - arrival.scheduled)
    return departure.scheduled, time
