"""An independent oracle for scheduled departure boards computed from a GTFS feed.

The module reads the raw text files of a feed (a zip archive or a folder) with the
standard library only and computes the board of a stop at an instant. It favours
plain statements of the rules over speed, and shares no code with the server it checks.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from functools import cache
from operator import itemgetter
from pathlib import Path
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
GRACE_SECONDS = 45
DEFAULT_WINDOW_MINUTES = 210
CERTAINTY_REACH = 256
# For how long a vehicle waits at most between two trips of its block, and how far it goes, for passengers to stay in.
LONGEST_STOP, MOST_METERS = 1800, 200
MOST_CONTINUATIONS = 4
MAX_HEADSIGN_LENGTH = 80
# Of a row of stop_times.txt that is not a departure at a time.
ON_DEMAND_COLUMNS = (
    "location_id", "location_group_id", "start_pickup_drop_off_window", "end_pickup_drop_off_window",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_TIME = re.compile(r"([0-9]+):([0-5][0-9]):([0-5][0-9])")
_DATE = re.compile(r"[0-9]{8}")
_INTEGER = re.compile(r"[0-9]+")
_PLATFORM_IN_STOP_ID = re.compile(r"[0-9]{7}:[0-9]+:(.+)")
_LABEL_IN_ROUTE_ID = re.compile(r"[0-9]+-([^-]+)-(?:.+-)?j[0-9]{2}-[0-9]+")
_LABEL_IN_OJP_ROUTE_ID = re.compile(r"ojp:92([^:]+):.*")


# --- Parsing of single values -------------------------------------------------------


@cache
def parse_time(text: str) -> int | None:
    """Return the seconds of an ``H:MM:SS`` time (any number of hour digits), else None."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds = map(int, match.groups())
    return hours * 3600 + minutes * 60 + seconds


def format_time(seconds: int) -> str:
    """Return seconds as ``HH:MM:SS``, with hours past 24 where necessary."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@cache
def parse_date(text: str) -> date | None:
    """Return the date of a ``YYYYMMDD`` text, else None."""
    text = text.strip()
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None


@cache
def parse_integer(text: str) -> int | None:
    """Return a non-negative decimal integer, else None."""
    text = text.strip()
    return int(text) if _INTEGER.fullmatch(text) else None


def parse_instant(text: str, zone: ZoneInfo) -> datetime:
    """Parse an RFC 3339 instant; one without an offset is local to the given zone."""
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=zone)


def format_instant(epoch_seconds: int) -> str:
    """Return epoch seconds as an RFC 3339 instant in UTC, such as 2026-11-24T07:02:00Z."""
    return (EPOCH + timedelta(seconds=epoch_seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def epoch_microseconds(instant: datetime) -> int:
    """Return the exact number of microseconds from the epoch to an aware datetime."""
    return (instant - EPOCH) // timedelta(microseconds=1)


# --- Names and labels ---------------------------------------------------------------


@cache
def folded(name: str) -> str:
    """Fold a name for comparison: no accents, no case, punctuation as single spaces."""
    decomposed = unicodedata.normalize("NFKD", name)
    bare = "".join(c for c in decomposed if not unicodedata.category(c).startswith("M"))
    return " ".join("".join(c if c.isalnum() else " " for c in bare.lower()).split())


def same_place(name: str, others: tuple[str, ...]) -> bool:
    """Tell whether a name denotes the same place as one of the others."""
    key = folded(name)
    return bool(key) and any(key == folded(other) for other in others)


def label_in_route_id(route_id: str) -> str:
    """Return the line label hidden in a route_id of a known shape, else an empty text."""
    for pattern in (_LABEL_IN_ROUTE_ID, _LABEL_IN_OJP_ROUTE_ID):
        match = pattern.fullmatch(route_id)
        if match:
            letters, digits = re.fullmatch(r"([A-Za-z]*)(.*)", match.group(1)).groups()
            return letters + digits.lstrip("0")
    return ""


def service_day_start(day: date, zone: ZoneInfo) -> int:
    """Return the epoch seconds from which times of a service date count: noon minus 12 h."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=zone)
    return epoch_microseconds(noon) // 1_000_000 - 12 * 3600


# --- The feed's records -------------------------------------------------------------


@dataclass(slots=True)
class Stop:
    """A row of stops.txt."""

    stop_id: str
    name: str
    parent_id: str
    platform_code: str
    location_type: str
    latitude: str = ""
    longitude: str = ""


