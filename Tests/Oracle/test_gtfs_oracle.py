"""Tests of the oracle by cases computed by hand, on tiny feeds written for each test."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import tempfile
import threading
import unittest
import urllib.parse
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from zoneinfo import ZoneInfo

from board_server import BoardServer
from compare_boards import PairChooser, compare, differences, normalized, transitions
from gtfs_oracle import (
    Feed,
    Row,
    folded,
    format_instant,
    format_time,
    label_in_route_id,
    parse_date,
    parse_instant,
    parse_time,
    service_day_start,
)

Tables = dict[str, list[dict[str, str]]]

ALWAYS = {
    "service_id": "ALL",
    "start_date": "20260101",
    "end_date": "20261231",
    **dict.fromkeys(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), "1"
    ),
}


def tables(**replaced: list[dict[str, str]]) -> Tables:
    """Return the tables of a small feed in Europe/Zurich, some of them replaced."""
    result: Tables = {
        "agency": [
            {"agency_id": "1", "agency_name": "Rail", "agency_timezone": "Europe/Zurich"}
        ],
        "stops": [{"stop_id": name, "stop_name": f"Stop {name}"} for name in "ABCDE"],
        "routes": [{"route_id": "R", "agency_id": "1", "route_short_name": "7"}],
        "calendar": [ALWAYS],
        "trips": [trip("T")],
        "stop_times": calls("T", "A 08:00:00", "B 08:10:00", "C 08:20:00"),
    }
    result.update(replaced)
    return result


def trip(trip_id: str, **values: str) -> dict[str, str]:
    """Return a row of trips.txt."""
    base = {"trip_id": trip_id, "route_id": "R", "service_id": "ALL", "trip_headsign": "Far"}
    return base | values


def calls(trip_id: str, *texts: str) -> list[dict[str, str]]:
    """Return rows of stop_times.txt from texts such as 'A 08:00:00' or 'A 7:59:00 8:00:00'.

    One time is for both, '-' means none; sequences are 1, 2, 3…
    """
    result = []
    for place, text in enumerate(texts, start=1):
        stop_id, *times = text.split(" ")
        arrival, departure = ("" if t == "-" else t for t in (times[0], times[-1]))
        result.append(
            {
                "trip_id": trip_id,
                "stop_id": stop_id,
                "stop_sequence": str(place),
                "arrival_time": arrival,
                "departure_time": departure,
            }
        )
    return result


def csv_text(rows: list[dict[str, str]]) -> str:
    """Return rows as the text of a CSV file."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


