"""Tests of the realtime oracle by cases computed by hand, and of the comparison."""

from __future__ import annotations

import contextlib
import io
import json
from datetime import date
from pathlib import Path

from compare_realtime import Answers, compare, contradictions, draw_pairs
from edge_feed import EdgeFeed
from edge_updates import EdgeUpdates, message
from gtfs_oracle import Feed, parse_instant
from realtime_oracle import RealtimeFeed, RealtimeRow, station_number
from realtime_wire import read_feed, signed, varint
from test_gtfs_oracle import FeedTestCase

NOW = 1_795_502_400  # 2026-11-24T07:40:00+01:00


def event(delay: int | None = None, time: int | None = None) -> bytes:
    """Return a StopTimeEvent."""
    return message(f1=delay, f2=time)


class RealtimeOracleTests(FeedTestCase):
    """Boards of a trip T at A 8:00, B 8:10, C 8:20 with one trip update."""

    def board(
        self, stop_id: str, stops: list[bytes], descriptor: bytes | None = None, **update: object
    ) -> list[RealtimeRow]:
        """Return the board of a stop at 7:50."""
        feed = self.feed()
        trip = descriptor or message(f1="T", f3="20261124")
        entity = message(f1="e", f3=message(f1=trip, f2=stops, **update))
        data = message(f1=message(f1="2.0", f3=NOW), f2=entity)
        instant = parse_instant("2026-11-24T07:50:00", feed.zone)
        return RealtimeFeed(feed, data).board(stop_id, instant)

    def delays(self, stops: list[bytes], **update: object) -> list[int | None]:
        """Return the delays at A and B."""
        rows = [self.board(stop, stops, **update)[0].as_json() for stop in "AB"]
        return [row["rawDelaySec"] for row in rows]

    def test_propagation(self) -> None:
        """Delays go on; SKIPPED keeps them, NO_DATA and an update without times end them."""
        first = message(f1=1, f3=event(60))
        self.assertEqual(self.delays([first]), [60, 60])
        self.assertEqual(self.delays([message(f1=2, f3=event(60))]), [None, 60])
        self.assertEqual(self.delays([first, message(f1=2, f5=1)]), [60, 60])
        self.assertEqual(self.delays([first, message(f1=2, f5=2)]), [60, None])
        self.assertEqual(self.delays([first, message(f1=2)]), [60, None])
        self.assertEqual(self.delays([message(f1=2, f3=event(30))], f5=90), [90, 30])

    def test_delays_of_a_changed_trip(self) -> None:
        """Delays of the trip's own id are those against the timetable, those of the changed trip against its own times."""
        feed = self.feed()
        instant = parse_instant("2026-11-24T07:50:00", feed.zone)
        change = message(f1=message(f1=2), f3=300)
        changed = message(f1="m", f8=message(f1=message(f1="T"), f3="20261124", f4=change))
        for trip, delay in ((message(f1="T", f3="20261124"), 60), (message(f7=message(f1="m", f2="T")), 360)):
            update = message(f1="e", f3=message(f1=trip, f2=message(f1=2, f3=event(360))))
            data = message(f1=message(f1="2.0", f3=NOW), f2=[changed, update])
            row = RealtimeFeed(feed, data).board("B", instant)[0].as_json()
            self.assertEqual(row["rawDelaySec"], delay)

    def said(self, stop_id: str, stops: list[bytes], **update: object) -> tuple[object, ...]:
        """Return what the row of a stop says of the end of its trip: endsAt, terminus, skippedStops."""
        row = self.board(stop_id, stops, **update)[0].as_json()
        return row["endsAt"], row["terminus"], row["skippedStops"]

    def test_ends(self) -> None:
        """Only a trip whose last stop is left out ends early; a stop that is left out is never its end."""
        name = self.feed().station("A").name, self.feed().station("B").name
        left_out = [message(f1=number, f5=1) for number in (1, 2, 3)]
        self.assertEqual(self.said("A", left_out[1:2]), (None, False, [name[1]]))
        self.assertEqual(self.said("A", left_out[2:]), (name[1], False, []))
        self.assertEqual(self.said("B", left_out[2:]), (name[1], True, []))
        self.assertEqual(self.said("B", left_out[1:]), (name[0], False, []))
        self.assertEqual(self.said("A", left_out[1:]), (name[0], True, []))
        self.assertEqual(self.said("A", left_out), (None, False, []))

    def test_stops_that_a_replacement_does_not_list(self) -> None:
        """They are left out as if it listed them as skipped."""
        at = NOW + 20 * 60
        descriptor = message(f1="T", f3="20261124", f4=5)
        first, second, last = (message(f3=event(time=at + 600 * i), f4=stop) for i, stop in enumerate("ABC"))
        name = self.feed().station("B").name
        self.assertEqual(self.said("A", [first, last], descriptor=descriptor), (None, False, [name]))
        self.assertEqual(self.said("A", [first, second], descriptor=descriptor), (name, False, []))
        skipped = message(f4="B", f5=1)
        self.assertEqual(self.said("A", [first, skipped, last], descriptor=descriptor), (None, False, [name]))

    def test_times(self) -> None:
        """The time wins, unless hours apart from the delay; an arrival alone will do."""
        at_eight = NOW + 20 * 60
        self.assertEqual(self.delays([message(f1=1, f3=event(300, at_eight + 179))])[0], 179)
        self.assertEqual(self.delays([message(f1=1, f3=event(181, at_eight + 28_800))])[0], 181)
        self.assertEqual(self.delays([message(f1=1, f2=event(time=at_eight - 30))])[0], -30)
        self.assertEqual(self.delays([message(f1=1, f3=event(90_000))])[0], None)

    def test_links(self) -> None:
        """Where sequence and stop disagree, the stop decides."""
        self.assertEqual(self.delays([message(f1=1, f4="B", f3=event(60))]), [None, 60])
        self.assertEqual(self.delays([message(f1=9, f4="A", f3=event(60))]), [60, 60])
        self.assertEqual(self.delays([message(f1=1, f4="nowhere", f3=event(60))]), [60, 60])
        self.assertEqual(self.delays([message(f1=9, f4="nowhere", f3=event(60))]), [None, None])

    def test_relationships(self) -> None:
        """Cancelled trips stay, deleted ones go, copies come beside."""
        cancelled = self.board("A", [], message(f1="T", f3="20261124", f4=3))
        self.assertEqual([row.cancelled for row in cancelled], [True])
        self.assertEqual(self.board("A", [], message(f1="T", f3="20261124", f4=7)), [])
        copy = message(f1="T", f2="08:30:00", f3="20261124", f4=6)
        rows = self.board("B", [message(f1=1, f3=event(45))], copy)
        self.assertEqual([row.added for row in rows], [False, True])
        self.assertEqual(rows[1].scheduled - rows[0].scheduled, 1800)
        self.assertEqual(rows[1].predicted - rows[1].scheduled, 45)
        skipped = self.board("A", [message(f1=n, f5=1) for n in (1, 2, 3)])
        self.assertEqual([(row.cancelled, row.skipped) for row in skipped], [(True, True)])

    def test_days(self) -> None:
        """Without a date the nearest service day is meant."""
        late = [message(f1=1, f3=event(60))]
        self.assertEqual(self.board("A", late, message(f1="T"))[0].predicted, NOW + 1260)
        other = self.board("A", late, message(f1="T", f3="20261125"))
        self.assertIsNone(other[0].predicted)

    def test_station_numbers(self) -> None:
        """Every shape of a Swiss id has the station's number."""
        for text in ("8501008", "8501008P", "Parent8501008", "8501008:0:3", "ch:1:sloid:1008::2"):
            self.assertEqual(station_number(text), "8501008", text)
        for text in ("A", "7501008", "85010089", "ch:1:sloid:"):
            self.assertIsNone(station_number(text), text)

    def test_wire(self) -> None:
        """Numbers survive the wire; what is cut short is refused."""
        for value in (0, 1, 127, 128, 1 << 40, -1, -61):
            self.assertEqual(signed(varint(varint_bytes(value), 0)[0]), value)
        with self.assertRaises(ValueError):
            read_feed(b"\x0a\x7f")