@dataclass(slots=True)
class Route:
    """A row of routes.txt."""

    route_id: str
    agency_id: str
    short_name: str
    long_name: str


@dataclass(slots=True)
class Call:
    """A stop time of a trip; after loading, arrival and departure are always known."""

    sequence: int
    stop_id: str
    arrival: int | None
    departure: int | None
    headsign: str
    boards: bool
    distance: float | None = None
    # Whether the feed gives no time of the stop.
    untimed: bool = False
    # timepoint, if it is 0 or 1; pickup_type, if it is one.
    timepoint: int | None = None
    pickup: int = 0

    @property
    def rough(self) -> bool:
        """Tell whether the time is only near the one of the vehicle."""
        return self.untimed or self.timepoint == 0


@dataclass(slots=True)
class Frequency:
    """A usable row of frequencies.txt, in seconds of the service day."""

    start: int
    end: int
    headway: int
    exact: bool = False


@dataclass(slots=True)
class Trip:
    """A trip with its calls by rising stop_sequence and its frequencies, if any."""

    trip_id: str
    route: Route
    service_id: str
    headsign: str
    calls: list[Call] = field(default_factory=list)
    frequencies: list[Frequency] = field(default_factory=list)
    short_name: str = ""
    block: str = ""

    def runs(self) -> dict[int, bool]:
        """Return the starts of the trip's frequencies in order, and whether each is to the minute."""
        if not self.frequencies:
            return {}
        found: dict[int, bool] = {}
        for frequency in self.frequencies:
            # Of rows that give the same start the last one counts.
            for start in range(frequency.start, frequency.end, frequency.headway):
                found[start] = frequency.exact
        return dict(sorted(found.items()))


@dataclass(slots=True)
class Service:
    """When a service runs: weekdays within a period, and exceptions by date."""

    weekdays: tuple[bool, ...] = (False,) * 7
    first: date = date.max
    last: date = date.min
    exceptions: dict[date, bool] = field(default_factory=dict)

    def runs_on(self, day: date) -> bool:
        """Tell whether the service runs on a date."""
        if day in self.exceptions:
            return self.exceptions[day]
        return self.first <= day <= self.last and self.weekdays[day.weekday()]


@dataclass(slots=True)
class Row:
    """A row of a departure board."""

    departure: int
    trip_id: str
    stop_id: str
    stop_sequence: int
    route_id: str
    line: str | None
    destination: str
    platform: str | None
    operator: str | None
    service_date: date
    start_time: int | None
    certainty: str = "exact"
    uncertainty: int | None = None
    headway: int | None = None
    boarding: str | None = None
    short_name: str = ""
    continues_as: list[dict[str, object]] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Return the row under the field names of the HTTP contract."""
        result: dict[str, object] = {
            "scheduledDeparture": format_instant(self.departure),
            "line": self.line,
            "destination": self.destination,
            "platform": self.platform,
            "trip_id": self.trip_id,
            "stop_id": self.stop_id,
            "stop_sequence": self.stop_sequence,
            "operator": self.operator,
            "serviceDate": self.service_date.isoformat(),
            "certainty": self.certainty,
            "uncertaintySec": self.uncertainty,
            "headwaySec": self.headway,
            "boarding": self.boarding,
            "tripShortName": self.short_name or None,
            "continuesAs": self.continues_as,
        }
        if self.start_time is not None:
            result["startTime"] = format_time(self.start_time)
        return result


# --- Reading the files --------------------------------------------------------------


class FeedFiles:
    """The text files of a feed: in a folder or a zip, there possibly in a sub-folder."""

    def __init__(self, path: str | Path) -> None:
        """Open the feed and find the (shallowest) folder that holds stop_times.txt."""
        self._path = Path(path)
        self._archive = None if self._path.is_dir() else zipfile.ZipFile(self._path)
        if self._archive is not None:
            names = self._archive.namelist()
        else:
            files = (p for p in self._path.rglob("*.txt") if p.is_file())
            names = [p.relative_to(self._path).as_posix() for p in files]
        found = [
            name
            for name in names
            if name.rsplit("/", 1)[-1] == "stop_times.txt" and not name.startswith("__MACOSX/")
        ]
        if not found:
            raise FileNotFoundError(f"no stop_times.txt in {path}")
        best = min(found, key=lambda name: (name.count("/"), name))
        self._folder = best[: -len("stop_times.txt")]
        self._names = frozenset(names)

    def close(self) -> None:
        """Close the archive, if there is one."""
        if self._archive is not None:
            self._archive.close()

    def text(self, file_name: str) -> str | None:
        """Return the whole text of a file, if the feed has it."""
        name = self._folder + file_name
        if self._archive is None:
            path = self._path / name
            return path.read_text(encoding="utf-8-sig") if path.is_file() else None
        return self._archive.read(name).decode("utf-8-sig") if name in self._names else None

    def rows(self, file_name: str, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Yield the stripped values of the columns, row by row; missing ones are empty.

        A file that does not exist yields nothing; blank lines are passed over.
        """
        name = self._folder + file_name
        if name not in self._names:
            return
        with ExitStack() as stack:
            if self._archive is not None:
                raw = stack.enter_context(self._archive.open(name))
            else:
                raw = stack.enter_context(open(self._path / name, "rb"))
            text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
            reader = csv.reader(stack.enter_context(text))
            header = [title.strip() for title in next(reader, [])]
            width = len(header)
            # A column that is missing has the value that follows those of the row.
            places = [header.index(c) if c in header else width for c in columns]
            pick = itemgetter(*places) if len(places) > 1 else lambda values: [values[places[0]]]
            for values in reader:
                if values:
                    if len(values) != width:
                        values = [*values[:width], *[""] * (width - len(values))]
                    values.append("")
                    yield tuple(map(str.strip, pick(values)))