class FeedTestCase(unittest.TestCase):
    """A test case that writes feeds to a temporary folder."""

    def setUp(self) -> None:
        """Make the temporary folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def feed(self, **replaced: list[dict[str, str]]) -> Feed:
        """Write a feed to the folder and load it."""
        for name, rows in tables(**replaced).items():
            (self.folder / f"{name}.txt").write_text(csv_text(rows), encoding="utf-8")
        return Feed(self.folder)

    def rows(self, feed: Feed, stop_id: str, now: str, window: int = 210) -> list[Row]:
        """Return a board; an instant without an offset is local."""
        return feed.board(stop_id, parse_instant(now, feed.zone), window)

    def times(self, feed: Feed, stop_id: str, now: str, window: int = 210) -> list[str]:
        """Return the departures of a board."""
        return [format_instant(row.departure) for row in self.rows(feed, stop_id, now, window)]


class ValueTests(unittest.TestCase):
    """Parsing and formatting of single values."""

    def test_times(self) -> None:
        """Times have any number of hour digits and may be surrounded by spaces."""
        self.assertEqual(parse_time(" 7:02:03 "), 25323)
        self.assertEqual(parse_time("00:00:00"), 0)
        self.assertEqual(parse_time("27:36:00"), 99360)
        self.assertEqual(parse_time("100:00:00"), 360000)
        for bad in ("", "7:2:03", "07:60:00", "07:00", "-1:00:00", "07:00:00x", "noon"):
            self.assertIsNone(parse_time(bad), bad)
        self.assertEqual(format_time(25323), "07:02:03")
        self.assertEqual(format_time(360000), "100:00:00")

    def test_dates(self) -> None:
        """Dates are eight digits and exist."""
        self.assertEqual(parse_date("20260329"), date(2026, 3, 29))
        for bad in ("", "2026-03-29", "20260230", "2026032"):
            self.assertIsNone(parse_date(bad), bad)

    def test_service_day_start(self) -> None:
        """A service day starts 12 hours before noon, also when the clock changes."""
        zone = ZoneInfo("Europe/Zurich")
        for day, expected in (
            (date(2026, 1, 15), "2026-01-14T23:00:00Z"),
            (date(2026, 7, 15), "2026-07-14T22:00:00Z"),
            (date(2026, 3, 29), "2026-03-28T22:00:00Z"),
            (date(2026, 10, 25), "2026-10-24T23:00:00Z"),
        ):
            self.assertEqual(format_instant(service_day_start(day, zone)), expected)

    def test_labels_in_route_ids(self) -> None:
        """Labels are found in route ids of the known shapes only."""
        for route_id, label in (
            ("92-N1-H-j26-1", "N1"),
            ("10-IC5-j26-1", "IC5"),
            ("91-009-K-j26-1", "9"),
            ("ojp:920N2:G:H:j26", "N2"),
            ("ojp:92010:G:H:j26", "10"),
            ("R", ""),
            ("91-9", ""),
            ("91-9-K-26-1", ""),
            ("x-9-K-j26-1", ""),
            ("ojp:910N2:G:H:j26", ""),
        ):
            self.assertEqual(label_in_route_id(route_id), label, route_id)

    def test_folding(self) -> None:
        """Names compare without case, accents and punctuation."""
        self.assertEqual(folded("  Genève-Aéroport, (Gare) "), "geneve aeroport gare")
        self.assertEqual(folded("Zürich  HB"), folded("ZU\u0308RICH–HB"))
        self.assertNotEqual(folded("Bern"), folded("Bern Wankdorf"))


class TimeTests(FeedTestCase):
    """Instants of departures and the window."""

    def test_window_edges(self) -> None:
        """A departure shows from 45 s after it, and not at the window's very end."""
        feed = self.feed()  # 08:00 in summer is 06:00Z
        shown = ["2026-06-01T06:00:00Z"]
        self.assertEqual(self.times(feed, "A", "2026-06-01T06:00:45Z"), shown)
        self.assertEqual(self.times(feed, "A", "2026-06-01T06:00:45.001Z"), [])
        self.assertEqual(self.times(feed, "A", "2026-06-01T05:30:00Z", 30), [])
        self.assertEqual(self.times(feed, "A", "2026-06-01T05:30:00.001Z", 30), shown)
        self.assertEqual(self.times(feed, "A", "2026-06-01T02:30:00Z"), [])
        self.assertEqual(self.times(feed, "A", "2026-06-01T02:30:01Z"), shown)

    def test_midnight(self) -> None:
        """Trips of yesterday and of tomorrow are on the board around midnight."""
        feed = self.feed(
            trips=[trip("late"), trip("early"), trip("longest")],
            stop_times=calls("late", "A 23:50:00", "B 24:10:00", "C 25:00:00")
            + calls("early", "B 0:05:00", "C 0:20:00")
            + calls("longest", "B 49:00:00", "C 50:00:00"),
        )
        rows = self.rows(feed, "B", "2026-06-03T00:00:00", 90)
        self.assertEqual(
            [(r.trip_id, format_instant(r.departure), str(r.service_date)) for r in rows],
            [
                ("early", "2026-06-02T22:05:00Z", "2026-06-03"),
                ("late", "2026-06-02T22:10:00Z", "2026-06-02"),
                ("longest", "2026-06-02T23:00:00Z", "2026-06-01"),
            ],
        )
        before = self.rows(feed, "B", "2026-06-02T23:55:00", 30)
        self.assertEqual([r.trip_id for r in before], ["early", "late"])

    def test_clock_forward(self) -> None:
        """On 2026-03-29 times count from 23:00 of the eve; the day before is unaffected."""
        feed = self.feed(
            trips=[trip("night"), trip("late")],
            stop_times=calls("night", "A 00:30:00", "B 02:30:00", "C 08:00:00", "D 09:00:00")
            + calls("late", "A 25:30:00", "B 26:30:00", "C 27:00:00"),
        )
        at_a = self.rows(feed, "A", "2026-03-28T22:00:00Z", 180)
        self.assertEqual(
            [(r.trip_id, format_instant(r.departure), str(r.service_date)) for r in at_a],
            [
                ("night", "2026-03-28T22:30:00Z", "2026-03-29"),
                ("late", "2026-03-29T00:30:00Z", "2026-03-28"),
            ],
        )
        at_b = self.rows(feed, "B", "2026-03-29T00:00:00Z", 180)
        self.assertEqual(
            [(r.trip_id, format_instant(r.departure)) for r in at_b],
            [("night", "2026-03-29T00:30:00Z"), ("late", "2026-03-29T01:30:00Z")],
        )
        self.assertEqual(
            self.times(feed, "C", "2026-03-29T07:30:00+02:00"), ["2026-03-29T06:00:00Z"]
        )

    def test_clock_back(self) -> None:
        """On 2026-10-25 times count from 01:00 summer time; 02:30 happens twice."""
        feed = self.feed(
            trips=[trip("night"), trip("late")],
            stop_times=calls("night", "A 00:30:00", "B 02:30:00", "C 08:00:00", "D 09:00:00")
            + calls("late", "A 24:30:00", "B 26:30:00", "C 27:00:00"),
        )
        at_b = self.rows(feed, "B", "2026-10-25T02:00:00+02:00", 180)
        self.assertEqual(
            [(r.trip_id, format_instant(r.departure), str(r.service_date)) for r in at_b],
            [
                ("late", "2026-10-25T00:30:00Z", "2026-10-24"),
                ("night", "2026-10-25T01:30:00Z", "2026-10-25"),
            ],
        )
        at_a = self.rows(feed, "A", "2026-10-24T22:00:00Z", 120)
        self.assertEqual(
            [(r.trip_id, format_instant(r.departure)) for r in at_a],
            [("late", "2026-10-24T22:30:00Z"), ("night", "2026-10-24T23:30:00Z")],
        )
        self.assertEqual(
            self.times(feed, "C", "2026-10-25T07:30:00+01:00"), ["2026-10-25T07:00:00Z"]
        )

    def test_only_one_time(self) -> None:
        """A lone arrival serves as departure, a lone departure as arrival."""
        feed = self.feed(
            stop_times=calls("T", "A - 8:00:00", "B 8:10:00 -", "C - -", "D - 8:31:00", "E 9:00:00 -")
        )
        now = "2026-06-01T07:30:00"
        self.assertEqual(self.times(feed, "A", now), ["2026-06-01T06:00:00Z"])
        self.assertEqual(self.times(feed, "B", now), ["2026-06-01T06:10:00Z"])
        self.assertEqual(self.times(feed, "C", now), ["2026-06-01T06:20:30Z"])

    def test_interpolation(self) -> None:
        """Untimed stops are spread by stop count from departure to arrival, floored."""
        feed = self.feed(
            stop_times=calls(
                "T", "A 8:00:00", "B 8:01:00 8:02:00", "C -", "D -", "E 8:02:50 8:05:00", "A 9:00:00"
            )
        )
        now = "2026-06-01T07:30:00"
        self.assertEqual(self.times(feed, "C", now), ["2026-06-01T06:02:16Z"])
        self.assertEqual(self.times(feed, "D", now), ["2026-06-01T06:02:33Z"])

    def test_untimed_ends(self) -> None:
        """A trip whose first or last stop has no time is left out whole."""
        feed = self.feed(
            trips=[trip("first"), trip("last"), trip("good")],
            stop_times=calls("first", "A -", "B 8:00:00", "C 8:10:00")
            + calls("last", "A 8:00:00", "B 8:05:00", "C -")
            + calls("good", "A 8:01:00", "B 8:06:00", "C 8:11:00"),
        )
        rows = self.rows(feed, "B", "2026-06-01T07:30:00")
        self.assertEqual([r.trip_id for r in rows], ["good"])
        self.assertEqual(feed.skipped["trip whose first or last stop has no time"], 2)


