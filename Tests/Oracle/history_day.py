"""A network and a day of its realtime with everything that punctuality is counted from, drawn from a seed.

It is the night in which the clocks go back. Two agencies are in two time zones; trips of the day before run past midnight. Producers
drop stops when the vehicle has left, or keep them with the time it left; trips vanish for a while, come late, are canceled, deleted, left
out in parts, or never mentioned.
"""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

from edge_updates import message
from gtfs_oracle import Feed, Trip, format_time

DAY = date(2026, 10, 25)
#: 2026-10-25T00:00:00+02:00, and three hours and a half.
BEGIN, LENGTH = 1_792_879_200, 12_600
PERIOD = 60
LINES = 8


def write_network(folder: Path) -> None:
    """Write the timetable."""
    folder.mkdir(parents=True)
    agencies = "agency_id,agency_name,agency_url,agency_timezone\nZ,Zürich,http://z,Europe/Zurich\nL,London,http://l,Europe/London\n"
    stops = "stop_id,stop_name\n" + "".join(f"s{line}-{place},Stop {line} {place}\n" for line in range(LINES) for place in range(7))
    routes = "route_id,agency_id,route_short_name,route_type\n"
    routes += "".join(f"r{line},{'ZL'[line % 4 == 3]},{line + 1},3\n" for line in range(LINES))
    trips, times = "route_id,service_id,trip_id\n", "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type\n"
    for line in range(LINES):
        # London is an hour behind; the trips of the evening belong to the service day before.
        begin = 22 * 3600 + (0 if line % 4 == 3 else 3600)
        for number in range(22):
            trip, leaves = f"t{line}.{number}", begin + number * 720 + line * 60
            trips += f"r{line},evening,{trip}\n"
            for place in range(7):
                time = format_time(leaves + place * 150)
                times += f"{trip},{time},{time},s{line}-{place},{place * 2 + 1},{1 if place == 3 and line % 2 else 0}\n"
        for number in range(9):
            trip, leaves = f"e{line}.{number}", 600 + number * 900 + line * 45
            trips += f"r{line},morning,{trip}\n"
            for place in range(7):
                time = format_time(leaves + place * 120)
                times += f"{trip},{time},{time},s{line}-{place},{place * 2 + 1},0\n"
    trips += "r0,morning,exact\nr0,morning,headway\n"
    for trip in ("exact", "headway"):
        for place in range(4):
            times += f"{trip},{format_time(3600 + place * 100)},{format_time(3600 + place * 100)},s0-{place},{place},0\n"
    frequencies = "trip_id,start_time,end_time,headway_secs,exact_times\nexact,00:30:00,02:00:00,900,1\nheadway,00:30:00,02:00:00,600,0\n"
    calendar = "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
    calendar += "evening,1,1,1,1,1,1,1,20261024,20261024\nmorning,1,1,1,1,1,1,1,20261025,20261025\n"
    files = {
        "agency": agencies, "stops": stops, "routes": routes, "trips": trips, "stop_times": times, "frequencies": frequencies, "calendar": calendar,
    }
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)