# --- The feed -----------------------------------------------------------------------


class Feed:
    """A GTFS feed, indexed by stop, that answers departure boards.

    ``skipped`` counts what was left out of the feed, by reason.
    """

    def __init__(self, path: str | Path) -> None:
        """Load a feed from a zip file or a folder."""
        self.skipped: Counter[str] = Counter()
        self.agencies: dict[str, str] = {}
        self.agency_zones: dict[str, ZoneInfo] = {}
        self.stops: dict[str, Stop] = {}
        self.routes: dict[str, Route] = {}
        self.services: dict[str, Service] = {}
        self.trips: dict[str, Trip] = {}
        self.children: dict[str, list[str]] = defaultdict(list)
        self.boardings: dict[str, list[tuple[Trip, int]]] = defaultdict(list)
        self.blocks: dict[str, list[Trip]] = defaultdict(list)
        # Rows of transfers.txt: the trips linked to each, and the pairs between which passengers have to leave.
        self.links: dict[str, list[str]] = defaultdict(list)
        self.barred: set[tuple[str, str]] = set()
        self.earliest = 0
        self.latest = 0
        self._day_starts: dict[tuple[date, ZoneInfo], int] = {}

        files = FeedFiles(path)
        try:
            self._load_agencies(files)
            self._load_stops(files)
            self._load_routes(files)
            self._load_services(files)
            self._load_trips(files)
            self._load_calls(files)
            self._load_frequencies(files)
            self._load_links(files)
        finally:
            files.close()
        self._finish_trips()

    # Loading

    def _load_agencies(self, files: FeedFiles) -> None:
        zones = []
        for agency_id, name, zone in files.rows(
            "agency.txt", ("agency_id", "agency_name", "agency_timezone")
        ):
            self.agencies.setdefault(agency_id, name)
            if zone:
                self.agency_zones.setdefault(agency_id, ZoneInfo(zone))
                zones.append(zone)
        if not zones:
            raise ValueError("no time zone in agency.txt")
        self.zone = ZoneInfo(zones[0])
        self.all_zones = [ZoneInfo(name) for name in dict.fromkeys(zones)]

    def _load_stops(self, files: FeedFiles) -> None:
        columns = ("stop_id", "stop_name", "parent_station", "platform_code", "location_type", "stop_lat", "stop_lon")
        for values in files.rows("stops.txt", columns):
            if not values[0] or values[0] in self.stops:
                self.skipped["stop without id or repeated"] += 1
                continue
            self.stops[values[0]] = Stop(*values)
        for stop in self.stops.values():
            if stop.parent_id in self.stops:
                self.children[stop.parent_id].append(stop.stop_id)

    def _load_routes(self, files: FeedFiles) -> None:
        columns = ("route_id", "agency_id", "route_short_name", "route_long_name")
        for values in files.rows("routes.txt", columns):
            if not values[0] or values[0] in self.routes:
                self.skipped["route without id or repeated"] += 1
                continue
            self.routes[values[0]] = Route(*values)

    def _load_services(self, files: FeedFiles) -> None:
        columns = ("service_id", "start_date", "end_date", *WEEKDAYS)
        for service_id, start, end, *flags in files.rows("calendar.txt", columns):
            first, last = parse_date(start), parse_date(end)
            if not service_id or first is None or last is None or service_id in self.services:
                self.skipped["calendar row unusable or repeated"] += 1
                continue
            weekdays = tuple(flag == "1" for flag in flags)
            self.services[service_id] = Service(weekdays, first, last)
        columns = ("service_id", "date", "exception_type")
        for service_id, text, kind in files.rows("calendar_dates.txt", columns):
            day = parse_date(text)
            if not service_id or day is None or kind not in ("1", "2"):
                self.skipped["calendar_dates row unusable"] += 1
                continue
            exceptions = self.services.setdefault(service_id, Service()).exceptions
            # Of two exceptions for one date, a removal counts.
            exceptions[day] = exceptions.get(day, True) and kind == "1"

    def _load_trips(self, files: FeedFiles) -> None:
        columns = ("trip_id", "route_id", "service_id", "trip_headsign", "trip_short_name", "block_id")
        for trip_id, route_id, service_id, headsign, short, block in files.rows("trips.txt", columns):
            if not trip_id or trip_id in self.trips:
                self.skipped["trip without id or repeated"] += 1
            elif route_id not in self.routes:
                self.skipped["trip with unknown route"] += 1
            elif service_id not in self.services:
                self.skipped["trip with unknown service"] += 1
            else:
                route = self.routes[route_id]
                trip = Trip(trip_id, route, service_id, headsign, short_name=short, block=block)
                self.trips[trip_id] = trip
                if block:
                    self.blocks[block].append(trip)

    def _load_calls(self, files: FeedFiles) -> None:
        columns = (
            "trip_id",
            "stop_id",
            "stop_sequence",
            "arrival_time",
            "departure_time",
            "stop_headsign",
            "pickup_type",
            "shape_dist_traveled",
            "timepoint",
            *ON_DEMAND_COLUMNS,
        )
        seen: dict[str, set[int]] = defaultdict(set)
        for trip_id, stop_id, place, arrives, departs, headsign, pickup, far, point, *on_demand in files.rows(
            "stop_times.txt", columns
        ):
            if any(on_demand):
                self.skipped["stop time of a service on demand"] += 1
                continue
            trip = self.trips.get(trip_id)
            if trip is None:
                self.skipped["stop time of unknown or skipped trip"] += 1
                continue
            if stop_id not in self.stops:
                self.skipped["stop time at unknown stop"] += 1
                continue
            sequence = parse_integer(place)
            if sequence is None:
                self.skipped["stop time without sequence"] += 1
                continue
            arrival = parse_time(arrives)
            departure = parse_time(departs)
            if (arrives and arrival is None) or (departs and departure is None):
                self.skipped["stop time with unreadable time"] += 1
                continue
            if sequence in seen[trip_id]:
                self.skipped["stop time repeated"] += 1
                continue
            seen[trip_id].add(sequence)
            if arrival is None:
                arrival = departure
            if departure is None:
                departure = arrival
            boards = parse_integer(pickup) != 1
            distance = parse_distance(far)
            call = Call(sequence, stop_id, arrival, departure, headsign, boards, distance)
            call.timepoint = int(point) if point in ("0", "1") else None
            call.pickup = int(pickup) if pickup in ("0", "1", "2", "3") else 0
            trip.calls.append(call)

    def _load_frequencies(self, files: FeedFiles) -> None:
        columns = ("trip_id", "start_time", "end_time", "headway_secs", "exact_times")
        rows = files.rows("frequencies.txt", columns)
        for trip_id, start_text, end_text, headway_text, exact_text in rows:
            trip = self.trips.get(trip_id)
            start, end = parse_time(start_text), parse_time(end_text)
            headway = parse_integer(headway_text)
            if trip is None or start is None or end is None or not headway:
                self.skipped["frequency unusable"] += 1
                continue
            trip.frequencies.append(Frequency(start, end, headway, exact_text.strip() == "1"))

    def _load_links(self, files: FeedFiles) -> None:
        columns = ("from_trip_id", "to_trip_id", "transfer_type")
        for first, second, kind in files.rows("transfers.txt", columns):
            if first not in self.trips or second not in self.trips or first == second:
                continue
            if kind == "4" and second not in self.links[first]:
                self.links[first].append(second)
            elif kind == "5":
                self.barred.add((first, second))

    def _finish_trips(self) -> None:
        """Order and complete the calls, drop untimed trips, and index the boardings."""
        for trip in self.trips.values():
            calls = trip.calls
            calls.sort(key=lambda call: call.sequence)
            if not calls:
                continue
            if calls[0].departure is None or calls[-1].departure is None:
                self.skipped["trip whose first or last stop has no time"] += 1
                trip.calls = []
                continue
            interpolate(calls)
            base = calls[0].departure
            earliest = min(call.departure for call in calls)
            latest = max(call.departure for call in calls)
            if trip.frequencies:
                earliest += min(f.start for f in trip.frequencies) - base
                latest += max(f.end for f in trip.frequencies) - base
            self.earliest = min(self.earliest, earliest)
            self.latest = max(self.latest, latest)
            for index, call in enumerate(calls[:-1]):
                if call.boards:
                    self.boardings[call.stop_id].append((trip, index))

    # Stops

    def family(self, stop_id: str) -> list[str]:
        """Return the stop and all its descendants through parent_station."""
        found = {stop_id: None}
        queue = [stop_id]
        while queue:
            for child in self.children.get(queue.pop(), ()):
                if child not in found:
                    found[child] = None
                    queue.append(child)
        return list(found)

    def station(self, stop_id: str) -> Stop:
        """Return the top-most ancestor of a stop (the stop itself within a cycle)."""
        stop = self.stops[stop_id]
        seen = {stop_id}
        while stop.parent_id in self.stops:
            if stop.parent_id in seen:
                return self.stops[stop_id]
            seen.add(stop.parent_id)
            stop = self.stops[stop.parent_id]
        return stop

    # Dates

    def day_start(self, day: date, trip: Trip | None = None) -> int:
        """Return the epoch seconds of second 0 of a service date: of a trip, in the zone of its agency."""
        return self._day_start(day, self.trip_zone(trip) if trip else self.zone)

    def trip_zone(self, trip: Trip) -> ZoneInfo:
        """Return the time zone of a trip's agency; a blank agency_id means the only one."""
        return self.agency_zones.get(trip.route.agency_id, self.zone)

    def _day_start(self, day: date, zone: ZoneInfo) -> int:
        if (day, zone) not in self._day_starts:
            self._day_starts[day, zone] = service_day_start(day, zone)
        return self._day_starts[day, zone]

    def validity(self) -> tuple[date, date]:
        """Return the first and last date of the services that have trips."""
        days: list[date] = []
        for service_id in {trip.service_id for trip in self.trips.values()}:
            service = self.services[service_id]
            if service.first <= service.last and any(service.weekdays):
                days += (service.first, service.last)
            days += (day for day, added in service.exceptions.items() if added)
        if not days:
            raise ValueError("the feed has no service at all")
        return min(days), max(days)

    def _service_days(self, low: int, high: int) -> list[date]:
        """Return every date whose trips may depart in low <= departure < high."""
        day = (EPOCH + timedelta(seconds=low - self.latest)).date() - timedelta(days=2)
        final = (EPOCH + timedelta(seconds=high - self.earliest)).date() + timedelta(days=2)
        days = []
        while day <= final:
            starts = [self._day_start(day, zone) for zone in self.all_zones]
            if min(starts) + self.earliest < high and max(starts) + self.latest >= low:
                days.append(day)
            day += timedelta(days=1)
        return days

    # Boards

    def board(
        self,
        stop_id: str,
        now: datetime,
        window_minutes: int = DEFAULT_WINDOW_MINUTES,
        limit: int | None = None,
    ) -> list[Row]:
        """Return the scheduled board of a stop at an instant (an aware datetime)."""
        if stop_id not in self.stops:
            raise KeyError(stop_id)
        micros = epoch_microseconds(now)
        low = -(-(micros - GRACE_SECONDS * 1_000_000) // 1_000_000)
        high = -(-(micros + window_minutes * 60_000_000) // 1_000_000)
        days = self._service_days(low, high)
        running: dict[str, list[date]] = {}

        found = []
        for member in self.family(stop_id):
            for trip, index in self.boardings.get(member, ()):
                service_id = trip.service_id
                if service_id not in running:
                    service = self.services[service_id]
                    running[service_id] = [day for day in days if service.runs_on(day)]
                for day in running[service_id]:
                    origin = self.day_start(day, trip)
                    for departure, start in departures(trip, index, origin, low, high):
                        found.append((departure, trip, index, day, start))
        found.sort(
            key=lambda item: (
                item[0],
                item[1].trip_id.encode("utf-8"),
                item[1].calls[item[2]].sequence,
                -1 if item[4] is None else item[4],
                item[3],
            )
        )
        return [self._row(*item) for item in found[:limit]]

    def _row(self, departure: int, trip: Trip, index: int, day: date, start: int | None) -> Row:
        call = trip.calls[index]
        return Row(
            departure=departure,
            trip_id=trip.trip_id,
            stop_id=call.stop_id,
            stop_sequence=call.sequence,
            route_id=trip.route.route_id,
            line=self.line(trip.route),
            destination=self.destination(trip, index),
            platform=self.platform(call.stop_id),
            operator=self.operator(trip.route),
            service_date=day,
            start_time=start,
            short_name=trip.short_name,
            continues_as=self.continues_as(trip, day),
            **self.certainty(trip, index, start),
        )

    # What the vehicle runs next

    def continuations(self, trip: Trip, day: date) -> list[tuple[Trip, date]]:
        """Return the trips, each with its service day, that the vehicle of a trip runs next with passengers in it."""
        if trip.frequencies:
            return []
        end = trip.calls[-1].arrival
        linked = []
        for other in (self.trips[trip_id] for trip_id in self.links.get(trip.trip_id, ())):
            if not self._may_follow(trip, other) or (trip.trip_id, other.trip_id) in self.barred:
                continue
            on = day if other.calls[0].departure >= end else day + timedelta(days=1)
            if self.services[other.service_id].runs_on(on):
                linked.append((other, on))
        if linked or not trip.block:
            return linked
        later = [
            other
            for other in self.blocks[trip.block]
            if self._may_follow(trip, other)
            and 0 <= other.calls[0].departure - end <= LONGEST_STOP
            and self.services[other.service_id].runs_on(day)
        ]
        if not later:
            return []
        following = min(later, key=lambda t: (t.calls[0].departure, t.trip_id.encode("utf-8")))
        if (trip.trip_id, following.trip_id) in self.barred:
            return []
        return [(following, day)] if self._begins_near(trip, following) else []

    def _may_follow(self, trip: Trip, other: Trip) -> bool:
        same_zone = self.trip_zone(trip).key == self.trip_zone(other).key
        return other is not trip and bool(other.calls) and not other.frequencies and same_zone

    def _begins_near(self, trip: Trip, other: Trip) -> bool:
        last, first = self.stops[trip.calls[-1].stop_id], self.stops[other.calls[0].stop_id]
        if self.station(last.stop_id) is self.station(first.stop_id):
            return True
        try:
            here = float(last.latitude), float(last.longitude)
            there = float(first.latitude), float(first.longitude)
        except ValueError:
            return False
        north = math.radians(there[0] - here[0])
        east = math.radians(there[1] - here[1]) * math.cos(math.radians(here[0]))
        return 6_371_009 * math.hypot(north, east) <= MOST_METERS

    def continues_as(self, trip: Trip, day: date) -> list[dict[str, object]]:
        """Return what a row says of the trips that the vehicle runs next."""
        return [self.told(*each) for each in self.continuations(trip, day)[:MOST_CONTINUATIONS]]

    def told(self, trip: Trip, day: date) -> dict[str, object]:
        """Return what a row says of one trip that the vehicle runs next."""
        return {
            "trip_id": trip.trip_id,
            "serviceDate": day.isoformat(),
            "line": self.line(trip.route),
            "destination": self.destination(trip, 0) or None,
            "scheduledDeparture": format_instant(self.day_start(day, trip) + trip.calls[0].departure),
        }

    def certainty(self, trip: Trip, index: int, start: int | None) -> dict[str, object]:
        """Return how exact the scheduled departure of a run is, under the names of Row."""
        call = trip.calls[index]
        found: dict[str, object] = {"certainty": "timepoint" if call.timepoint == 1 else "exact"}
        if call.rough:
            found["certainty"] = "interpolated"
            found["uncertainty"] = self.uncertainty(trip.calls, index)
        runs = trip.runs()
        if start is not None and not runs[start]:
            loose = [other for other, exact in runs.items() if not exact]
            # Only a run beside it counts, and not one to the minute.
            order = list(runs)
            place = order.index(start)
            beside = [run for run in order[max(0, place - 1) : place + 2] if run in loose and run != start]
            found = {"certainty": "headway", "headway": min((abs(run - start) for run in beside), default=None)}
        boarding = {2: "phone_agency", 3: "ask_driver"}.get(call.pickup)
        if boarding:
            found |= {"certainty": "on_demand", "boarding": boarding}
        return found

    @staticmethod
    def uncertainty(calls: list[Call], index: int) -> int | None:
        """Return the most seconds by which the departure of a call may be off, from the exact calls around it."""
        before = [call for call in calls[max(0, index - CERTAINTY_REACH) : index] if not call.rough]
        after = [call for call in calls[index + 1 : index + 1 + CERTAINTY_REACH] if not call.rough]
        if not before or not after:
            return None
        time = calls[index].departure
        return max(0, time - before[-1].departure, after[0].arrival - time)

    # The texts of a row

    def line(self, route: Route) -> str | None:
        """Return the label of a route."""
        return route.short_name or label_in_route_id(route.route_id) or route.long_name or None

    def destination(self, trip: Trip, index: int, end: int | None = None) -> str:
        """Return where a trip goes, as seen from one of its stops; ``end`` is where it ends before its last stop."""
        call = trip.calls[index]
        here = (self.station(call.stop_id).name, self.stops[call.stop_id].name)
        candidate = call.headsign or trip.headsign
        usable = bool(candidate) and len(candidate) <= MAX_HEADSIGN_LENGTH
        if usable and not same_place(candidate, here):
            return candidate

        last = self.station(trip.calls[-1 if end is None else end].stop_id).name
        elsewhere = last if last and not same_place(last, here) else ""
        if usable:
            return trip.route.long_name or elsewhere or candidate
        return elsewhere or trip.route.long_name or last

    def platform(self, stop_id: str) -> str | None:
        """Return the platform of a stop: its code, or the suffix of its stop_id."""
        code = self.stops[stop_id].platform_code
        if code:
            return code
        match = _PLATFORM_IN_STOP_ID.fullmatch(stop_id)
        return match.group(1) if match else None

    def operator(self, route: Route) -> str | None:
        """Return the name of the route's agency; a blank agency_id means the only one."""
        if not route.agency_id and len(self.agencies) == 1:
            return next(iter(self.agencies.values())) or None
        return self.agencies.get(route.agency_id) or None


# --- Times of trips -----------------------------------------------------------------


def parse_distance(text: str) -> float | None:
    """Return a distance along a course that is not negative."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def interpolate(calls: list[Call]) -> None:
    """Give every untimed call a time between its timed neighbours, by distance, else by stop count."""
    previous = 0
    for following in range(1, len(calls)):
        if calls[following].arrival is None:
            continue
        steps = following - previous
        base = calls[previous].departure
        span = calls[following].arrival - base
        places = [call.distance for call in calls[previous : following + 1]]
        known = None not in places and places == sorted(places) and places[0] < places[-1]
        for k in range(1, steps):
            time = base + span * k // steps
            if known:
                share = (places[k] - places[0]) / (places[-1] - places[0])
                time = base + math.floor(span * share)
            call = calls[previous + k]
            call.arrival = call.departure = time
            call.untimed = True
        previous = following


def departures(
    trip: Trip, index: int, origin: int, low: int, high: int
) -> Iterator[tuple[int, int | None]]:
    """Yield the departures of a call on one service date with low <= departure < high.

    ``origin`` is the instant of the date's second 0. Each result is the departure's
    instant and, for a trip run by frequency, its start in seconds of the service day.
    """
    seconds = trip.calls[index].departure
    if not trip.frequencies:
        if low <= origin + seconds < high:
            yield origin + seconds, None
        return
    offset = origin + seconds - trip.calls[0].departure
    seen: set[int] = set()
    for frequency in trip.frequencies:
        skipped = -(-(low - offset - frequency.start) // frequency.headway)
        start = frequency.start + max(0, skipped) * frequency.headway
        while start < frequency.end and offset + start < high:
            # A start that two rows give is one run.
            if start not in seen:
                seen.add(start)
                yield offset + start, start
            start += frequency.headway
