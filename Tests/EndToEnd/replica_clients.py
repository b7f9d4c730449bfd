"""Clients of replicas behind a balancer, which note what is wrong with what they see: for test_replicas."""

from __future__ import annotations

import http.client
import json
import re
import struct
import threading
from collections.abc import Iterator

from chaos import MarkedProducer
from job_stage import RawSocket
from program import LONGEST
from realtime_stage import Answer, Event, Stream, instant
from test_realtime_sharing import Client

ENDS = ("job_complete", "error")
"""The messages that end a job."""
ROWS = 450
"""The rows of a job: three batches."""


class Viewer(Client):
    """A client of boards that also compares each board with what the producer published."""

    def __init__(self, port: int, publications: MarkedProducer, has_tag: bool, has_token: bool):
        super().__init__(port, has_tag, has_token)
        self.judge = BoardJudge(publications)

    def saw(self, answer: Answer) -> None:
        board = answer.board
        # A first request may get a board of a timetable for which the publication is not yet indexed.
        has_seen = self.judge.boards > 0
        if fault := self.judge.fault(board) or (self.judge.fault_of_whole(board) if has_seen else ""):
            self.faults.append(f"{fault}: {answer.fields}")

    def has_seen(self, at: float) -> bool:
        """Whether it has seen a publication of an instant, or a later one."""
        return bool(self.seen) and instant(self.seen) >= at


class BoardJudge:
    """Compares boards, in the order of one client, with what was published: content and its instant belong together, and neither goes back."""

    def __init__(self, publications: MarkedProducer):
        self.publications = publications
        self.newest = -1
        self.boards = 0

    def fault(self, board: dict) -> str:
        """What is wrong with a board or with an event that has some of its rows; empty for nothing."""
        delays = {row["rawDelaySec"] for row in board.get("departures", []) if row.get("rawDelaySec") is not None}
        fetched = board["meta"].get("rtFetchedAt")
        if not delays or not fetched:
            return ""
        if len(delays) > 1:
            return f"rows of several publications: {sorted(delays)}"
        number = self.publications.publication(delays.pop())
        if number is None:
            return "a delay that was never published"
        before, self.newest = self.newest, max(self.newest, number)
        self.boards += 1
        if instant(fetched) != self.publications.made[number]:
            return f"publication {number} of {self.publications.made[number]} is shown as of {instant(fetched)}"
        return f"publication {number} after {before}" if number < before else ""

    @staticmethod
    def fault_of_whole(board: dict) -> str:
        """What is wrong with a board, which has rows of the publication as of which it is shown."""
        rows, fetched = board["departures"], board["meta"].get("rtFetchedAt")
        if fetched and rows and all(row.get("rawDelaySec") is None for row in rows):
            return f"no row of the publication of {fetched}"
        return ""


class StreamViewer(threading.Thread):
    """Follows a board as server-sent events, from one replica to the next.

    The id of the last event says what it has seen, so no stream begins with an older board (SR8).
    """

    def __init__(self, port: int, publications: MarkedProducer):
        super().__init__(daemon=True)
        self.port = port
        self.judge = BoardJudge(publications)
        self.events = self.streams = self.behind = 0
        self.newest = ""
        self.faults: list[str] = []
        self._ends = threading.Event()

    def run(self) -> None:
        try:
            self._run()
        except Exception as error:  # noqa: BLE001 (whatever it is, a client that stopped must not look like one that sees nothing wrong)
            self.faults.append(f"stream: {error!r}")

    def _run(self) -> None:
        last = None
        while not self._ends.wait(0.1):
            try:
                stream = Stream(self.port, last=last)
            except (OSError, http.client.HTTPException):
                continue
            try:
                if stream.answer.status != 200:
                    self.faults.append(f"the stream was answered {stream.answer.status}")
                    continue
                self.streams += 1
                self.behind += stream.answer.getheader("x-md-rt-behind") == "1"
                last = self._follow(stream, last)
            finally:
                stream.close()

    def has_seen(self, at: float) -> bool:
        """Whether it has seen a publication of an instant, or a later one."""
        return bool(self.newest) and instant(self.newest) >= at

    def _follow(self, stream: Stream, last: str | None) -> str | None:
        began = last
        for event in self._heard(stream):
            last = event.id or last
            if event.name not in ("snapshot", "change", "verified"):
                continue
            self.events += 1
            if fault := self.judge.fault(event.data):
                self.faults.append(f"stream: {fault}, as {event.name} {event.id}, begun after {began}")
            fetched = event.data["meta"].get("rtFetchedAt") or ""
            if fetched < self.newest:
                self.faults.append(f"stream: {fetched} after {self.newest}, as {event.name} {event.id}, begun after {began}")
            self.newest = max(self.newest, fetched)
        return last

    def _heard(self, stream: Stream) -> Iterator[Event]:
        place = 0
        while not self._ends.is_set():
            with stream.changed:
                stream.changed.wait_for(lambda: len(stream.events) > place or stream.ended_at, timeout=0.5)
                events, is_over = stream.events[place:], stream.ended_at is not None
            place += len(events)
            yield from events
            if is_over and place == len(stream.events):
                return

    def stop(self) -> None:
        """Ends it."""
        self._ends.set()
        self.join(timeout=LONGEST)


