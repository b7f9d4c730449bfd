"""Compare departure boards with realtime: those of a server and those of the oracle.

The server has been started on the same feed, the same trip updates, and with its clock at the instant
at which they were recorded, for example
    freshet serve --data DIR --trip-updates FILE --now 2026-11-24T07:00:00Z
The stops and instants are drawn deterministically: most stops have realtime, most instants lie around
the recorded one, and some lie where a row enters or leaves the board.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

from board_server import BoardServer
from compare_boards import Pair
from gtfs_oracle import EPOCH, Feed
from realtime_oracle import RealtimeFeed, RealtimeRow, read_directions
from vehicle_oracle import Vehicles

FIELDS = (
    "trip_id",
    "stop_id",
    "stop_sequence",
    "serviceDate",
    "scheduledDeparture",
    "realtimeDeparture",
    "rawDelaySec",
    "cancelled",
    "cancelReasonCode",
    "platform",
    "platformChanged",
    "previousPlatform",
    "added",
    "detoured",
    "predictionUncertaintySec",
    "occupancy",
    "destination",
    "endsAt",
    "terminus",
    "skippedStops",
    "certainty",
    "uncertaintySec",
    "headwaySec",
    "boarding",
    "tripShortName",
    "continuesAs",
    "vehicle",
)
IDENTITY = ("trip_id", "stop_id", "stop_sequence", "serviceDate", "scheduledDeparture", "added")
WINDOWS = (30, 210, 720)
SHOWN_DIFFERENCES = 20
MOST_ROWS = 500


def draw_pairs(realtime: RealtimeFeed, count: int, seed: int) -> list[Pair]:
    """Draw stops and instants, the same ones for the same seed."""
    draw = random.Random(seed)
    feed = realtime.feed
    touched = sorted(
        {feed.station(stop_id).stop_id for stop_id in realtime.rows_at} | set(realtime.rows_at)
    )
    others = sorted(stop_id for stop_id in feed.stops if feed.boardings.get(stop_id))
    pairs = []
    while len(pairs) < count:
        stop_id = draw.choice(touched if touched and draw.random() < 0.8 else others)
        window = draw.choice(WINDOWS)
        way = draw.random()
        if way < 0.5:
            epoch = realtime.timestamp + draw.randint(-1800, 5400)
        elif way < 0.8:
            epoch = realtime.timestamp + draw.randint(-12 * 3600, 12 * 3600)
        else:
            members = feed.family(stop_id)
            rows = [row for member in members for row in realtime.rows_at.get(member, ())]
            shift = draw.choice((44, 45, 46, -window * 60, 1 - window * 60))
            times = sorted({row.effective for row in rows}) or [realtime.timestamp]
            epoch = draw.choice(times) + shift
        pairs.append(Pair(stop_id, EPOCH + timedelta(seconds=epoch), window))
    return pairs


class Answers:
    """Boards of a server, or those that were written to a file, one JSON object a line."""

    def __init__(self, server: str | None, path: str | None, prefix: str) -> None:
        """Take the server's address or the file's path, and the prefix of the server's ids."""
        self.prefix = prefix + ":" if prefix else ""
        self._server = BoardServer(server) if server else None
        lines = Path(path).read_text(encoding="utf-8").splitlines() if path else None
        self._lines = None if lines is None else iter(lines)

    def board(self, pair: Pair) -> list[dict[str, object]]:
        """Return the departures of a board; raises OSError or ValueError without a response."""
        if self._lines is not None:
            return json.loads(next(self._lines, ""))["departures"]
        if self._server is None:
            raise OSError("there is no server to ask")
        answer = self._server.board(
            stop_id=self.prefix + pair.stop_id,
            datetime=pair.instant.isoformat().replace("+00:00", "Z"),
            limit=MOST_ROWS,
            window_minutes=pair.window,
        )
        if not isinstance(answer, dict):
            raise ValueError("the answer is no board")
        return answer["departures"]


def normalized(row: dict[str, object]) -> dict[str, object]:
    """Reduce a row of the server to what is compared."""
    result = {name: row.get(name) for name in FIELDS}
    result["added"] = "EXTRA_SERVICE" in (row.get("flags") or [])
    result["detoured"] = "DETOUR" in (row.get("flags") or [])
    result["terminus"] = "SHORT_TURN_TERMINUS" in (row.get("flags") or [])
    return result


def contradictions(row: dict[str, object]) -> list[str]:
    """Return what a row of the server says that contradicts itself."""
    found = []
    delay, shown, status = row.get("delayMin"), row.get("displayedDelayMin"), row.get("status")
    if delay != shown:
        found.append(f"delayMin {delay}, displayedDelayMin {shown}")
    expected = "UNKNOWN" if delay is None else "DELAYED" if delay > 0 else "ON_TIME"
    if delay is not None and delay < 0:
        expected = "EARLY"
    if row.get("cancelled"):
        expected = {"CANCELED_TRIP": "CANCELLED"}.get(row.get("cancelReasonCode"), "SKIPPED_STOP")
    if status != expected:
        found.append(f"status {status} instead of {expected}")
    if (row.get("rawDelaySec") is None) != (delay is None):
        found.append(f"rawDelaySec {row.get('rawDelaySec')}, delayMin {delay}")
    return found


