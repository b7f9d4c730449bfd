"""Services on demand of a board, and how departures are booked, computed a second time.

The rules are those of Documentation/timetables.md ("Services on demand"). What is inside a zone is told by the
winding number of its rings, where the server counts crossings.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from gtfs_oracle import (
    EPOCH,
    ON_DEMAND_COLUMNS,
    Feed,
    FeedFiles,
    Row,
    Service,
    epoch_microseconds,
    format_instant,
    parse_integer,
    parse_time,
    service_day_start,
)

DAYS_AHEAD = 14
MOST_NAMED = 8
NO_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of booking_rules.txt."""

    rule_id: str
    notice_minutes: int | None
    last_day: int | None
    last_time: int | None
    service: Service | None
    phone: str | None
    message: str | None
    info_url: str | None
    booking_url: str | None

    def book_by(self, ride: date, zone: object) -> int | None:
        """Return the last instant for a booking, if a day before the ride is the last one."""
        if self.last_day is None:
            return None
        day, rest = ride, self.last_day
        while rest:
            day -= NO_DAY
            if self.service is None or self.service.runs_on(day):
                rest -= 1
        return service_day_start(day, zone) + (86_400 if self.last_time is None else self.last_time)

    def how(self) -> dict[str, object]:
        """Return the members that say how."""
        return {
            "noticeMinutes": self.notice_minutes,
            "phone": self.phone,
            "message": self.message,
            "infoUrl": self.info_url,
            "bookingUrl": self.booking_url,
        }


