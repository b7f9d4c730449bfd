"""Counts punctuality a second time, from the publications of a day (Documentation/history.md).

Nothing here knows how the server does it: every departure of every trip is looked at after every publication.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta

from gtfs_oracle import EPOCH, Call, Feed, Trip
from realtime_oracle import RealtimeFeed

#: Seconds after the last known departure at which it is counted.
SETTLE = 60
#: The age that the last word about a departure may have at the departure, in seconds.
MEMORY = 900
#: For so long after its end a late trip is followed, in seconds.
FOLLOWED = 21_600
#: Realtime that is older is not live, in seconds.
LIVE = 180
#: The names of the shares of delays, with their first delay in seconds.
SHARES = (("early", -10**9), ("onTime", -60), ("upTo3", 60), ("upTo5", 180), ("upTo10", 300), ("over10", 600))

Word = tuple[str, int]
"""What is known of a departure: ``delay``, ``cancelled`` or ``skipped``, and when it leaves."""


@dataclass
class Run:
    """A trip on a service day."""

    trip: Trip
    day: date
    start: int | None
    origin: int
    calls: dict[int, Call]
    first: int
    end: int
    counted: set[int] = field(default_factory=set)
    memory: dict[int, Word] = field(default_factory=dict)
    seen: bool = False
    kind: str = "running"
    done: bool = False

    @property
    def key(self) -> tuple[str, date, int | None]:
        """Return what names it in the realtime oracle."""
        return self.trip.trip_id, self.day, self.start


class HistoryOracle:
    """Counts the trips of a feed from an instant on."""

    def __init__(self, feed: Feed, since: int) -> None:
        """Take the feed, and the first instant in seconds since 1970."""
        self.feed, self.now = feed, since
        self.counts: dict[tuple[date, str], Counter[str]] = defaultdict(Counter)
        self.delays: dict[tuple[date, str], list[int]] = defaultdict(list)
        self.live: list[tuple[float, float]] = []
        self.made: int | None = None
        self.words: dict[tuple, dict[int, Word]] = {}
        self.kinds: dict[tuple, str] = {}
        self.added: set[tuple] = set()
        self.runs = [run for run in self._all_runs() if run.end + SETTLE > since]

    def _all_runs(self) -> list[Run]:
        today = (EPOCH + timedelta(seconds=self.now)).date()
        runs = []
        for trip in self.feed.trips.values():
            starts = trip.runs() if trip.frequencies else {None: True}
            for day in (today + timedelta(days=shift) for shift in range(-3, 3)):
                if len(trip.calls) < 2 or not self.feed.services[trip.service_id].runs_on(day):
                    continue
                for start, exact in starts.items():
                    # A run of a frequency without exact times is never late.
                    if exact:
                        runs.append(self._run(trip, day, start))
        return runs

    def _run(self, trip: Trip, day: date, start: int | None) -> Run:
        shift = 0 if start is None else start - trip.calls[0].departure
        origin = self.feed.day_start(day, trip) + shift
        calls = {index: call for index, call in enumerate(trip.calls[:-1]) if call.boards}
        return Run(
            trip, day, start, origin, calls,
            first=origin + trip.calls[0].departure, end=origin + trip.calls[-2].departure,
        )

    # Events

    def publish(self, instant: int, data: bytes) -> RealtimeFeed:
        """Take a publication over that is put in place at an instant."""
        self.advance(instant)
        realtime = RealtimeFeed(self.feed, data)
        words: dict[tuple, dict[int, Word]] = defaultdict(dict)
        kinds = {key: self._kind(realtime.owners.get(key)) for key in realtime.touched}
        rows: dict[int, object] = {}
        for stop_rows in realtime.rows_at.values():
            rows |= {id(row): row for row in stop_rows}
        for row in rows.values():
            if row.added:
                self._count_added(row)
            elif not row.replaces and row.scheduled is not None:
                self._read(row, words, kinds)
        self._remember(words, kinds, instant)
        self.words, self.kinds, self.made = dict(words), kinds, realtime.timestamp
        return realtime

    @staticmethod
    def _kind(update: object) -> str:
        relationship = getattr(update, "relationship", "SCHEDULED")
        return {"CANCELED": "cancelled", "DELETED": "deleted", "REPLACEMENT": "replaced"}.get(relationship, "running")

    @staticmethod
    def _read(row, words: dict, kinds: dict) -> None:
        key = (row.trip_id, row.day, row.start)
        if row.cancelled:
            words[key][row.index] = ("cancelled", row.effective)
            kinds[key] = "cancelled"
        elif row.skipped:
            words[key][row.index] = ("skipped", row.effective)
        elif row.predicted is not None:
            words[key][row.index] = ("delay", row.predicted)

    def _count_added(self, row) -> None:
        # The rows of an added trip do not name its route: the day of the test gives it in the id.
        key = (row.trip_id, row.day)
        if key not in self.added:
            self.added.add(key)
            self.counts[row.day, row.trip_id.split("~")[0]]["tripsAdded"] += 1

    def _remember(self, words: dict, kinds: dict, instant: int) -> None:
        for run in self.runs:
            before, kind = self.words.get(run.key, {}), self.kinds.get(run.key)
            if kind is None or run.done or instant < run.first - MEMORY:
                continue
            now = kinds.get(run.key)
            if now is None:
                run.seen, run.kind = True, kind
            elif (kind, now) != ("running", "running"):
                continue
            told = words.get(run.key, {})
            for index, (word, leaves) in before.items():
                if index in told or index not in run.calls or index in run.counted:
                    continue
                if kind == "cancelled" or leaves - instant <= MEMORY:
                    run.memory[index] = (word, leaves)
                    run.seen = True
        for run in self.runs:
            for index in words.get(run.key, {}):
                run.memory.pop(index, None)

    def advance(self, instant: int) -> None:
        """Count what is known for good until an instant."""
        if self.made is not None and self.now < min(instant, self.made + LIVE):
            self.live.append((self.now, min(instant, self.made + LIVE)))
        for run in self.runs:
            if not run.done:
                self._settle(run, instant)
        self.now = max(self.now, instant)

    def _settle(self, run: Run, instant: int) -> None:
        words = self.words.get(run.key, {})
        for known in (words, run.memory):
            for index, (word, leaves) in list(known.items()):
                if leaves + SETTLE <= instant and index in run.calls:
                    if index not in run.counted:
                        self._count(run, index, word, leaves)
                    if known is run.memory:
                        del run.memory[index]
                    elif known is words:
                        run.kind = self.kinds.get(run.key, run.kind)
        if run.end + SETTLE > instant:
            return
        expected = any(index in run.calls and index not in run.counted for index in words)
        if instant < run.end + FOLLOWED and (expected or run.memory):
            return
        self._end(run)

    def _count(self, run: Run, index: int, word: str, leaves: int) -> None:
        run.counted.add(index)
        run.seen = True
        line = (run.day, run.trip.route.route_id)
        if word == "delay":
            delay = leaves - run.origin - run.calls[index].departure
            self.delays[line].append(delay)
            name = [name for name, least in SHARES if delay >= least][-1]
            self.counts[line][name] += 1
            self.counts[line]["predicted"] += 1
        else:
            self.counts[line][word] += 1

    def _end(self, run: Run) -> None:
        run.done = True
        if not run.calls:
            return
        line = self.counts[run.day, run.trip.route.route_id]
        kind = self.kinds.get(run.key, run.kind)
        seen = run.seen or run.key in self.kinds
        for index, call in run.calls.items():
            if index in run.counted:
                continue
            planned = run.origin + call.departure
            if kind in ("cancelled", "deleted"):
                line["cancelled"] += 1
            elif kind == "replaced":
                line["replaced"] += 1
            else:
                line["unpredicted" if self._is_live(planned, planned) else "unobserved"] += 1
        if seen:
            line["tripsSeen"] += 1
            line["tripsCancelled"] += kind in ("cancelled", "deleted")
        else:
            line["tripsMissing" if self._is_live(run.first, run.end) else "tripsUnobserved"] += 1

    def _is_live(self, first: int, last: int) -> bool:
        return any(begin <= last and first <= end for begin, end in self.live)