def expected_row(
    row: RealtimeRow, prefix: str, vehicles: Vehicles | None = None
) -> dict[str, object]:
    """Return a row of the oracle with the server's ids."""
    result = row.as_json()
    result["vehicle"] = vehicles.of(row) if vehicles else None
    for name in ("trip_id", "stop_id"):
        if result[name] is not None:
            result[name] = prefix + result[name]
    result["continuesAs"] = [
        trip | {"trip_id": prefix + trip["trip_id"]} for trip in result["continuesAs"]
    ]
    return result


def differences(expected: list[dict], actual: list[dict]) -> list[str]:
    """Compare two boards."""
    def identity(row: dict) -> str:
        return " ".join(str(row[name]) for name in IDENTITY)

    left, right = [identity(row) for row in expected], [identity(row) for row in actual]
    found = [f"only the oracle has: {key}" for key in (Counter(left) - Counter(right)).elements()]
    found += [f"only the server has: {key}" for key in (Counter(right) - Counter(left)).elements()]
    if found:
        return found
    if left != right:
        place = next(i for i, (one, other) in enumerate(zip(left, right)) if one != other)
        return [f"order: oracle {left[place]}, server {right[place]}"]
    for ours, theirs in zip(expected, actual):
        for name in FIELDS:
            # The oracle knows the headsigns of realtime, and of the timetable those of trips of which the feed says something.
            if name == "destination" and ours[name] is None:
                continue
            if ours[name] != theirs[name] or type(ours[name]) is not type(theirs[name]):
                one, other = ours[name], theirs[name]
                found.append(f"{name}: oracle {one!r}, server {other!r} ({identity(ours)})")
    return found


def compare(
    realtime: RealtimeFeed,
    answers: Answers,
    pairs: list[Pair],
    label: str,
    vehicles: Vehicles | None = None,
) -> bool:
    """Compare all boards, print the outcome, and tell whether all is well."""
    shown = different = 0
    kinds: Counter[str] = Counter()
    for pair in pairs:
        board = realtime.board(pair.stop_id, pair.instant, pair.window)
        expected = [expected_row(row, answers.prefix, vehicles) for row in board][:MOST_ROWS]
        try:
            rows = answers.board(pair)
            found = differences(expected, [normalized(row) for row in rows])
            found += [text for row in rows for text in contradictions(row)]
        except (OSError, ValueError, KeyError) as error:
            found = [f"no answer: {error}"]
        for row in expected:
            kinds["rows"] += 1
            kinds["predicted"] += row["realtimeDeparture"] is not None
            kinds["cancelled"] += row["cancelReasonCode"] == "CANCELED_TRIP"
            kinds["skipped"] += row["cancelReasonCode"] == "SKIPPED_STOP"
            kinds["added"] += row["added"]
            kinds["platform changed"] += row["platformChanged"]
            kinds["headsigns"] += row["destination"] is not None
            kinds["ends early"] += row["endsAt"] is not None
            kinds["vehicles"] += row["vehicle"] is not None
            kinds["leaves out stops"] += row["skippedStops"] != []
            kinds["uncertain"] += row["predictionUncertaintySec"] is not None
            kinds["loaded"] += row["occupancy"] is not None
            kinds["detoured"] += row["detoured"]
            kinds["continue"] += row["continuesAs"] != []
            kinds["on demand"] += row["certainty"] == "on_demand"
        different += len(found)
        for text in found[: max(0, SHOWN_DIFFERENCES - shown)]:
            shown += 1
            print(f"{pair.stop_id} at {pair.instant.isoformat()}, {pair.window} min: {text}")
    counts = ", ".join(f"{count} {name}" for name, count in kinds.items())
    print(f"{label}: {len(pairs)} boards, {counts}; {different} differences")
    return different == 0 and kinds["predicted"] > 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gtfs", required=True, help="the feed: a zip file or a folder")
    parser.add_argument("--trip-updates", required=True, help="the trip updates: a protobuf file")
    parser.add_argument("--vehicle-positions", help="the vehicle positions: a protobuf file")
    parser.add_argument("--server", help="the server's address, such as http://127.0.0.1:8080")
    parser.add_argument("--prefix", default="", help="the server's ids are PREFIX: + id")
    parser.add_argument("--pairs", type=int, default=1000, help="how many boards to compare")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of boards")
    parser.add_argument("--questions", help="write the questions to this file and stop")
    parser.add_argument("--answers", help="read the boards from this file, in that order")
    options = parser.parse_args()
    if not (options.server or options.questions or options.answers):
        parser.error("--server, --questions or --answers is required")

    path = Path(options.trip_updates)
    feed = Feed(options.gtfs)
    realtime = RealtimeFeed(feed, path.read_bytes(), read_directions(options.gtfs))
    for reason, count in sorted(realtime.discarded.items()):
        print(f"discarded: {count} × {reason}", file=sys.stderr)
    pairs = draw_pairs(realtime, options.pairs, options.seed)
    if options.questions:
        lines = [
            f"{pair.stop_id}\t{int(pair.instant.timestamp())}\t{pair.window}\n" for pair in pairs
        ]
        Path(options.questions).write_text("".join(lines), encoding="utf-8")
        return 0
    answers = Answers(options.server, options.answers, options.prefix)
    vehicles = None
    if options.vehicle_positions:
        vehicles = Vehicles(realtime, Path(options.vehicle_positions).read_bytes())
    return 0 if compare(realtime, answers, pairs, f"{path.parent.name}/{path.name}", vehicles) else 1


if __name__ == "__main__":
    sys.exit(main())
