"""Tests of the ladder by cases computed by hand."""

from __future__ import annotations

from datetime import date

from drift_updates import WAYS, DriftUpdates
from edge_feed import EdgeFeed
from edge_updates import message
from gtfs_oracle import Feed
from realtime_oracle import RealtimeFeed
from test_gtfs_oracle import FeedTestCase
from trip_ladder import parts_of, renamed, rests, rungs

NOW = 1_795_502_400  # 2026-11-24T07:40:00+01:00


class LadderTests(FeedTestCase):
    """A trip T at A 8:00, B 8:10, C 8:20, and updates of other ids."""

    def matched(self, **change: object) -> tuple[dict[str, int], dict[int, int]]:
        """Return what is discarded and found of an update that is all right but for a change."""
        feed = self.feed()
        route = feed.trips["T"].route.route_id
        values = {"trip_id": "old", "start": "08:00:00", "day": "20261124", "route": route, "stops": "ABC", "late": 60}
        values |= change
        stops = [
            message(f1=number + 1, f3=message(f2=NOW + 1200 + number * 600 + values["late"]), f4=stop)
            for number, stop in enumerate("ABC") if stop in values["stops"]
        ]
        trip = message(f1=values["trip_id"], f2=values["start"], f3=values["day"], f5=values["route"])
        data = message(f1=message(f1="2.0", f3=NOW), f2=message(f1="e", f3=message(f1=trip, f2=stops)))
        realtime = RealtimeFeed(feed, data)
        return dict(realtime.discarded), dict(rungs(realtime.ladder))

    def test_route_start_and_last_stop(self) -> None:
        """All of them find the trip; none of them may be missing or wrong."""
        self.assertEqual(self.matched(), ({}, {3: 1}))
        self.assertEqual(self.matched(stops="BC"), ({}, {3: 1}))
        lost = ({"unknown trip": 1}, {})
        for change in (
            {"start": "08:01:00"}, {"start": None}, {"day": None}, {"route": "other"}, {"route": None},
            {"stops": "AB"}, {"stops": ""}, {"late": 4 * 3600},
        ):
            self.assertEqual(self.matched(**change), lost, change)
        self.assertEqual(self.matched(trip_id="T"), ({}, {}))

    def test_renaming(self) -> None:
        """A piece is exchanged at the ends of parts only."""
        parts = parts_of("v2:n/1_x")
        self.assertEqual(parts, [b"v", b"2", b":", b"n", b"/", b"1", b"_", b"x"])
        self.assertEqual(renamed(parts, (0, b"v2:", b"")), "n/1_x")
        self.assertEqual(renamed(parts, (1, b"_x", b"_y")), "v2:n/1_y")
        self.assertEqual(renamed(parts, (5, b"n", b"m")), "v2:m/1_x")
        self.assertIsNone(renamed(parts, (0, b"v2:n/1_x", b"")))
        self.assertIsNone(renamed(parts_of("v25"), (0, b"v2", b"")))
        self.assertEqual(len({rest for rest, _ in rests(parts)}), 7 + 7 + 6)
        self.assertIsNone(parts_of("a" * 129))
        self.assertIsNone(parts_of(""))


class DriftTests(FeedTestCase):
    """Feeds whose ids drift in every way: what is found is what was meant."""

    def test_truth(self) -> None:
        """No update finds a trip that it is not of."""
        EdgeFeed().write(self.folder)
        feed = Feed(self.folder)
        for way in WAYS:
            updates = DriftUpdates(feed, date(2026, 6, 16), 1_781_582_400, 3, way)
            realtime = RealtimeFeed(feed, updates.feed_bytes(300))
            wrong = 0
            for number, (instance, _) in realtime.ladder.found.items():
                truth = updates.truth.get(f"e{number}")
                # An update given twice has its number only once.
                wrong += truth is not None and truth[0] != instance.trip.trip_id
            self.assertEqual(wrong, 0, way)
            self.assertGreater(len(realtime.ladder.found), 80, way)
            self.assertEqual(bool(realtime.ladder.renamings), way in ("prefix", "suffix", "part", "two"), way)


del FeedTestCase