class FrequencyTests(FeedTestCase):
    """Trips of frequencies.txt."""

    def frequency(self, start: str, end: str, headway: str) -> dict[str, str]:
        """Return a row of frequencies.txt for the trip T."""
        return {"trip_id": "T", "start_time": start, "end_time": end, "headway_secs": headway}

    def test_instances(self) -> None:
        """Instances start at each headway before the end, shifted by the first departure."""
        feed = self.feed(
            stop_times=calls("T", "A 0:59:00 1:00:00", "B 1:10:00 1:12:00", "C 1:30:00"),
            frequencies=[self.frequency("8:00:00", "8:30:00", "600")],
        )
        self.assertEqual(
            self.times(feed, "A", "2026-06-01T00:00:00", 720),
            ["2026-06-01T06:00:00Z", "2026-06-01T06:10:00Z", "2026-06-01T06:20:00Z"],
        )
        rows = self.rows(feed, "B", "2026-06-01T08:22:45", 60)
        self.assertEqual(
            [(format_instant(r.departure), format_time(r.start_time)) for r in rows],
            [("2026-06-01T06:22:00Z", "08:10:00"), ("2026-06-01T06:32:00Z", "08:20:00")],
        )
        self.assertEqual(len(self.rows(feed, "B", "2026-06-01T08:22:46", 60)), 1)
        self.assertEqual(len(self.rows(feed, "B", "2026-06-01T08:20:00", 12)), 1)

    def test_past_midnight(self) -> None:
        """Instances past 24:00 belong to the service date of the eve."""
        feed = self.feed(
            stop_times=calls("T", "A 0:00:00", "B 0:30:00", "C 1:00:00"),
            frequencies=[self.frequency("23:50:00", "24:20:00", "900")],
        )
        rows = self.rows(feed, "B", "2026-06-02T00:00:00", 120)
        self.assertEqual(
            [(format_instant(r.departure), r.service_date, r.start_time) for r in rows],
            [
                ("2026-06-01T22:20:00Z", date(2026, 6, 1), 85800),
                ("2026-06-01T22:35:00Z", date(2026, 6, 1), 86700),
            ],
        )

    def test_several_periods_and_useless_rows(self) -> None:
        """Several periods add up; rows without a positive headway are ignored."""
        feed = self.feed(
            frequencies=[
                self.frequency("9:00:00", "9:10:00", "300"),
                self.frequency("8:30:00", "9:00:00", "1200"),
                self.frequency("10:00:00", "11:00:00", "0"),
                self.frequency("10:00:00", "11:00:00", "-60"),
            ]
        )
        starts = [format_time(r.start_time) for r in self.rows(feed, "A", "2026-06-01T07:00:00", 720)]
        self.assertEqual(starts, ["08:30:00", "08:50:00", "09:00:00", "09:05:00"])

    def test_clock_change(self) -> None:
        """Starts count from the start of the service day, not from local midnight."""
        feed = self.feed(
            stop_times=calls("T", "A 0:00:00", "B 0:30:00"),
            frequencies=[self.frequency("1:00:00", "2:00:00", "1800")],
        )
        self.assertEqual(
            self.times(feed, "A", "2026-03-28T22:30:00Z", 120),
            ["2026-03-28T23:00:00Z", "2026-03-28T23:30:00Z"],
        )


