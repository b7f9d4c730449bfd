"""Compare the departure boards of a running server with those of the oracle.

Chooses stops and instants deterministically, asks the server for each board and
reports every difference. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

from board_server import BoardServer
from gtfs_oracle import DEFAULT_WINDOW_MINUTES, EPOCH, Feed, parse_instant
from on_demand_oracle import OnDemand, differ

WINDOWS = (30, 210, 720)
SHOWN_DIFFERENCES = 20
NIGHT_PAIRS = 20
DRAWS_FOR_SERVICE = 12
FIELDS = (
    "scheduledDeparture",
    "line",
    "destination",
    "platform",
    "trip_id",
    "stop_id",
    "stop_sequence",
    "operator",
    "serviceDate",
    "startTime",
    "certainty",
    "uncertaintySec",
    "headwaySec",
    "boarding",
    "booking",
    "tripShortName",
    "continuesAs",
)
EMPTY_MEANS_NULL = frozenset({"line", "destination", "operator"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A question to ask: a stop, an instant (as sent to the server) and a window."""

    stop_id: str
    instant: datetime
    window: int


# --- Choosing the pairs -------------------------------------------------------------


def transitions(feed: Feed, first: date, last: date) -> list[tuple[int, int]]:
    """Return the clock changes between two dates as (epoch seconds, change in seconds)."""

    def offset(epoch: int) -> int:
        local = (EPOCH + timedelta(seconds=epoch)).astimezone(feed.zone)
        return int(local.utcoffset().total_seconds())

    found = []
    day = first
    while day <= last:
        following = day + timedelta(days=1)
        low, high = feed.day_start(day), feed.day_start(following)
        before, after = offset(low), offset(high)
        if before != after:
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == before else (low, middle)
            found.append((high, after - before))
        day = following
    return found