def varint_bytes(value: int) -> bytes:
    """Return a number as it follows its tag."""
    return message(f1=value)[1:]


class ComparisonTests(FeedTestCase):
    """The comparison finds what is changed in an answer."""

    def outcome(self, change: dict[str, object]) -> tuple[bool, str]:
        """Compare the oracle with its own boards, of which one row is changed."""
        EdgeFeed().write(self.folder)
        feed = Feed(self.folder)
        updates = EdgeUpdates(feed, date(2026, 6, 16), 1_781_600_000, 1)
        realtime = RealtimeFeed(feed, updates.feed_bytes(200))
        pairs = draw_pairs(realtime, 40, 1)
        lines = []
        for pair in pairs:
            rows = [row.as_json() for row in realtime.board(pair.stop_id, pair.instant, pair.window)]
            for row in rows:
                if change and row["realtimeDeparture"]:
                    row |= change
                    change = {}
                flags = {"EXTRA_SERVICE": row["added"], "SHORT_TURN_TERMINUS": row["terminus"], "DETOUR": row["detoured"]}
                row["flags"] = [flag for flag, is_set in flags.items() if is_set]
                delay = row["rawDelaySec"]
                row["delayMin"] = row["displayedDelayMin"] = delay and -(-delay // 60)
                row["status"] = (
                    "UNKNOWN" if delay is None
                    else "DELAYED" if row["delayMin"] > 0
                    else "EARLY" if row["delayMin"] < 0 else "ON_TIME"
                )
                if row["cancelled"]:
                    reason = row["cancelReasonCode"]
                    row["status"] = "CANCELLED" if reason == "CANCELED_TRIP" else reason
            lines.append(json.dumps({"departures": rows[:500]}) + "\n")
        path = Path(self.folder) / "answers.json"
        path.write_text("".join(lines), encoding="utf-8")
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            return compare(realtime, Answers(None, str(path), ""), pairs, "edges"), text.getvalue()

    def test_comparison(self) -> None:
        """Equal boards are equal; a changed value, time or row is named."""
        equal, text = self.outcome({})
        self.assertTrue(equal, text)
        for change in (
            {"platform": "?"},
            {"rawDelaySec": 7777},
            {"stop_sequence": -1},
            {"platformChanged": 1},
        ):
            equal, text = self.outcome(dict(change))
            self.assertFalse(equal, change)

    def test_contradictions(self) -> None:
        """Fields that contradict each other are found."""
        row = {"delayMin": 2, "displayedDelayMin": 2, "status": "DELAYED", "rawDelaySec": 90}
        self.assertEqual(contradictions(row), [])
        for change in ({"displayedDelayMin": 0}, {"status": "ON_TIME"}, {"rawDelaySec": None}):
            self.assertNotEqual(contradictions(row | change), [])


del FeedTestCase