class SelectionTests(FeedTestCase):
    """Which stop times are on a board, and in which order."""

    def test_last_stop_and_pickup(self) -> None:
        """Neither the last stop nor one without pickup is a departure."""
        stop_times = calls("T", "A 8:00:00", "B 8:10:00", "C 8:15:00", "D 8:20:00", "A 8:30:00")
        for row, pickup in zip(stop_times, ("", "1", "3", "0", "0"), strict=True):
            row["pickup_type"] = pickup
        feed = self.feed(stop_times=stop_times)
        now = "2026-06-01T07:30:00"
        self.assertEqual([r.stop_sequence for r in self.rows(feed, "A", now)], [1])
        self.assertEqual(len(self.rows(feed, "B", now)), 0)
        self.assertEqual(len(self.rows(feed, "C", now)), 1)
        self.assertEqual(len(self.rows(feed, "D", now)), 1)

    def test_last_by_sequence_not_by_file(self) -> None:
        """The last stop is the one of the highest sequence, compared as a number."""
        stop_times = calls("T", "C 8:20:00", "A 8:00:00", "B 8:10:00")
        for row, place in zip(stop_times, ("10", "2", "9"), strict=True):
            row["stop_sequence"] = place
        feed = self.feed(stop_times=stop_times)
        now = "2026-06-01T07:30:00"
        self.assertEqual([r.stop_sequence for r in self.rows(feed, "B", now)], [9])
        self.assertEqual(self.rows(feed, "C", now), [])

    def test_descendants(self) -> None:
        """A station covers its descendants, a platform only itself; cycles do no harm."""
        stops = [
            {"stop_id": "S", "stop_name": "Station", "location_type": "1"},
            {"stop_id": "P", "stop_name": "Platform", "parent_station": "S"},
            {"stop_id": "Q", "stop_name": "Area", "parent_station": "P", "location_type": "4"},
            {"stop_id": "X", "stop_name": "X", "parent_station": "Y"},
            {"stop_id": "Y", "stop_name": "Y", "parent_station": "X"},
        ]
        feed = self.feed(
            stops=stops,
            stop_times=calls("T", "S 8:00:00", "P 8:01:00", "Q 8:02:00", "X 8:03:00", "Y 8:04:00"),
        )
        now = "2026-06-01T07:30:00"
        seen = {s: [r.stop_id for r in self.rows(feed, s, now)] for s in "SPQXY"}
        self.assertEqual(
            seen, {"S": ["S", "P", "Q"], "P": ["P", "Q"], "Q": ["Q"], "X": ["X"], "Y": ["X"]}
        )
        with self.assertRaises(KeyError):
            self.rows(feed, "nowhere", now)

    def test_order_and_limit(self) -> None:
        """Rows are ordered by instant, trip_id in bytes and sequence, then cut."""
        names = ["b", "B", "é", "a", "\U0001f68b", "\uff5e"]
        feed = self.feed(
            trips=[trip(name) for name in names] + [trip("zz")],
            stop_times=[
                row for name in names for row in calls(name, "A 8:00:00", "A 8:00:00", "B 9:00:00")
            ]
            + calls("zz", "A 7:59:00", "B 9:00:00"),
        )
        rows = self.rows(feed, "A", "2026-06-01T07:30:00")
        ordered = ["B", "a", "b", "é", "\uff5e", "\U0001f68b"]
        self.assertEqual(
            [(r.trip_id, r.stop_sequence) for r in rows],
            [("zz", 1)] + [(name, place) for name in ordered for place in (1, 2)],
        )
        now = parse_instant("2026-06-01T07:30:00", feed.zone)
        self.assertEqual(feed.board("A", now, 210, 3), rows[:3])

    def test_calendar(self) -> None:
        """Weekdays, inclusive dates, and dates added and removed."""
        weekdays = {**ALWAYS, "saturday": "0", "sunday": "0"}
        weekdays.update(service_id="WK", start_date="20260601", end_date="20260605")
        feed = self.feed(
            calendar=[weekdays],
            calendar_dates=[
                {"service_id": "WK", "date": "20260603", "exception_type": "2"},
                {"service_id": "WK", "date": "20260607", "exception_type": "1"},
                {"service_id": "EX", "date": "20260606", "exception_type": "1"},
            ],
            trips=[
                trip("week", service_id="WK"),
                trip("extra", service_id="EX"),
                trip("lost", service_id="none"),
            ],
            stop_times=calls("week", "A 8:00:00", "B 9:00:00")
            + calls("extra", "A 8:00:00", "B 9:00:00")
            + calls("lost", "A 8:00:00", "B 9:00:00"),
        )
        seen = {
            day: [r.trip_id for r in self.rows(feed, "A", f"2026-06-{day:02}T07:30:00")]
            for day in range(1, 10)
        }
        seen[0] = [r.trip_id for r in self.rows(feed, "A", "2026-05-31T07:30:00")]
        expected = {1: ["week"], 2: ["week"], 4: ["week"], 5: ["week"], 6: ["extra"], 7: ["week"]}
        self.assertEqual({day: ids for day, ids in seen.items() if ids}, expected)
        self.assertEqual(feed.skipped["trip with unknown service"], 1)
        self.assertEqual(feed.validity(), (date(2026, 6, 1), date(2026, 6, 7)))

    def test_calendar_dates_only(self) -> None:
        """A feed may do without calendar.txt."""
        data = tables(calendar_dates=[{"service_id": "ALL", "date": "20260606", "exception_type": "1"}])
        del data["calendar"]
        for name, rows in data.items():
            (self.folder / f"{name}.txt").write_text(csv_text(rows), encoding="utf-8")
        feed = Feed(self.folder)
        self.assertEqual(len(self.rows(feed, "A", "2026-06-06T07:30:00")), 1)
        self.assertEqual(len(self.rows(feed, "A", "2026-06-05T07:30:00")), 0)

    def test_unusable_rows(self) -> None:
        """Unusable stop times and trips are skipped, and the first of a repeated row counts."""
        good = calls("T", "A 8:00:00", "B 8:10:00", "C 8:20:00", "D 8:30:00")
        bad = [
            {**good[3], "trip_id": "unknown"},
            {**good[3], "stop_id": "unknown", "stop_sequence": "5"},
            {**good[3], "stop_sequence": ""},
            {**good[3], "stop_sequence": "6", "departure_time": "soon"},
            {**good[1], "departure_time": "8:15:00"},
        ]
        feed = self.feed(
            trips=[trip("T"), trip("lost", route_id="unknown")],
            stop_times=good + bad + calls("lost", "A 8:00:00", "B 9:00:00"),
        )
        now = "2026-06-01T07:30:00"
        self.assertEqual(self.times(feed, "B", now), ["2026-06-01T06:10:00Z"])
        self.assertEqual(self.times(feed, "D", now), [])
        self.assertEqual([r.trip_id for r in self.rows(feed, "A", now)], ["T"])
        self.assertEqual(feed.skipped["stop time of unknown or skipped trip"], 3)
        self.assertEqual(feed.skipped["stop time at unknown stop"], 1)
        self.assertEqual(feed.skipped["stop time without sequence"], 1)
        self.assertEqual(feed.skipped["stop time with unreadable time"], 1)
        self.assertEqual(feed.skipped["stop time repeated"], 1)
        self.assertEqual(feed.skipped["trip with unknown route"], 1)

    def test_zip_in_a_folder_with_spaces(self) -> None:
        """A zip may hold a sub-folder; whitespace around values and byte order marks are dropped."""
        path = self.folder / "feed.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, rows in tables().items():
                padded = [{f" {k} ": f" {v}  " for k, v in row.items()} for row in rows]
                archive.writestr(f"some/folder/{name}.txt", "\ufeff" + csv_text(padded) + "\r\n")
        feed = Feed(path)
        (row,) = self.rows(feed, "A", "2026-06-01T07:30:00")
        self.assertEqual((row.trip_id, row.line, row.operator), ("T", "7", "Rail"))