class HistoryDay:
    """The publications of the day, the same ones for the same seed."""

    def __init__(self, feed: Feed, seed: int) -> None:
        """Take the timetable and a seed."""
        self.feed, self.draw = feed, random.Random(seed)
        self.plans = []
        for trip in feed.trips.values():
            starts = sorted(trip.runs()) or [None]
            for day in (DAY.replace(day=24), DAY):
                if not feed.services[trip.service_id].runs_on(day):
                    continue
                for start in starts:
                    origin = feed.day_start(day, trip) + (0 if start is None else start - trip.calls[0].departure)
                    leaves, ends = origin + trip.calls[0].departure, origin + trip.calls[-1].departure
                    if ends > BEGIN - 1200 and leaves < BEGIN + LENGTH:
                        self.plans.append(self._plan(trip, day, start, origin))

    def _plan(self, trip: Trip, day: date, start: int | None, origin: int) -> dict:
        draw = self.draw
        delay = draw.choice((-90, -40, 0, 0, 20, 50, 80, 170, 240, 400, 700))
        delays = []
        for _ in trip.calls:
            delay += draw.choice((-20, -10, 0, 0, 10, 20, 45))
            delays.append(delay)
        leaves, ends = origin + trip.calls[0].departure, origin + trip.calls[-1].departure + max(delays)
        kind = draw.choice(("runs",) * 14 + ("silent", "cancelled", "cancelled early", "deleted", "lost", "skips", "no data", "vanishes", "late"))
        return {
            "trip": trip, "day": day, "start": start, "origin": origin, "delays": delays, "kind": kind, "leaves": leaves, "ends": ends,
            "keeps": draw.random() < 0.4, "from": leaves - draw.choice((0, 300, 1800)), "skipped": draw.randrange(1, 5), "at": leaves + draw.randrange(0, 600),
        }

    def publication(self, now: int) -> bytes:
        """Return what is published at an instant."""
        entities = []
        for number, plan in enumerate(self.plans):
            body = self._update(plan, now)
            if body is not None:
                entities.append(message(f1=f"e{number}", f3=body))
        minutes = (now - BEGIN) // 60
        if 20 <= minutes < 50:
            entities.append(self._added(now))
        return message(f1=message(f1="2.0", f3=now), f2=entities)

    def _update(self, plan: dict, now: int) -> bytes | None:
        kind, trip = plan["kind"], plan["trip"]
        begins = plan["from"] + (700 if kind == "late" else 0)
        if kind == "silent" or not begins <= now < plan["ends"] + 60:
            return None
        if kind == "vanishes" and plan["at"] <= now < plan["at"] + 300:
            return None
        # Of what is lost nothing is heard any more.
        if kind == "lost" and now >= plan["at"]:
            return None
        if kind.startswith("cancelled") and now >= plan["leaves"] - (1000 if kind == "cancelled early" else -120):
            return None
        start = None if plan["start"] is None else format_time(plan["start"])
        relationship = 3 if kind.startswith("cancelled") else 7 if kind == "deleted" else None
        descriptor = message(f1=trip.trip_id, f2=start, f3=plan["day"].strftime("%Y%m%d"), f4=relationship)
        if relationship is not None:
            return message(f1=descriptor)
        stops = []
        for index, call in enumerate(trip.calls):
            # The nearer the departure, the better it is known.
            real = plan["origin"] + call.departure + plan["delays"][index]
            known = real if real - now < 200 else real + (now // 60 % 3 - 1) * 15
            if known < now - 20 and not plan["keeps"]:
                continue
            event = message(f2=known)
            said = 1 if kind == "skips" and index == plan["skipped"] else 2 if kind == "no data" and index >= plan["skipped"] else None
            stops.append(message(
                f1=call.sequence, f2=event if index == len(trip.calls) - 1 and said is None else None,
                f3=event if index < len(trip.calls) - 1 and said is None else None, f5=said,
            ))
        return message(f1=descriptor, f2=stops) if stops else None

    @staticmethod
    def _added(now: int) -> bytes:
        leaves = BEGIN + 3600
        stops = [message(f1=place + 1, f2=message(f2=leaves + place * 100), f3=message(f2=leaves + place * 100), f4=f"s2-{place}") for place in range(4)]
        trip = message(f1="r2~added", f2="01:00:00", f3="20261025", f4=1, f5="r2")
        return message(f1="added", f3=message(f1=trip, f2=stops))


def publications(feed: Feed, seed: int) -> list[tuple[int, bytes]]:
    """Return the instants and the content of all publications; there is a gap of ten minutes."""
    day = HistoryDay(feed, seed)
    instants = [BEGIN + shift for shift in range(0, LENGTH, PERIOD) if not 6_000 <= shift < 6_600]
    return [(instant, day.publication(instant)) for instant in instants]
