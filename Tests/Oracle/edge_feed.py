"""Writes a feed in which every rule of a board is used, often several at once.

Real feeds have few untimed stops, loop lines or times past 48:00; this one is made of them: two levels
of parents, platforms named only by the stop id, labels hidden in route ids, headsigns of every kind,
overlapping frequencies, services of single days around both nights when clocks change, and
stop_times.txt partly out of order.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from pathlib import Path

TRIPS = 900
STATIONS = 12
ROUTES = (
    ("92-N1-H-j26-1", "", "Nacht", 700), ("ojp:92010:G:H:j26", "", "", 700),
    ("91-IR95-A-j26-3", "", "Long", 102), ("92-A-0-j26-1", "", "", 3),
    ("92-010B-0-j26-1", "", "L", 3), ("R6", "S 3", "", 2), ("R7", "", "Foo 1", 1),
    ("R8", "IC 1-2", "x", 2), ("R9", "  ", "Blank", 3), ("91-S03-Y-j27-2", "", "", 109),
)
HEADSIGNS = (
    "", "Foo 2", "H" * 81, "H" * 80, "ü" * 81, "Zürich 0", 'Lone, "3"', "Ringlinie",
    "st gallen 1", "ST. GALLEN 1", "Bière 4",
)
CALENDAR = (
    ("WK", "1111100", "20260101", "20261231"), ("WE", "0000011", "20260301", "20261101"),
    ("ALL", "1111111", "20260320", "20261105"),
)
EXCEPTIONS = (
    ("X", "20261025", 1), ("X", "20260329", 1), ("X", "20261024", 1), ("X", "20260328", 1),
    ("DST", "20260328", 1), ("DST", "20261024", 1), ("DST", "20261026", 1), ("WK", "20261026", 2),
    ("WE", "20261026", 1), ("WK", "20260328", 1), ("ALL", "20260329", 2),
)

ON_DEMAND_TRIPS = 60
RULES = (
    ("now", 0, "", "", "", "", "", "", "+41 1", "", ""),
    ("hours", 1, 150, "", "", "", "Two hours and a half", "", "", "https://info", "javascript:x"),
    ("eve", 2, "", 1, "14:00:00", "", "", "For pickups, \"call\"", "+41 2", "", "HTTPS://book"),
    ("days", 2, "", 3, "", "", "m" * 40, "other", "", "ftp://x", ""),
    ("workdays", 2, "", 2, "17:30:00", "WK", "", "", "+41 3", "", ""),
    ("unknown days", 2, "", 2, "25:00:00", "none", "", "", "+41 4", "", ""),
)


class EdgeFeed:
    """The rows of the feed; the same seed gives the same feed."""

    def __init__(self, seed: int = 99) -> None:
        self.chance = random.Random(seed)
        # Of columns that were added later: the others stay what they were.
        self.later = random.Random(seed + 1)
        self.following = random.Random(seed + 2)
        self.served: list[str] = []
        self.stops: list[tuple] = []
        self.trips: list[tuple] = []
        self.stop_times: list[tuple] = []
        self.frequencies: list[tuple] = []
        for number in range(STATIONS):
            self.add_station(number)
        by_trip = [self.trip(number) for number in range(TRIPS)]
        ordered = [row for rows in by_trip[:600] for row in rows]
        mixed = [row for rows in by_trip[600:] for row in rows]
        self.chance.shuffle(mixed)
        self.stop_times = ordered + mixed
        self.blocks: dict[str, str] = {}
        self.links: list[tuple] = []
        self.add_blocks(by_trip)
        self.add_links()
        self.demand = random.Random(seed + 3)
        self.booked = [self.book(row) for row in self.stop_times]
        self.on_demand_trips: list[tuple] = []
        for number in range(ON_DEMAND_TRIPS):
            self.add_on_demand(number)

    def book(self, row: tuple) -> tuple:
        """The row with what it says of bookings: most that have to be arranged by phone have a rule."""
        rule = self.demand.choice(RULES)[0] if row[6] == 2 and self.demand.random() < 0.8 else ""
        return (*row, "", "", "", "", rule)

    def add_on_demand(self, number: int) -> None:
        """Adds a trip for those who book it: at stops, in groups of stops, or in zones."""
        chance = self.demand
        trip = f"demand {number}"
        self.on_demand_trips.append((trip, chance.choice(ROUTES)[0], chance.choice(("WK", "WE", "X", "DST", "ALL")), "", "", ""))
        opens = chance.choice((0, 3600 * 6, 3600 * 8, 3600 * 22, 3600 * 25)) + chance.randrange(4) * 1800
        rule = chance.choice(("", "none", *(rule for rule, *_ in RULES)))
        for sequence in range(chance.choice((1, 2, 3))):
            stop, zone, group = chance.choice((
                (chance.choice(self.served), "", ""), ("", f"zone{chance.randrange(4)}", ""),
                ("", "", f"group{chance.randrange(3)}"), ("zone0", "", ""), ("nowhere", "", ""),
            ))
            closes = opens + chance.choice((0, 600, 1800, 7200, 3600 * 10))
            window = (self.time(opens), self.time(closes)) if chance.random() < 0.95 else ("", self.time(closes))
            pickup = chance.choice((2, 2, 2, 1, ""))
            self.booked.append((trip, "", "", stop, sequence, "", pickup, "", "", zone, group, *window, rule))
            opens += chance.choice((0, 900, 3600))

    def zones(self) -> dict:
        """Polygons around the stations, which are on a line: one of them with a hole, one of several parts."""
        def ring(low: float, high: float) -> list:
            return [[low - 40, low], [high - 40, low], [high - 40, high], [low - 40, high], [low - 40, low]]

        shapes = [
            ("Polygon", [ring(45.95, 46.35)]), ("Polygon", [ring(46.15, 47.05), ring(46.35, 46.65)]),
            ("MultiPolygon", [[ring(45.9, 46.05)], [ring(46.75, 47.3)]]), ("Polygon", [ring(10, 11)]),
        ]
        return {"type": "FeatureCollection", "features": [
            {"type": "Feature", "id": f"zone{number}", "properties": {},
             "geometry": {"type": kind, "coordinates": coordinates}}
            for number, (kind, coordinates) in enumerate(shapes)
        ]}

    def add_station(self, number: int) -> None:
        """A station with platforms, a boarding area, a stop below a stop, and a lone stop."""
        root = f"85{10_000 + number:05d}"
        name = f"{self.chance.choice(['Zürich', 'Bière', 'Foo', 'St. Gallen'])} {number}"
        place = (f"{46 + number / 10}", f"{6 + number / 10}")
        self.stops.append((f"Parent{root}", name, 1, "", "", *place))
        for platform in ("1", "2AB", "3"):
            code = "" if number % 2 else f"{platform}x"
            self.stops.append((f"{root}:0:{platform}", name, 0, f"Parent{root}", code, *place))
            self.served.append(f"{root}:0:{platform}")
        self.stops.append((f"{root}:0:3:b", "", 4, f"{root}:0:3", "B", "", ""))
        self.stops.append((f"mid{number}", f"Mid {number}", 0, f"Parent{root}", "", *place))
        self.stops.append((f"deep{number}", f"Deep {number}", 0, f"mid{number}", "", *place))
        self.stops.append((f"lone{number}", f'Lone, "{number}"', 0, "", "", "47", "7"))
        self.served += [f"{root}:0:3:b", f"deep{number}", f"lone{number}"]

    def time(self, seconds: int) -> str:
        """A time with one or two digits of hours."""
        hours = self.chance.choice(("{:d}", "{:02d}")).format(seconds // 3600)
        return f"{hours}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

    def trip(self, number: int) -> list[tuple]:
        """Adds a trip, perhaps with frequencies; its stop times."""
        chance = self.chance
        trip = f"t/{number}" if number % 7 else f"T {number}é"
        stops = [chance.choice(self.served) for _ in range(chance.choice((1, 2, 3, 5, 9, 14)))]
        if len(stops) > 2 and chance.random() < 0.2:
            stops[-1] = stops[0]
        route = chance.choice(ROUTES)[0]
        service = chance.choice(("WK", "WE", "X", "DST", "ALL"))
        short = self.later.choice(("", "", str(number), "Ä 7"))
        self.trips.append((trip, route, service, chance.choice(HEADSIGNS), short))
        clock = chance.choice((
            chance.randrange(0, 3600 * 6), chance.randrange(0, 3600 * 30),
            chance.randrange(3600 * 46, 3600 * 60), chance.randrange(3600, 3600 * 4),
        ))
        sequence = chance.choice((0, 1, 10))
        rows = []
        far, measured = 0.0, chance.random()
        for index, stop in enumerate(stops):
            dwell = chance.choice((0, 0, 30, 60))
            arrival, departure = self.time(clock), self.time(clock + dwell)
            kind = chance.random()
            if 0 < index < len(stops) - 1 and kind < 0.3:
                arrival = departure = ""
            elif kind < 0.4:
                arrival = ""
            elif kind < 0.5:
                departure = ""
            headsign = chance.choice(("", "", "", "Foo 3", "Zürich 0", "via Ring", "K" * 90))
            pickup = chance.choice(("", 0, 0, 0, 1, 2, 3))
            # Most trips of this feed say how far along their stops are, some not at all of them.
            distance = "" if measured < 0.3 or chance.random() < 0.02 else f"{far:.2f}"
            timepoint = self.later.choice(("", 1, 0, 0, "x"))
            rows.append((trip, arrival, departure, stop, sequence, headsign, pickup, distance, timepoint))
            sequence += chance.choice((1, 1, 5))
            clock += dwell + chance.choice((0, 60, 97, 601))
            far += chance.choice((0, 120.5, 333.25, 1800))
        if chance.random() < 0.12:
            self.add_frequencies(trip)
        return rows

    def add_frequencies(self, trip: str) -> None:
        """One to three rows that may overlap."""
        start = self.chance.randrange(0, 3600 * 28)
        for _ in range(self.chance.choice((1, 2, 3))):
            end = start + self.chance.choice((600, 3600, 7201))
            headway = self.chance.choice((60, 300, 420, 7300))
            exact = self.chance.choice(("", 0, 1))
            self.frequencies.append((trip, self.time(start), self.time(end), headway, exact))
            start += self.chance.choice((0, 600, 1800, 3600))

    def add_blocks(self, by_trip: list[list[tuple]]) -> None:
        """Puts trips that begin where and soon after another one ends into its block."""
        def seconds(text: str) -> int:
            hours, minutes, rest = text.split(":")
            return int(hours) * 3600 + int(minutes) * 60 + int(rest)

        whole = [rows for rows in by_trip if (rows[0][1] or rows[0][2]) and (rows[-1][1] or rows[-1][2])]
        starts = sorted((seconds(rows[0][2] or rows[0][1]), rows[0][0], rows[0][3]) for rows in whole)
        for rows in whole:
            end, stop = seconds(rows[-1][1] or rows[-1][2]), rows[-1][3]
            later = [each for each in starts if -600 <= each[0] - end <= 2400 and each[1] != rows[0][0]]
            near = [each for each in later if each[2][:7] == stop[:7] or each[2][:4] == stop[:4] == "lone"]
            if not later or self.following.random() < 0.3:
                continue
            _, trip, _ = self.following.choice(near if near and self.following.random() < 0.8 else later)
            block = self.blocks.setdefault(rows[0][0], f"b{len(self.blocks)}")
            self.blocks[trip] = block

    def add_links(self) -> None:
        """Rows of transfers.txt of every kind, some of them of nothing."""
        trips = [trip for trip, *_ in self.trips]
        for _ in range(120):
            kind = self.following.choice((4, 4, 4, 5, 0, "x"))
            self.links.append(("", "", self.following.choice(trips), self.following.choice([*trips, "none"]), kind))
        members = sorted(self.blocks)
        for first in self.following.sample(members, len(members) // 2):
            same = [other for other in members if self.blocks[other] == self.blocks[first]]
            self.links.append(("", "", first, self.following.choice(same), self.following.choice((4, 5))))

    def write(self, folder: Path) -> None:
        """Writes the files into a folder, which is created."""
        folder.mkdir(parents=True, exist_ok=True)
        days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        tables = {
            "agency": (["agency_id", "agency_name", "agency_url", "agency_timezone"],
                       [("A", "Äg & Co", "http://a", "Europe/Zurich"),
                        ("B", "Zwei", "http://b", "Europe/Zurich")]),
            "stops": (["stop_id", "stop_name", "location_type", "parent_station", "platform_code",
                       "stop_lat", "stop_lon"], self.stops),
            "routes": (["route_id", "agency_id", "route_short_name", "route_long_name", "route_type"],
                       [(id, "AB"[n % 2], short, long, kind)
                        for n, (id, short, long, kind) in enumerate(ROUTES)]),
            "trips": (["trip_id", "route_id", "service_id", "trip_headsign", "trip_short_name", "block_id"],
                      [(*trip, self.blocks.get(trip[0], "")) for trip in self.trips] + self.on_demand_trips),
            "stop_times": (["trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence",
                            "stop_headsign", "pickup_type", "shape_dist_traveled", "timepoint", "location_id",
                            "location_group_id", "start_pickup_drop_off_window", "end_pickup_drop_off_window",
                            "pickup_booking_rule_id"], self.booked),
            "booking_rules": (["booking_rule_id", "booking_type", "prior_notice_duration_min", "prior_notice_last_day",
                               "prior_notice_last_time", "prior_notice_service_id", "message", "pickup_message",
                               "phone_number", "info_url", "booking_url"], RULES),
            "location_group_stops": (["location_group_id", "stop_id"],
                                     [(f"group{number % 3}", stop) for number, stop in enumerate(self.served[::5])]
                                     + [("group0", "nowhere")]),
            "calendar": (["service_id", *days, "start_date", "end_date"],
                         [(id, *flags, start, end) for id, flags, start, end in CALENDAR]),
            "calendar_dates": (["service_id", "date", "exception_type"], EXCEPTIONS),
            "transfers": (["from_stop_id", "to_stop_id", "from_trip_id", "to_trip_id", "transfer_type"], self.links),
            "frequencies": (["trip_id", "start_time", "end_time", "headway_secs", "exact_times"],
                            self.frequencies),
        }
        for name, (header, rows) in tables.items():
            with open(folder / f"{name}.txt", "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([header, *rows])
        (folder / "locations.geojson").write_text(json.dumps(self.zones()), encoding="utf-8")


if __name__ == "__main__":
    EdgeFeed().write(Path(sys.argv[1]))
