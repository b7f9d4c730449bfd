"""A served sample network, producers that publish what they are told, and clients."""

from __future__ import annotations

import atexit
import functools
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from program import LAB, Folder, Server, once
from sample_network import copy_network
from side_by_side import SideBySide
from watching import LONGEST, Broken, Document, always, reply

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Oracle"))
from edge_updates import message  # noqa: E402 (the folder has to be known first)

LAUSANNE = "Parent8501120"
DATE = "20261124"
BEGIN = "2026-11-24T07:03:00Z"
"""When the service clocks start: from 07:02:45 to 07:12:45 time alone does not change the board of
Lausanne with few departures."""
FEW = 8
"""How many departures that is."""
BOARD = f"/api/stationboard?stop_id={LAUSANNE}&limit={FEW}"
QUICK = ("--poll", "trip-updates=200", "--poll", "alerts=200")
"""Polls as often as a test can wait for, and gives up and tries again as much faster."""
FRESH_FOR, ALERTS_FRESH_FOR = 45, 120
"""How old, in seconds, what is fresh may be."""
PROTOBUF = "Content-Type: application/x-protobuf"

MODES = {"full", "degraded_static", "stale_cache_fallback", "static_timeout_fallback"}
STATUSES = {
    "applied", "partial", "stale_cache", "guarded_error", "missing_cache", "skipped_budget", "disabled",
}


@once
def data() -> Path:
    """The sample network, imported once for all tests."""
    folder = Folder()
    atexit.register(folder.remove)
    return copy_network(folder.path)