class PairChooser:
    """Draws (stop, instant, window) pairs from a feed, the same ones for the same seed."""

    def __init__(self, feed: Feed, seed: int) -> None:
        """Sort the stops of the feed by kind and by whether they have service."""
        self.feed = feed
        self.random = random.Random(seed)
        self.first, self.last = feed.validity()
        served: dict[str, list[str]] = defaultdict(list)
        unserved: dict[str, list[str]] = defaultdict(list)
        stops = [s for s in feed.stops.values() if s.location_type in ("", "0", "1")]
        for stop in sorted(stops, key=lambda stop: stop.stop_id):
            if feed.children.get(stop.stop_id) or stop.location_type == "1":
                kind = "station"
            else:
                kind = "platform" if stop.parent_id in feed.stops else "plain stop"
            has_service = any(feed.boardings.get(m) for m in feed.family(stop.stop_id))
            (served if has_service else unserved)[kind].append(stop.stop_id)
        if not served:
            raise ValueError("no stop of the feed has departures")
        self.served = [served[kind] for kind in sorted(served)]
        self.unserved = [unserved[kind] for kind in sorted(unserved)]

    def stop(self) -> str:
        """Draw a stop: mostly one with departures, each kind of stop as likely."""
        if self.unserved and self.random.random() < 0.06:
            return self.random.choice(self.random.choice(self.unserved))
        return self.random.choice(self.random.choice(self.served))

    def day(self, margin: int = 0) -> date:
        """Draw a date of the validity, up to some days beyond it."""
        span = (self.last - self.first).days
        return self.first + timedelta(days=self.random.randint(-margin, span + margin))

    def any_time(self) -> int:
        """Draw an instant of the day, rather one when vehicles run."""
        return self.feed.day_start(self.day()) + self.random.randint(4 * 3600, 24 * 3600)

    def near_midnight(self) -> int:
        """Draw an instant within 90 minutes of a local midnight."""
        day = self.day(margin=1)
        midnight = datetime(day.year, day.month, day.day, tzinfo=self.feed.zone)
        return int(midnight.timestamp()) + self.random.randint(-5400, 5400)

    def near_transition(self, epoch: int, turn: int) -> int:
        """Draw an instant of the night of a clock change; the turn varies which."""
        match turn % 5:
            case 0:
                return epoch + self.random.randrange(3600)
            case 1:
                return epoch - 1 - self.random.randrange(3600)
            case 2:
                return epoch + self.random.choice((-1, 0, 1, 3599, 3600))
            case 3:
                return epoch - self.random.randrange(5 * 3600)
            case _:
                return epoch + self.random.randrange(8 * 3600)

    def at_edge(self, stop_id: str, epoch: int, window: int) -> int:
        """Move an instant so that a departure lies right at an end of the window."""
        now = EPOCH + timedelta(seconds=epoch)
        rows = self.feed.board(stop_id, now, 720)
        if not rows:
            return epoch
        shift = self.random.choice((44, 45, 46, -window * 60, 1 - window * 60))
        return self.random.choice(rows).departure + shift

    def pair(self, draw: Callable[[], int], edges: bool = True) -> Pair:
        """Draw a pair; most are drawn again while their board is empty."""
        window = self.random.choice(WINDOWS)
        wants_rows = self.random.random() < 0.85
        for _ in range(DRAWS_FOR_SERVICE):
            stop_id, epoch = self.stop(), draw()
            now = EPOCH + timedelta(seconds=epoch)
            if not wants_rows or self.feed.board(stop_id, now, window):
                break
        if edges and self.random.random() < 0.15:
            epoch = self.at_edge(stop_id, epoch, window)
        return Pair(stop_id, self.written(epoch), window)

    def written(self, epoch: int) -> datetime:
        """Express an instant in UTC, in local time, or with the offset of an hour before.

        The last of these writes instants within the hour that the clock skips.
        """
        instant = EPOCH + timedelta(seconds=epoch)
        way = self.random.randrange(3)
        if way == 0:
            return instant
        shown = instant if way == 1 else instant - timedelta(hours=1)
        offset = shown.astimezone(self.feed.zone).utcoffset()
        if offset.total_seconds() % 60:
            return instant
        return instant.astimezone(timezone(offset))

    def pairs(self, count: int) -> list[Pair]:
        """Draw the pairs: clock changes first, then a quarter near midnight, then the rest."""
        changes = transitions(self.feed, self.first, self.last)
        per_night = NIGHT_PAIRS if count >= 4 * NIGHT_PAIRS else max(1, count // 4)
        result = []
        for forward in (True, False):
            nights = [epoch for epoch, change in changes if (change > 0) == forward]
            if nights:
                epoch = self.random.choice(nights)
                for turn in range(per_night):
                    result.append(
                        self.pair(lambda: self.near_transition(epoch, turn), edges=False)
                    )
        for _ in range(-(-count // 4)):
            result.append(self.pair(self.near_midnight, edges=False))
        while len(result) < count:
            result.append(self.pair(self.any_time))
        return result


# --- Asking the server --------------------------------------------------------------


def asked(
    server: BoardServer, pair: Pair, limit: int
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the departures of a board, and what it offers on demand.

    Raises OSError or ValueError when there is no proper answer.
    """
    body = server.board(
        stop_id=server.prefix + pair.stop_id,
        datetime=pair.instant.isoformat().replace("+00:00", "Z"),
        limit=limit,
        window_minutes=pair.window,
    )
    rows = body.get("departures") if isinstance(body, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("the answer has no list of departures")
    return rows, body.get("onDemand", [])


# --- Comparing ----------------------------------------------------------------------


def normalized(row: dict[str, object]) -> dict[str, object]:
    """Reduce a row to the compared fields, with empty texts as null where allowed."""
    result = {name: row.get(name) for name in FIELDS}
    for name in EMPTY_MEANS_NULL:
        result[name] = result[name] or None
    return result


def matched(
    expected: list[dict[str, object]], actual: list[dict[str, object]]
) -> list[tuple[int, int]]:
    """Match rows of the two boards by identity; return pairs of their indexes.

    Rows that agree on trip, stop time and instant are matched first, then those left
    over that agree on trip, stop time and service date.
    """
    result = []
    left, right = list(range(len(expected))), list(range(len(actual)))
    for identity in (
        ("trip_id", "stop_sequence", "scheduledDeparture", "serviceDate"),
        ("trip_id", "stop_sequence", "scheduledDeparture"),
        ("trip_id", "stop_sequence", "serviceDate"),
    ):
        waiting = defaultdict(list)
        for index in reversed(right):
            waiting[repr([actual[index][name] for name in identity])].append(index)
        for index in left:
            candidates = waiting[repr([expected[index][name] for name in identity])]
            if candidates:
                result.append((index, candidates.pop()))
        done_left, done_right = {i for i, _ in result}, {j for _, j in result}
        left = [i for i in left if i not in done_left]
        right = [j for j in right if j not in done_right]
    return sorted(result)


def brief(row: dict[str, object]) -> str:
    """Describe a row in one line."""
    names = ("scheduledDeparture", "line", "destination", "trip_id", "stop_sequence")
    return " ".join(str(row[name]) for name in names)


def differences(
    expected: list[dict[str, object]], actual: list[dict[str, object]]
) -> tuple[list[str], int]:
    """Compare two boards of normalized rows; return the differences and the rows compared."""
    found = []
    if len(expected) != len(actual):
        found.append(f"length: oracle {len(expected)}, server {len(actual)}")
    pairs = matched(expected, actual)
    lost = set(range(len(expected))) - {i for i, _ in pairs}
    extra = set(range(len(actual))) - {j for _, j in pairs}
    found += [f"only the oracle has: {brief(expected[i])}" for i in sorted(lost)]
    found += [f"only the server has: {brief(actual[j])}" for j in sorted(extra)]
    for i, j in pairs:
        for name in FIELDS:
            ours, theirs = expected[i][name], actual[j][name]
            if ours != theirs or type(ours) is not type(theirs):
                found.append(f"{name}: oracle {ours!r}, server {theirs!r} ({brief(expected[i])})")
    places = [j for _, j in pairs]
    if places != sorted(places):
        k = next(k for k in range(1, len(places)) if places[k] < places[k - 1])
        found.append(f"order: the server puts first: {brief(actual[places[k]])}")
    return found, len(pairs)


def compare(
    feed: Feed, server: BoardServer, pairs: list[Pair], limit: int, label: str, on_demand: OnDemand | None = None
) -> bool:
    """Compare all the pairs, print the outcome, and tell whether all is well."""
    shown = compared = different = empty = continuing = booked = offered = 0
    for pair in pairs:
        expected = []
        for row in feed.board(pair.stop_id, pair.instant, pair.window, limit):
            fields = row.as_json()
            fields["trip_id"] = server.prefix + row.trip_id
            fields["stop_id"] = server.prefix + row.stop_id
            for trip in fields["continuesAs"]:
                trip["trip_id"] = server.prefix + trip["trip_id"]
            continuing += bool(fields["continuesAs"])
            fields["booking"] = on_demand.booking(row) if on_demand else None
            booked += fields["booking"] is not None
            expected.append(normalized(fields))
        try:
            departures, offers = asked(server, pair, limit)
            actual = [normalized(row) for row in departures]
            found, rows = differences(expected, actual)
            wanted = on_demand.offers(pair.stop_id, pair.instant) if on_demand else []
            offered += len(wanted)
            if differ(wanted, offers):
                found.append(f"onDemand: oracle {wanted}, server {offers}")
        except (OSError, ValueError) as error:
            found, rows = [f"no answer: {error}"], 0
        compared += rows
        empty += not expected
        different += len(found)
        for text in found:
            if shown < SHOWN_DIFFERENCES:
                shown += 1
                local = pair.instant.astimezone(feed.zone).isoformat()
                instant = pair.instant.isoformat()
                print(f"{pair.stop_id} at {instant} ({local}), {pair.window} min: {text}")
    print(
        f"{label}: {len(pairs)} pairs, {compared} rows compared, "
        f"{different} differences, {empty} empty boards, {continuing} rows of trips that continue, "
        f"{offered} offers on demand, {booked} rows with a booking"
    )
    return different == 0 and compared > 0


def print_board(feed: Feed, stop_id: str, instant: str, window: int, limit: int) -> bool:
    """Print the oracle's board of a stop at an instant, as a list of JSON rows."""
    if stop_id not in feed.stops:
        print(f"unknown stop {stop_id}", file=sys.stderr)
        return False
    for row in feed.board(stop_id, parse_instant(instant, feed.zone), window, limit):
        print(json.dumps(row.as_json(), ensure_ascii=False))
    return True


def report_skipped(skipped: Counter[str]) -> None:
    """Print, on the error stream, what the oracle left out of the feed."""
    for reason, count in sorted(skipped.items()):
        print(f"skipped: {count} × {reason}", file=sys.stderr)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gtfs", required=True, help="the feed: a zip file or a folder")
    parser.add_argument("--server", help="the server's address, such as http://127.0.0.1:8080")
    parser.add_argument("--pairs", type=int, default=200, help="how many boards to compare")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of boards")
    parser.add_argument("--limit", type=int, default=60, help="rows at most per board")
    parser.add_argument("--prefix", default="", help="the server's ids are PREFIX: + id")
    parser.add_argument(
        "--print",
        nargs=2,
        metavar=("STOP", "INSTANT"),
        help="print the oracle's board instead (INSTANT in RFC 3339)",
    )
    parser.add_argument(
        "--window", type=int, default=DEFAULT_WINDOW_MINUTES, help="minutes, for --print"
    )
    options = parser.parse_args()
    if not options.print and not options.server:
        parser.error("--server or --print is required")

    feed = Feed(options.gtfs)
    report_skipped(feed.skipped)
    if options.print:
        return 0 if print_board(feed, *options.print, options.window, options.limit) else 1
    path = Path(options.gtfs)
    label = path.parent.name if path.stem == "gtfs" else path.stem
    server = BoardServer(options.server, options.prefix)
    pairs = PairChooser(feed, options.seed).pairs(options.pairs)
    return 0 if compare(feed, server, pairs, options.limit, label or str(path), OnDemand(path, feed)) else 1


if __name__ == "__main__":
    sys.exit(main())