class TextTests(FeedTestCase):
    """Line, destination, platform and operator."""

    def row(self, stop_id: str, **replaced: list[dict[str, str]]) -> Row:
        """Return the only row of a stop's board."""
        (row,) = self.rows(self.feed(**replaced), stop_id, "2026-06-01T07:30:00")
        return row

    def test_line(self) -> None:
        """The short name, else the label in the route_id, else the long name, else none."""
        for route_id, short, long, expected in (
            ("10-IC5-j26-1", "IC 5", "Long", "IC 5"),
            ("10-IC5-j26-1", " ", "Long", "IC5"),
            ("ojp:92010:G:H:j26", "", "Long", "10"),
            ("R", "", "Long", "Long"),
            ("R", "", "", None),
        ):
            route = {
                "route_id": route_id,
                "agency_id": "1",
                "route_short_name": short,
                "route_long_name": long,
            }
            row = self.row("A", routes=[route], trips=[trip("T", route_id=route_id)])
            self.assertEqual(row.line, expected)

    def destination(self, headsign: str, long_name: str, last: str, stop_headsign: str = "") -> str:
        """Return the destination at platform A1 of station 'Genève, Gare', own name 'Quai A'."""
        stops = [
            {"stop_id": "G", "stop_name": "Genève, Gare", "location_type": "1"},
            {"stop_id": "A", "stop_name": "Quai A", "parent_station": "G"},
            {"stop_id": "L", "stop_name": last, "location_type": "1"},
            {"stop_id": "L1", "stop_name": "Voie 1", "parent_station": "L"},
        ]
        stop_times = calls("T", "A 8:00:00", "L1 9:00:00")
        stop_times[0]["stop_headsign"] = stop_headsign
        return self.row(
            "A",
            stops=stops,
            routes=[{"route_id": "R", "agency_id": "1", "route_long_name": long_name}],
            trips=[trip("T", trip_headsign=headsign)],
            stop_times=stop_times,
        ).destination

    def test_destination_from_headsign(self) -> None:
        """A headsign that names another place is taken; the stop's own comes first."""
        self.assertEqual(self.destination("Far", "Long", "End"), "Far")
        self.assertEqual(self.destination("Far", "Long", "End", "Via B"), "Via B")
        self.assertEqual(self.destination("x" * 80, "Long", "End"), "x" * 80)

    def test_destination_without_headsign(self) -> None:
        """Without a usable headsign: the last station, the long name, or what there is."""
        for unusable in ("", "x" * 81):
            self.assertEqual(self.destination(unusable, "Long", "End"), "End")
            self.assertEqual(self.destination(unusable, "Long", "GENEVE Gare"), "Long")
        self.assertEqual(self.destination("x" * 81, "", "GENEVE Gare"), "GENEVE Gare")
        self.assertEqual(self.destination("", "", "GENEVE Gare"), "GENEVE Gare")

    def test_destination_same_place(self) -> None:
        """A headsign that names the station gives way to the long name or the last station."""
        for here in ("geneve gare", "QUAI-A"):
            self.assertEqual(self.destination(here, "Long", "End"), "Long")
            self.assertEqual(self.destination(here, "", "End"), "End")
            self.assertEqual(self.destination(here, "", "Genève Gare"), here)
        self.assertEqual(self.destination("Far", "Long", "End", "Genève / Gare"), "Long")

    def test_platform(self) -> None:
        """The platform code, else the suffix of a stop_id of the Swiss shape."""
        for stop_id, code, expected in (
            ("8501120:0:3", "4A", "4A"),
            ("8501120:0:3", "", "3"),
            ("8501120:0:3AB:C", "", "3AB:C"),
            ("8501120", "", None),
            ("850112:0:3", "", None),
            ("8501120:0:", "", None),
        ):
            row = self.row(
                stop_id,
                stops=[
                    {"stop_id": stop_id, "stop_name": "Here", "platform_code": code},
                    {"stop_id": "B", "stop_name": "There", "platform_code": ""},
                ],
                stop_times=calls("T", f"{stop_id} 8:00:00", "B 9:00:00"),
            )
            self.assertEqual(row.platform, expected, stop_id)

    def test_operator(self) -> None:
        """The agency of the route; a blank one means the only agency."""
        one = tables()["agency"]
        two = [*one, {"agency_id": "2", "agency_name": "Bus", "agency_timezone": "Europe/Zurich"}]
        for agencies, agency_id, expected in (
            (one, "1", "Rail"),
            (one, "", "Rail"),
            (two, "2", "Bus"),
            (two, "", None),
            (two, "3", None),
        ):
            route = {"route_id": "R", "agency_id": agency_id, "route_short_name": "7"}
            row = self.row("A", agency=agencies, routes=[route])
            self.assertEqual(row.operator, expected)