def instant(text: str) -> float:
    """An RFC 3339 instant as seconds since 1970."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def wait_for(fits: Callable[[], object], wanted: str, within: float = LONGEST):
    """Waits until something is so, and gives it."""
    deadline = time.monotonic() + within
    while not (found := fits()):
        assert time.monotonic() < deadline, f"{wanted} did not come within {within} s"
        time.sleep(0.02)
    return found


# What producers publish


def late(trip: str, seconds: int, sequence: int = 1, platform: str | None = None) -> bytes:
    """A TripUpdate: a trip is late (or early) from a stop on."""
    return message(
        f1=message(f1=trip, f3=DATE),
        f2=[message(f1=sequence, f3=message(f1=seconds), f4=platform)],
    )


def cancelled(trip: str) -> bytes:
    """A TripUpdate: a trip does not run."""
    return message(f1=message(f1=trip, f3=DATE, f4=3))


def alert(header: dict[str, str], *, stop: str | None = None, trip: str | None = None) -> bytes:
    """An Alert about a stop or a trip, in several languages."""
    texts = [message(f1=text, f2=language) for language, text in header.items()]
    about = message(f4=message(f1=trip) if trip else None, f5=stop)
    return message(f5=about, f6=9, f7=2, f10=message(f1=texts), f11=message(f1=texts), f14=3)


def feed(at: float, updates: list[bytes] = (), alerts: list[bytes] = ()) -> bytes:
    """A FeedMessage made at an instant."""
    entities = [message(f1=f"u{n}", f3=one) for n, one in enumerate(updates)]
    entities += [message(f1=f"a{n}", f5=one) for n, one in enumerate(alerts)]
    return message(f1=message(f1="2.0", f2=0, f3=int(at)), f2=entities)


class Producer(Broken):
    """A source of feeds: publishes, or breaks in a way of its own; what it was asked is kept."""

    def __init__(self, clock: Callable[[], float]):
        self.clock = clock
        self.number = self.last = 0
        self.published: list[int] = []
        self.served: dict[int, float] = {}
        super().__init__(always(reply("503 Service Unavailable")))

    def publish(self, *updates: bytes, alerts: list[bytes] = (), age: float = 0) -> int:
        """Publishes a feed of some age; gives its timestamp, unlike that of the one before."""
        if not age:
            wait_for(lambda: int(self.clock()) > self.last, "another second")
        at = int(self.clock() - age)
        self.last = max(self.last, at)
        self.published.append(at)
        self.put(feed(at, updates, alerts))
        return at

    def put(self, body: bytes) -> None:
        """Publishes bytes, whatever they are."""
        number = self.number = self.number + 1
        document = Document(body, f'"{number}"', [PROTOBUF])

        def answer(question, line):
            if question["If-None-Match"] != document.tag:
                self.served.setdefault(number, time.monotonic())
            return document(question, line)

        self.answer = answer

    def first_served(self, number: int) -> float:
        """When a publication was first handed out."""
        return wait_for(lambda: self.served.get(number), f"a request for publication {number}")

    def fail(self, status: str, *fields: str) -> None:
        """Answers every request with this status from now on."""
        self.answer = always(reply(status, b"The producer is in trouble.\n", *fields))

    def wait_for_next(self, count: int = 1) -> None:
        """Waits until it has been asked so many times more, and once again."""
        self.wait_for(len(self.questions) + count + 1)


# What clients see


@dataclass
class Answer:
    """An answer as it came."""

    status: int
    fields: list[tuple[str, str]]
    body: bytes
    took: float

    def __getitem__(self, name: str) -> str | None:
        values = [value for key, value in self.fields if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    @functools.cached_property
    def board(self) -> dict:
        return json.loads(self.body)

    @property
    def meta(self) -> dict:
        return self.board["meta"]

    @property
    def at(self) -> float:
        """The service clock when the board was made, cut to milliseconds."""
        return instant(self.meta["serverTime"])

    @property
    def departures(self) -> list[dict]:
        return self.board["departures"]

    def departure(self, trip: str) -> dict:
        """The departure of a trip."""
        return next(one for one in self.departures if one["trip_id"] == trip)


def ask(
    port: int, path: str, /, *, method: str = "GET", timeout: float = LONGEST,
    connection: http.client.HTTPConnection | None = None, **fields: str,
) -> Answer:
    """Sends one request; fields are named like ``if_none_match``."""
    began = time.monotonic()
    line = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        line.request(method, path, headers=names)
        answer = line.getresponse()
        body = answer.read()
        return Answer(answer.status, answer.getheaders(), body, time.monotonic() - began)
    finally:
        if connection is None:
            line.close()


@dataclass
class Event:
    """A server-sent event, or a comment (then only its text)."""

    name: str
    id: str | None
    text: str
    at: float = field(default_factory=time.monotonic)

    @property
    def data(self) -> dict:
        return json.loads(self.text)


class Stream:
    """A client of server-sent events; what it heard so far."""

    def __init__(self, port: int, path: str = "", last: str | None = None, **fields: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST * 2)
        if last is not None:
            fields["last_event_id"] = last
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        self.connection.request(
            "GET", path or BOARD.replace("?", "/stream?"),
            headers={"Accept": "text/event-stream", **names},
        )
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.events: list[Event] = []
        self.comments: list[Event] = []
        self.changed = threading.Condition()
        self.place = 0
        self.ended_at: float | None = None
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        try:
            for event in self._events():
                with self.changed:
                    (self.events if event.name else self.comments).append(event)
                    self.changed.notify_all()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.failure = error
        with self.changed:
            self.ended_at = time.monotonic()
            self.changed.notify_all()

    def _chunks(self) -> Iterator[bytes]:
        """The chunks as they come; http.client would not tell an end from a break."""
        assert self.answer.getheader("Transfer-Encoding") == "chunked"
        while size := int(self.answer.fp.readline() or b"broken off", 16):
            chunk = self.answer.fp.read(size + 2)
            if len(chunk) < size + 2:
                raise ConnectionError("broken off")
            yield chunk[:-2]

    def _lines(self) -> Iterator[str]:
        rest = b""
        for chunk in self._chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line.decode("utf-8") for line in whole)

    def _events(self) -> Iterator[Event]:
        name, identifier, lines = "message", None, []
        for text in self._lines():
            if not text:
                if lines:
                    yield Event(name, identifier, "\n".join(lines))
                name, identifier, lines = "message", None, []
            elif text.startswith(":"):
                yield Event("", None, text)
            else:
                kind, _, value = text.partition(":")
                value = value.removeprefix(" ")
                if kind == "event":
                    name = value
                elif kind == "id":
                    identifier = value
                elif kind == "data":
                    lines.append(value)

    def next(self, *names: str, within: float = LONGEST) -> Event:
        """The next event of one of these kinds; others are passed over."""
        deadline = time.monotonic() + within
        with self.changed:
            while True:
                while self.place < len(self.events):
                    self.place += 1
                    if not names or (event := self.events[self.place - 1]).name in names:
                        return self.events[self.place - 1]
                left = deadline - time.monotonic()
                if self.ended_at or left <= 0 or not self.changed.wait(left):
                    heard = [event.name for event in self.events]
                    raise AssertionError(f"{names} did not come; heard {heard}")

    def ends(self, within: float = LONGEST) -> float:
        """Waits for the end of the stream; gives its moment."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.ended_at, within), "the stream did not end"
        return self.ended_at

    def close(self) -> None:
        """Leaves."""
        try:
            # A shutdown wakes the reader; a close would wait for it.
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(timeout=LONGEST)
        self.answer.close()
        self.connection.close()