NO_RULE = Rule("", None, None, None, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class Window:
    """When a service runs on its days, and by which rule."""

    route_id: str
    service_id: str
    opens: int
    closes: int
    rule_id: str


class OnDemand:
    """What a feed says of services on demand."""

    def __init__(self, path: str | Path, feed: Feed) -> None:
        """Read the rows of a feed that have no departure time."""
        self.feed = feed
        self.rules: dict[str, Rule] = {}
        self.places: dict[Window, set[str]] = defaultdict(set)
        self.calls: dict[tuple[str, str], set[str]] = defaultdict(set)
        files = FeedFiles(path)
        try:
            self._load_rules(files)
            groups: dict[str, set[str]] = defaultdict(set)
            for group, stop in files.rows("location_group_stops.txt", ("location_group_id", "stop_id")):
                if stop in feed.stops:
                    groups[group].add(stop)
            self._load_rows(files, groups, zones(files.text("locations.geojson")))
        finally:
            files.close()

    def _load_rules(self, files: FeedFiles) -> None:
        columns = (
            "booking_rule_id", "prior_notice_duration_min", "prior_notice_last_day", "prior_notice_last_time",
            "prior_notice_service_id", "phone_number", "pickup_message", "message", "info_url", "booking_url",
        )
        for rule, notice, day, time, service, phone, pickup, message, info, booking in files.rows(
            "booking_rules.txt", columns
        ):
            if not rule or rule in self.rules:
                continue
            links = [url if url.lower().startswith(("http://", "https://")) else None for url in (info, booking)]
            self.rules[rule] = Rule(
                rule, parse_integer(notice), parse_integer(day), parse_time(time), self.feed.services.get(service),
                phone or None, pickup or message or None, *links,
            )

    def _load_rows(self, files: FeedFiles, groups: dict[str, set[str]], shapes: dict[str, list]) -> None:
        columns = (
            "trip_id", "stop_id", *ON_DEMAND_COLUMNS, "pickup_type", "pickup_booking_rule_id",
        )
        inside: dict[str, set[str]] = {}
        for trip_id, stop, location, group, opening, closing, pickup, rule in files.rows("stop_times.txt", columns):
            trip = self.feed.trips.get(trip_id)
            if trip is None:
                continue
            known = rule if rule in self.rules else ""
            if not (location or group or opening or closing):
                if pickup == "2" and known:
                    self.calls[trip.route.route_id, stop].add(known)
                continue
            opens, closes = parse_time(opening), parse_time(closing)
            if pickup == "1" or opens is None or closes is None or opens >= closes:
                continue
            if location or not (group or stop in self.feed.stops):
                zone = location or stop
                if zone not in inside:
                    inside[zone] = {
                        each.stop_id for each in self.feed.stops.values()
                        if each.location_type in ("", "0") and each.latitude and each.longitude
                        and contains(shapes.get(zone, []), float(each.longitude), float(each.latitude))
                    }
                stops = inside[zone]
            else:
                stops = groups.get(group, set()) if group else {stop}
            self.places[Window(trip.route.route_id, trip.service_id, opens, closes, known)] |= {
                self.feed.station(each).stop_id for each in stops
            }

    def offers(self, stop_id: str, now: datetime) -> list[dict[str, object]]:
        """Return what a board can say of services on demand, of which it names the first."""
        station = self.feed.station(stop_id).stop_id
        instant = epoch_microseconds(now) / 1_000_000
        lines: dict[tuple, list[tuple[int, int, int | None]]] = defaultdict(list)
        for window, stations in self.places.items():
            if station in stations and (found := self._next(window, instant)):
                route = self.feed.routes[window.route_id]
                line = route.short_name or route.long_name or route.route_id
                lines[line, self.feed.agencies.get(route.agency_id, ""), window.rule_id].append(found)
        offers = []
        for (line, agency, rule), windows in lines.items():
            windows.sort(key=lambda window: window[0])
            opens, closes, by = windows[0]
            for later, end, _ in windows[1:]:
                if later <= closes:
                    closes = max(closes, end)
            offers.append((opens, line, {
                "line": line, "operator": agency, "opensAt": format_instant(opens), "closesAt": format_instant(closes),
                "bookBy": by if by is None else format_instant(by), **self.rules.get(rule, NO_RULE).how(),
            }))
        offers.sort(key=lambda offer: offer[:2])
        return [offer for _, _, offer in offers]

    def _next(self, window: Window, instant: float) -> tuple[int, int, int | None] | None:
        """Return the next window that can still be booked, and until when."""
        route, service = self.feed.routes[window.route_id], self.feed.services[window.service_id]
        zone = self.feed.agency_zones.get(route.agency_id, self.feed.zone)
        rule = self.rules.get(window.rule_id, NO_RULE)
        today = (EPOCH + timedelta(seconds=instant)).astimezone(zone).date()
        for ahead in range(-1, DAYS_AHEAD + 1):
            day = today + timedelta(days=ahead)
            if not service.runs_on(day):
                continue
            start = service_day_start(day, zone)
            by = rule.book_by(day, zone)
            ends = [start + window.closes - 60 * (rule.notice_minutes or 0)] + ([] if by is None else [by])
            if min(ends) > instant:
                return start + window.opens, start + window.closes, by
        return None

    def booking(self, row: Row) -> dict[str, object] | None:
        """Return how a departure is booked, if it has to be arranged by phone and its feed says how."""
        rules = self.calls.get((row.route_id, row.stop_id), set())
        if row.boarding != "phone_agency" or len(rules) != 1:
            return None
        rule = self.rules[next(iter(rules))]
        by = rule.book_by(row.service_date, self.feed.trip_zone(self.feed.trips[row.trip_id]))
        if by is None and rule.notice_minutes is not None:
            by = row.departure - 60 * rule.notice_minutes
        return {"bookBy": by if by is None else format_instant(by), **rule.how()}


def zones(text: str | None) -> dict[str, list]:
    """Return the polygons of each zone of locations.geojson."""
    found = {}
    for zone in json.loads(text)["features"] if text else ():
        shape = zone["geometry"]
        found[zone["id"]] = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
    return found


def differ(expected: list[dict[str, object]], actual: list[dict[str, object]]) -> bool:
    """Tell whether a board names other services than it should; those of one line and instant are in any order."""
    def key(offer: dict[str, object]) -> tuple:
        return offer["opensAt"], offer["line"]

    def order(offers: list[dict[str, object]]) -> list[str]:
        return sorted(json.dumps(offer, sort_keys=True) for offer in offers)

    last = key(actual[-1]) if actual else ()
    sure = [[offer for offer in offers if key(offer) != last] for offers in (expected[:MOST_NAMED], actual)]
    return (
        [key(offer) for offer in expected[:MOST_NAMED]] != [key(offer) for offer in actual]
        or order(sure[0]) != order(sure[1]) or any(offer not in expected for offer in actual)
    )


def contains(polygons: list, x: float, y: float) -> bool:
    """Tell whether a place is inside the outer ring of a polygon, and in none of its holes."""
    return any(winds(outer, x, y) and not any(winds(hole, x, y) for hole in holes) for outer, *holes in polygons)


def winds(ring: list, x: float, y: float) -> bool:
    """Tell whether a ring winds around a place."""
    number = 0
    for (x0, y0, *_), (x1, y1, *_) in zip(ring, [*ring[1:], ring[0]]):
        side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
        if y0 <= y < y1 and side > 0:
            number += 1
        elif y1 <= y < y0 and side < 0:
            number -= 1
    return number != 0
