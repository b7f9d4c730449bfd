"""Checks a server with realtime: boards, conditional answers, waits, compression, streams and measurements.

Its sources are those of `freshet-lab feed --scenario storm`. See README.md beside this file.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from realtime_rules import KINDS, applied, instant, kinds

BOARD, STREAM, METRICS = "/api/stationboard", "/api/stationboard/stream", "/metrics"
STATIONS = 24
ATTEMPTS = 12
PATIENCE = 120


# --- Asking -------------------------------------------------------------------------


@dataclass
class Event:
    """A server-sent event."""

    name: str
    id: str | None
    data: Any


def events(response: http.client.HTTPResponse) -> Iterator[Event | str]:
    """Yield the events of a stream, and its comments and fields without an event as text."""
    lines: list[str] = []
    while line := response.readline():
        text = line.decode().rstrip("\r\n")
        if text:
            lines.append(text)
            continue
        fields = dict(each.split(": ", 1) for each in lines if not each.startswith(":"))
        if "data" in fields:
            yield Event(fields.get("event", "message"), fields.get("id"), json.loads(fields["data"]))
        elif lines:
            yield lines[0]
        lines = []


@dataclass
class RealtimeRun:
    """The checks of a server with realtime; `run` asks and reports."""

    run: Any
    shown: set[str] = field(default_factory=set)

    def all(self) -> None:
        """Run every check."""
        self.boards()
        self.conditions()
        self.waits()
        self.compression()
        self.streams()
        self.metrics()

    def target(self, path: str = BOARD, **query: object) -> str:
        return f"{path}?{urlencode({'stop_id': self.run.stops[0], **query})}"

    def boards(self) -> None:
        """Ask for boards of many stations until every kind of row was seen."""
        stops, known = list(self.run.stops), set(self.run.stops)
        asked = 0
        while stops and asked < STATIONS:
            stop = stops.pop(0)
            asked += 1
            board = self.run.board(stop_id=stop, limit=80, window_minutes=720, lang="de")
            if board is None:
                continue
            self.shown |= kinds(board)
            if KINDS <= self.shown and asked >= 4:
                break
            for row in [each for each in board["departures"] if plain(each)][::7]:
                query = urlencode({"service_date": row["serviceDate"]})
                answer = self.run.server.ask(f"/api/trips/{quote(row['trip_id'], safe='')}?{query}")
                for call in (answer.json or {}).get("stops", [])[:-1]:
                    if call["stationId"] not in known:
                        known.add(call["stationId"])
                        stops.append(call["stationId"])
        missing = sorted(KINDS - self.shown)
        self.run.report.check(f"{asked} boards show every kind of row", ", ".join(missing) or None)
        for query in ({"debug": 1}, {"include_alerts": 0}, {"lang": "it"}, {"limit": 1}):
            board = self.run.board(stop_id=self.run.stops[0], window_minutes=720, **query)
            if board and query == {"include_alerts": 0}:
                words = (board["meta"]["alertsStatus"], board["banners"], board["alerts"]["entities"])
                self.run.report.check("include_alerts=0 means none", None if words == ("disabled", [], []) else str(words))

    def conditions(self) -> None:
        """Ask with what a client has: 304 and 204, and 200 when it has something else."""
        target = self.target(limit=4)
        self.until(304, target, lambda board: (target, {"If-None-Match": board["meta"]["entityTag"]}))
        self.until(304, target, lambda board: (target, {"If-None-Match": f'"x", W/{board["meta"]["entityTag"]}'}))
        self.run.ask(BOARD, target, 304, headers={"If-None-Match": "*"}, label=f"{target} with *")
        self.run.ask(BOARD, target, headers={"If-None-Match": '"other"'}, label=f"{target} with another tag")
        self.until(204, target, lambda board: (
            self.target(limit=4, if_board=1, since_rt=board["meta"]["rtFetchedAt"]), {}))
        self.until(204, target, lambda board: (
            self.target(limit=4, has_board=1, since_rt=int(instant(board["meta"]["rtFetchedAt"]).timestamp() * 1000)),
            {}))
        self.run.ask(BOARD, self.target(limit=4, if_board=1, since_rt="2020-01-01T00:00:00Z"))
        self.run.ask(BOARD, self.target(limit=4, since_rt="2020-01-01T00:00:00Z"))

    def until(self, status: int, first: str, second: Any) -> None:
        """Ask for a board, then whether it is right.

        The board may change in between, and after new alerts only the next trip updates allow a 204; so try again.
        """
        name = f"{first}, then with what it gave → {status}"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            board = self.run.server.ask(first).json
            target, headers = second(board)
            answer = self.run.server.ask(target, headers=headers)
            found = self.run.failures(BOARD, "GET", answer)
            if answer.status == 200 and not found:
                time.sleep(0.2)
                continue
            if answer.status != status:
                found.append(f"the status is {answer.status}")
            if status == 304 and answer.headers.get("etag") != board["meta"]["entityTag"]:
                found.append(f"ETag is {answer.headers.get('etag')}")
            if status == 204 and answer.headers.get("x-md-rt-reason") != "unchanged_since_rt":
                found.append(f"x-md-rt-reason is {answer.headers.get('x-md-rt-reason')}")
            self.run.report.all(name, found)
            return
        self.run.report.check(name, f"always 200 in {PATIENCE} s")

    def waits(self) -> None:
        """Hold an answer back."""
        target = self.target(limit=2)
        tag = self.run.server.ask(target).json["meta"]["entityTag"]
        began = time.monotonic()
        answer = self.run.server.ask(target, headers={"If-None-Match": tag, "Prefer": "wait=1"})
        took = time.monotonic() - began
        found = self.run.failures(BOARD, "GET", answer)
        if answer.status == 304 and (took < 0.9 or answer.headers.get("preference-applied") != "wait=1"):
            found.append(f"304 after {took:.2f} s, Preference-Applied is {answer.headers.get('preference-applied')}")
        if answer.status not in (200, 304):
            found.append(f"the status is {answer.status}")
        self.run.report.all(f"{target} with Prefer: wait=1 → 304 after a second, or 200", found)
        # With an old tag the answer is there at once, and the wait goes up to the next change otherwise.
        tag = self.run.server.ask(self.target(limit=500)).json["meta"]["entityTag"]
        wait = {"If-None-Match": tag, "Prefer": "wait=14"}
        answer = self.run.ask(BOARD, self.target(limit=500), headers=wait, label="a board with Prefer: wait=14")
        if answer:
            same = answer.json["meta"]["entityTag"] == tag
            self.run.report.check("the wait ends with another board", "it is the same" if same else None)

    def compression(self) -> None:
        """Compare the compressed answer with the plain one."""
        for _ in range(ATTEMPTS):
            target = self.target(limit=20)
            plain_answer = self.run.server.ask(target)
            answer = self.run.server.ask(target, headers={"Accept-Encoding": "gzip"})
            # A publication between the two that says the same again changes no tag, and makes rows newer.
            same = ("entityTag", "rtFetchedAt")
            if answer.json and all(answer.json["meta"][name] == plain_answer.json["meta"][name] for name in same):
                break
        found = self.run.failures(BOARD, "GET", answer)
        if answer.headers.get("content-encoding") != "gzip":
            found.append("it is not compressed")
        tag = answer.headers.get("etag", "")
        if tag != plain_answer.headers["etag"][:-1] + '-gzip"':
            found.append(f"its tag is {tag}, that of the plain one {plain_answer.headers['etag']}")
        rows = [each.json["departures"] for each in (plain_answer, answer)]
        if rows[0] != rows[1]:
            members = {name for one, other in zip(*rows) for name in one if one[name] != other.get(name)}
            found.append(f"its departures are others: {len(rows[0])} and {len(rows[1])}, different in {sorted(members)}")
        self.run.report.all("a compressed board is the same board with another tag", found)
        again = {"Accept-Encoding": "gzip", "If-None-Match": tag}
        answer = self.run.server.ask(target, headers=again)
        if answer.status != 200:
            found = [] if answer.headers.get("etag") == tag else [f"ETag is {answer.headers.get('etag')}, not {tag}"]
            found += self.run.failures(BOARD, "GET", answer)
            self.run.report.all("the tag of a compressed board comes back with its 304", found)

    # --- Streams

    def streams(self) -> None:
        """Read events, apply them, and come back with ids that are known and that are not."""
        target = self.target(STREAM, limit=300)
        seen, board, first = set(), None, None
        found: list[str] = []
        until = time.monotonic() + PATIENCE
        for event in self.open(target):
            if isinstance(event, str):
                seen.add(event.split(":")[0] or "comment")
                continue
            seen.add(event.name)
            found += self.event_failures(event)
            if event.name == "snapshot":
                board, first = event.data, event.id
            elif event.name == "change":
                board = applied(board, event.data)
            elif event.name == "verified":
                board = {**board, **event.data}
            if board:
                found += self.run.rules(board)
            if "change" in seen or time.monotonic() > until or found:
                break
        for name in ("retry", "snapshot", "change"):
            if name not in seen:
                found.append(f"no {name} came in {PATIENCE} s")
        self.run.report.all(f"{target} sends snapshot and change", found)
        if board and not found:
            self.compare(board)
        self.verified()
        if first:
            self.resume(target, first)
        self.run.ask(STREAM, target, method="HEAD")
        self.run.ask(STREAM, STREAM, 400, "missing_stop_id")
        self.run.ask(STREAM, f"{STREAM}?stop_id=nowhere", 404, "stop_not_found")

    def verified(self) -> None:
        """Wait for a publication that leaves a board as it is; of a far instant it says nothing."""
        target = self.target(STREAM, limit=1, include_alerts=0)
        found = [f"no verified came in {PATIENCE} s"]
        until = time.monotonic() + PATIENCE
        for event in self.open(target):
            if isinstance(event, Event) and event.name == "verified":
                found = self.event_failures(event)
                break
            if time.monotonic() > until:
                break
        self.run.report.all(f"{target} sends verified", found)

    def resume(self, target: str, known: str) -> None:
        """Come back to a stream."""
        for id, names in ((known, ["change"]), ('"unknown"', ["reset", "snapshot"])):
            came, found = [], []
            for event in self.open(target, {"Last-Event-ID": id}):
                if isinstance(event, Event):
                    came.append(event.name)
                    found += self.event_failures(event)
                if len(came) == len(names):
                    break
            if came != names and came != ["verified"]:
                found.append(f"it begins with {came}; expected: {names}")
            self.run.report.all(f"{target} with Last-Event-ID {id} begins with {' and '.join(names)}", found)

    def compare(self, board: dict[str, Any]) -> None:
        """Compare the board that events made with the one the server gives; it may have changed since."""
        other = self.run.server.ask(self.target(limit=300)).json
        if other["meta"]["entityTag"] != board["meta"]["entityTag"]:
            return
        same = [row | {"realtimeAt": None} for row in other["departures"]] == [
            row | {"realtimeAt": None} for row in board["departures"]]
        self.run.report.check("events lead to the board", None if same else "they lead to another")

    def open(self, target: str, headers: dict[str, str] | None = None) -> Iterator[Event | str]:
        """Open a stream, check its header fields, and yield its events."""
        connection = self.run.server.connect()
        connection.request("GET", self.run.server.base + target, headers=headers or {})
        try:
            response = connection.getresponse()
            fields = {name.lower(): value for name, value in response.getheaders()}
            found = self.run.head_fields(STREAM, response.status, fields)
            if found:
                self.run.report.all(f"the header fields of {target}", found)
            try:
                yield from events(response)
            except TimeoutError:
                return
        finally:
            connection.close()

    def event_failures(self, event: Event) -> list[str]:
        """Compare an event with what the document says of it."""
        said = self.run.document.content["paths"][STREAM]["get"]["x-events"].get(event.name)
        if said is None:
            return [f"the event {event.name} is not documented"]
        found = [f"{event.name}: {each}" for each in self.run.document.errors(said["data"], event.data)]
        tag = event.data.get("meta", {}).get("entityTag")
        if event.id != (tag if "id" in said else None):
            found.append(f"{event.name}: the id is {event.id}, the tag {tag}")
        return found

    def metrics(self) -> None:
        """Read the measurements as Prometheus does."""
        answer = self.run.ask(METRICS, METRICS)
        if answer is None:
            return
        found, kinds_of = [], {}
        for line in answer.body.decode().splitlines():
            words = line.split(" ")
            if line.startswith("# TYPE "):
                kinds_of[words[2]] = words[3]
            elif not line.startswith("#"):
                name = line.partition("{")[0].split(" ")[0]
                try:
                    value = float(words[-1])
                except ValueError:
                    found.append(f"{line!r} has no value")
                    continue
                for part in ("_bucket", "_sum", "_count"):
                    family = name.removesuffix(part)
                    if family != name and kinds_of.get(family) == "histogram":
                        name = family
                if name not in kinds_of:
                    found.append(f"{name} has no type")
                if kinds_of.get(name) == "counter" and (value < 0 or not name.endswith("_total")):
                    found.append(f"{line!r} is no counter")
        for name in ("freshet_boards_total", "freshet_realtime_age_seconds", "freshet_realtime_polls_total"):
            if name not in kinds_of:
                found.append(f"{name} is missing")
        self.run.report.all("the measurements can be read", found)


def plain(row: dict[str, Any]) -> bool:
    """Whether a departure is of a trip that the timetable has as it runs."""
    return not {"EXTRA_SERVICE", "REPLACEMENT_SERVICE"} & set(row["flags"])