class Simulator:
    """`freshet-lab feed` on the clock of a stage; start it with ``Stage(ready=simulator.ready)``."""

    def __init__(self, *options: str):
        self.options = options
        self.port = 0
        self.process: subprocess.Popen | None = None

    def ready(self, stage: "Stage") -> None:
        """Starts it, and makes it the source of the stage."""
        self.start(stage.begin())
        stage.options += ["--trip-updates", f"http://127.0.0.1:{self.port}/trip-updates.pb"]
        stage.options += ["--alerts", f"http://127.0.0.1:{self.port}/alerts.pb"]

    def start(self, begin: str) -> None:
        """Starts it, on the port it had before if it had one."""
        self.process = subprocess.Popen(
            [LAB, "feed", "--data", str(data()), "--port", str(self.port), "--now", begin,
             "--log-level", "error", *self.options],
            stdout=subprocess.PIPE, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, f"the feed did not start: {line}"
        self.port = int(found[1])

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


# The stage


class ReplacedError(AssertionError):
    """A publication is waited for that can no longer come."""


class Stage:
    """The running program with producers beside it."""

    def __init__(
        self, *options: str, trips: bool = True, alerts: bool = False, begin: str = BEGIN,
        quick: bool = True, ready: Callable[["Stage"], object] | None = None,
    ):
        self.offset = instant(begin) - time.time()
        self.trips = Producer(self.now) if trips else None
        self.alerts = Producer(self.now) if alerts else None
        self.options = [*(QUICK if quick else ()), *options]
        if ready:
            ready(self)
        if trips:
            self.options += ["--trip-updates", f"{self.trips.url}/trip-updates.pb"]
        if alerts:
            self.options += ["--alerts", f"{self.alerts.url}/alerts.pb"]
        self.publishing = threading.Lock()
        self.server = Server(data(), *self.options, now=self.begin())
        self.port = self.server.port
        self.set_clock()

    def set_clock(self) -> None:
        """Takes over the clock of the server, which began a little later than it was told to."""
        health = json.loads(self.ask("/health").body)
        self.offset = instant(health["serverTime"]) - time.time()

    def now(self) -> float:
        """The service clock, as near as one can tell from outside."""
        return time.time() + self.offset

    def begin(self) -> str:
        """The service clock as an instant that a server can start with."""
        at = datetime.fromtimestamp(self.now(), timezone.utc)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def restart(self) -> None:
        """Starts a new server on the port of the one before."""
        options = [*self.options, "--port", str(self.port)]
        self.server = Server(data(), *options, now=self.begin())
        assert self.server.port == self.port
        self.set_clock()

    def ask(self, path: str = BOARD, /, **options) -> Answer:
        return ask(self.port, path, **options)

    def board(self, more: str = "", /, **options) -> Answer:
        """The board of Lausanne."""
        answer = self.ask(BOARD + more, **options)
        assert answer.status == 200, answer.body
        return answer

    def stream(self, path: str = "", **options) -> Stream:
        return Stream(self.port, path, **options)

    def shows(self, fits: Callable[[Answer], object], more: str = "", wanted: str = "") -> Answer:
        """Waits until the board is so."""
        last: list[Answer] = []

        def look():
            last[:] = [self.board(more)]
            return last[0] if fits(last[0]) else None

        try:
            return wait_for(look, wanted or "the board")
        except ReplacedError:
            raise
        except AssertionError as error:
            meta = json.dumps(last[0].meta) if last else "no answer"
            raise AssertionError(f"{error}: {meta}") from None

    def waiting(self) -> int:
        """How many requests and streams the server says to be waiting for a change."""
        return int(re.search(rb"(?m)^freshet_waiting (\d+)$", self.ask("/metrics").body)[1])

    def begins(self, question: Callable[[], object]) -> threading.Thread:
        """Asks something in a thread, once no other request is in flight, and waits until the server has begun to answer it."""
        before, looks = self.begun(), 0

        def is_there() -> bool:
            nonlocal looks
            looks += 1
            return self.begun() - looks > before

        client = threading.Thread(target=question)
        client.start()
        wait_for(is_there, "the question")
        return client

    def begun(self) -> int:
        """How many requests the server has begun to answer, this one not counted."""
        found = re.findall(
            rb'(?m)^freshet_admission_requests_total\{pool="processor",waited="\w+"\} (\d+)$', self.ask("/metrics").body)
        return sum(map(int, found)) - 1

    def publishes(self, *updates: bytes) -> Answer:
        """Publishes a feed and waits until it is in use; gives the board.

        Tests that share a stage do so one after the other: else one would wait for a publication that the next one has
        replaced before the server asked for it.
        """
        with self.publishing:
            return self.applied(self.trips.publish(*updates))

    def applied(self, at: int | None = None) -> Answer:
        """Waits until a publication is in use; gives the board."""

        def fits(answer: Answer):
            fetched = answer.meta["rtFetchedAt"]
            if fetched and (at is None or instant(fetched) == at):
                return True
            later = self.trips.published
            if at in later and at != later[-1] and fetched and instant(fetched) == later[-1]:
                raise ReplacedError(f"the publication of {at} was replaced by that of {later[-1]} before it was seen")
            return False

        return self.shows(fits, wanted=f"the publication of {at}")

    def has_status(self, status: str, more: str = "") -> Answer:
        """Waits until realtime has a status; gives the board."""
        return self.shows(lambda a: a.meta["rtStatus"] == status, more, f"rtStatus {status}")

    def close(self) -> None:
        self.server.__exit__()
        for producer in (self.trips, self.alerts):
            if producer:
                producer.kill_if_alive()


@once
def timetable() -> list[dict]:
    """The departures of Lausanne as the timetable has them, from the beginning on."""
    with Server(data(), now=BEGIN) as server:
        return ask(server.port, BOARD).departures


def trip(place: int) -> str:
    """The trip of a departure, by its place on the board of the timetable."""
    return timetable()[place]["trip_id"]


def later(text: str, seconds: float) -> str:
    """An instant that is so much later."""
    at = datetime.fromisoformat(text.replace("Z", "+00:00")) + timedelta(seconds=seconds)
    return at.isoformat().replace("+00:00", "Z")


STRONG_TAG = re.compile(r'"[\x21\x23-\x7e]+"')


def load_side_by_side(loader, tests, pattern):
    """The tests wait most of their time: they do it together. For ``load_tests`` of a module."""
    suite = SideBySide([tests])
    suite.most = 16
    return suite