class Job:
    """A job that a client starts, as often as it has to, with one key."""

    def __init__(self, number: int, rows: int = ROWS):
        self.key = f"key-{number}"
        self.titles = [f"Title {number} {row}" for row in range(rows)]
        self.id = self.token = ""
        self.followers: list[Follower] = []
        self.is_followed = threading.Event()

    @property
    def fields(self) -> dict[str, str]:
        """The job as the answer to its start says it."""
        return {"jobId": self.id, "token": self.token}

    @property
    def table(self) -> bytes:
        """A table of books that no other job has."""
        lines = [f"{title},Author {place % 50},{place % 5 + 1}" for place, title in enumerate(self.titles)]
        return ("Title,Author,My Rating\n" + "\n".join(lines) + "\n").encode()

    def post(self, port: int) -> tuple[int, dict[str, str], bytes]:
        """Asks for the start: status, fields and body of the answer."""
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            line.request("POST", "/v1/jobs/csv_import", self.table, {"Content-Type": "text/csv", "Idempotency-Key": self.key})
            answer = line.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        except http.client.HTTPException as error:
            raise ConnectionError(f"no answer: {error}") from error
        finally:
            line.close()


class Follower(threading.Thread):
    """Follows a job through the balancer to its end, reconnects after its last event, and notes what is wrong with the events."""

    def __init__(self, port: int, job: Job):
        super().__init__(daemon=True)
        self.port = port
        self.job = job
        self.last = ""
        self.seq = self.ends = self.connections = self.refusals = 0
        self.faults: list[str] = []
        self._ends = threading.Event()

    def run(self) -> None:
        while not self._ends.is_set():
            try:
                if self.connect():
                    return
            except (OSError, EOFError, http.client.HTTPException):
                pass  # The replica was killed, or the balancer found none.
            self._ends.wait(0.05)

    def connect(self) -> bool:
        """Follows over one connection; returns whether the server says that there is nothing more."""
        raise NotImplementedError

    def take(self, text: bytes | str) -> None:
        """Compares a message with those before it."""
        message = json.loads(text)
        if message["type"] == "reconnected" and not message["payload"]["recovered"]:
            self.faults.append(f"{self.job.key}: the state in place of events: {message}")
        if "seq" not in message:
            return
        if self.ends:
            self.faults.append(f"{self.job.key}: {message} after the end")
        # Progress that was not read gives way to newer progress, which says what it covers.
        if message["seq"] <= self.seq or message.get("covers", message["seq"]) > self.seq + 1:
            self.faults.append(
                f"{type(self).__name__}: {self.job.key}: {message['seq']} after {self.seq}, over connection {self.connections}")
        self.seq = message["seq"]
        self.last = f"{message['epoch']}.{message['seq']}"
        self.ends += message["type"] in ENDS

    def refused(self, status: int, retry_after: str | None) -> None:
        """Notes an answer without content: only 503, which says when to come back."""
        self.refusals += 1
        if status != 503 or not retry_after:
            self.faults.append(f"{self.job.key}: {status}, Retry-After {retry_after}")
        self._ends.wait(0.3)

    def stop(self) -> None:
        """Ends it."""
        self._ends.set()


class StreamFollower(Follower):
    """Follows over server-sent events until the answer is 204."""

    def connect(self) -> bool:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            fields = {"Authorization": f"Bearer {self.job.token}", **({"Last-Event-ID": self.last} if self.last else {})}
            line.request("GET", f"/v1/jobs/{self.job.id}/events", headers=fields)
            answer = line.getresponse()
            if answer.status == 204:
                return True
            if answer.status != 200:
                self.refused(answer.status, answer.getheader("Retry-After"))
                return False
            self.connections += 1
            while text := answer.readline():
                if text.startswith(b"data:"):
                    self.take(text[5:])
            return False
        finally:
            line.close()


class SocketFollower(Follower):
    """Follows over a WebSocket until it is closed after the end."""

    def connect(self) -> bool:
        line = self._open()
        try:
            if line.status != 101:
                self.refused(line.status, (re.findall(r"(?im)^retry-after: *(\S+)", line.head) or [None])[0])
                return False
            self.connections += 1
            while True:
                opcode, payload = line.receive()
                if opcode == 1:
                    self.take(payload)
                elif opcode == 9:
                    line.send(10, payload)
                elif opcode == 8:
                    return struct.unpack(">H", payload[:2])[0] == 1000
        finally:
            line.socket.close()

    def _open(self) -> RawSocket:
        try:
            return RawSocket(self.port, self.job.fields, f"&after={self.last}" if self.last else "")
        except AssertionError as error:
            raise ConnectionError("the connection ended within the handshake") from error