class ComparisonTests(FeedTestCase):
    """The comparison with a server, played by the oracle itself."""

    def busy_feed(self) -> Feed:
        """Return a feed with a departure every ten minutes of the day."""
        return self.feed(
            stop_times=calls("T", "A 0:00:00", "B 0:10:00", "C 0:20:00"),
            frequencies=[
                {
                    "trip_id": "T",
                    "start_time": "00:00:00",
                    "end_time": "24:00:00",
                    "headway_secs": "600",
                }
            ],
        )

    def outcome(
        self, feed: Feed, change: Callable[[list[dict[str, object]]], object]
    ) -> tuple[bool, str]:
        """Compare the feed with a server that applies a change to each right answer."""

        class Handler(BaseHTTPRequestHandler):
            """Answers boards from the oracle, with ids under the prefix ch."""

            def do_GET(self) -> None:
                """Answer one board."""
                parts = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(parts.query))
                stop_id = query["stop_id"].removeprefix("ch:")
                now = datetime.fromisoformat(query["datetime"])
                window, limit = int(query["window_minutes"]), int(query["limit"])
                rows = [row.as_json() for row in feed.board(stop_id, now, window, limit)]
                for row in rows:
                    row["trip_id"] = f"ch:{row['trip_id']}"
                    row["stop_id"] = f"ch:{row['stop_id']}"
                change(rows)
                body = json.dumps({"departures": rows}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        with HTTPServer(("127.0.0.1", 0), Handler) as httpd:
            thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                server = BoardServer(f"http://127.0.0.1:{httpd.server_port}", "ch")
                pairs = PairChooser(feed, 1).pairs(100)
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    fine = compare(feed, server, pairs, 10, "tiny")
            finally:
                httpd.shutdown()
                thread.join()
        return fine, output.getvalue()

    def test_agreement(self) -> None:
        """A right server passes, with nothing printed but the summary."""
        fine, output = self.outcome(self.busy_feed(), lambda rows: None)
        self.assertTrue(fine)
        self.assertRegex(output, r"\Atiny: 100 pairs, \d+ rows compared, 0 differences, \d+ empty")

    def test_disagreement(self) -> None:
        """Wrong fields, missing rows and wrong orders are all found."""

        def rename(rows: list[dict[str, object]]) -> None:
            for row in rows:
                row["destination"] = "Elsewhere"

        changes = (
            (rename, "destination: oracle 'Far', server 'Elsewhere'"),
            (lambda rows: rows[:1] and rows.pop(), "only the oracle has"),
            (lambda rows: rows.reverse(), "order: the server puts first"),
        )
        feed = self.busy_feed()
        for change, expected in changes:
            fine, output = self.outcome(feed, change)
            self.assertFalse(fine)
            self.assertIn(expected, output)
            self.assertEqual(len(output.splitlines()), 21)

    def test_emptiness_is_not_a_success(self) -> None:
        """A comparison without a single row does not count as passed."""
        feed = self.busy_feed()
        server = BoardServer("http://127.0.0.1:9", "")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertFalse(compare(feed, server, [], 10, "tiny"))

    def test_moved_row(self) -> None:
        """A row at another instant is matched by its identity and reported as such."""
        feed = self.feed()
        (row,) = self.rows(feed, "A", "2026-06-01T07:30:00")
        ours = normalized(row.as_json())
        found, count = differences([ours], [{**ours, "scheduledDeparture": "2026-06-01T07:00:00Z"}])
        self.assertEqual((len(found), count), (1, 1))
        self.assertIn("scheduledDeparture", found[0])

    def test_choice_of_pairs(self) -> None:
        """The choice is repeatable and covers midnights and both clock changes."""
        feed = self.busy_feed()
        self.assertEqual(
            [
                (format_instant(epoch), change)
                for epoch, change in transitions(feed, date(2026, 1, 1), date(2026, 12, 31))
            ],
            [("2026-03-29T01:00:00Z", 3600), ("2026-10-25T01:00:00Z", -3600)],
        )
        pairs = PairChooser(feed, 7).pairs(200)
        self.assertEqual(len(pairs), 200)
        self.assertEqual(pairs, PairChooser(feed, 7).pairs(200))
        self.assertNotEqual(pairs, PairChooser(feed, 8).pairs(200))
        local = [pair.instant.astimezone(feed.zone) for pair in pairs]
        near = [t for t in local if (t.hour * 60 + t.minute + 90) % 1440 <= 180]
        self.assertGreaterEqual(len(near), 50)
        for epoch, _ in transitions(feed, date(2026, 1, 1), date(2026, 12, 31)):
            night = [t for t in local if abs(t.timestamp() - epoch) <= 8 * 3600]
            self.assertGreaterEqual(len(night), 20)
            self.assertTrue(any(0 <= t.timestamp() - epoch < 3600 for t in night))
        shown = {pair.instant.utcoffset().total_seconds() for pair in pairs}
        self.assertEqual(shown, {0, 3600, 7200})


if __name__ == "__main__":
    unittest.main()
