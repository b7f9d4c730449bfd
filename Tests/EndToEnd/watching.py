"""Servers that are broken on purpose, and `freshet watch` looking at them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from program import PROGRAM

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell: programs that are started here must hear a Ctrl-C all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = 90
"""The longest wait for anything, in seconds: for a busy machine, and for what never comes."""


@dataclass
class Question:
    """A request as it came."""

    path: str
    fields: list[tuple[str, str]]
    connection: int
    at: float
    answered_at: float = 0.0

    def __getitem__(self, name: str) -> str | None:
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)

    @property
    def is_conditional(self) -> bool:
        return self["If-None-Match"] is not None or self["If-Modified-Since"] is not None


class Line:
    """A connection to a client."""

    def __init__(self, connection: socket.socket):
        self.socket = connection

    def send(self, content: bytes) -> bool:
        """Sends bytes; whether a peer received them."""
        try:
            self.socket.sendall(content)
        except OSError:
            return False
        return True

    def dribble(self, content: bytes, gap: float = 0.05) -> bool:
        """Sends byte by byte until all are sent or the client leaves; whether it stayed."""
        for byte in content:
            if self.left(gap) or not self.send(bytes([byte])):
                return False
        return True

    def left(self, within: float = LONGEST) -> bool:
        """Whether the client closes the connection in time."""
        self.socket.settimeout(within)
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except TimeoutError:
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(None)

    def reset(self) -> None:
        """Breaks the connection off with a RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


Answer = Callable[[Question, Line], object]
"""Gives the bytes of an answer, or sends what it likes itself; the connection is closed then."""


class Broken:
    """A server on loopback that answers as it is told, bytes and all."""

    def __init__(self, answer: Answer):
        self.answer = answer
        self.questions: list[Question] = []
        self.changed = threading.Condition()
        self.lines: set[socket.socket] = set()
        self.connections = 0
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listens, on the port it had before if it had one."""
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self.listener], daemon=True).start()

    def kill(self) -> None:
        """Stops listening and closes every connection."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.changed:
            lines = list(self.lines)
        for line in lines:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def kill_if_alive(self) -> None:
        """Stops listening, if it has not been killed already."""
        if self.listener.fileno() >= 0:
            self.kill()

    def wait_for(self, count: int, path: str | None = None) -> list[Question]:
        """The requests so far, once there are this many."""
        deadline = time.monotonic() + LONGEST
        with self.changed:
            while len(asked := [q for q in self.questions if path in (None, q.path)]) < count:
                if not self.changed.wait(max(deadline - time.monotonic(), 0)):
                    raise AssertionError(f"{len(asked)} of {count} requests came")
            return asked

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with self.changed:
                self.connections += 1
                self.lines.add(connection)
                number = self.connections
            threading.Thread(target=self._serve, args=[connection, number], daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = Line(connection)
        try:
            while question := self._read(connection, number):
                with self.changed:
                    self.questions.append(question)
                    answer = self.answer
                    self.changed.notify_all()
                content = answer(question, line)
                question.answered_at = time.monotonic()
                if not isinstance(content, bytes) or not line.send(content):
                    return
        except OSError:
            pass
        finally:
            connection.close()
            with self.changed:
                self.lines.discard(connection)

    @staticmethod
    def _read(connection: socket.socket, number: int) -> Question | None:
        head = b""
        while b"\r\n\r\n" not in head:
            part = connection.recv(65_536)
            if not part:
                return None
            head += part
        first, *rest = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        fields = [(name, value.strip()) for name, _, value in (one.partition(":") for one in rest)]
        return Question(first.split(" ")[1], fields, number, time.monotonic())


# Answers


def reply(status: str = "200 OK", body: bytes | None = b"", *fields: str) -> bytes:
    """An answer; without a body there is no Content-Length either."""
    lines = [f"HTTP/1.1 {status}", *fields]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b"")


JSON = "Content-Type: application/json"
NOT_MODIFIED = "304 Not Modified"
TOO_MANY = "429 Too Many Requests"


def forbidden(detail: str) -> bytes:
    """A 403 with a problem (RFC 9457)."""
    problem = json.dumps({"title": "Forbidden", "status": 403, "detail": detail}).encode()
    return reply("403 Forbidden", problem, "Content-Type: application/problem+json")


@dataclass
class Document:
    """A document that is served as it should be, with an entity tag where it has one."""

    body: bytes
    tag: str | None = None
    fields: list[str] = field(default_factory=lambda: [JSON])

    def __call__(self, question: Question, line: Line) -> bytes:
        fields = list(self.fields)
        if self.tag is not None:
            fields.append(f"ETag: {self.tag}")
            if question["If-None-Match"] == self.tag:
                return reply(NOT_MODIFIED, None, *fields)
        return reply("200 OK", self.body, *fields)


def always(content: bytes) -> Answer:
    """The same bytes every time."""
    return lambda question, line: content


def hanging(question: Question, line: Line) -> object:
    """Never answers."""
    return line.left()


def in_turn(*answers: Answer) -> Answer:
    """One after the other, and the last one for ever."""
    rest = list(answers)
    guard = threading.Lock()

    def answer(question: Question, line: Line) -> object:
        with guard:
            chosen = rest.pop(0) if len(rest) > 1 else rest[0]
        return chosen(question, line)

    return answer


# The program


class Watch:
    """`freshet watch` on a pipe; what it printed so far."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None):
        self.arguments = arguments
        self.process = subprocess.Popen(
            [PROGRAM, "watch", *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={**os.environ, **(environment or {})},
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.changed = threading.Condition()
        self.place = 0
        self.ended = False
        self.threads = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in [(self.process.stdout, self.lines), (self.process.stderr, self.errors)]
        ]
        for thread in self.threads:
            thread.start()

    def _read(self, stream, lines: list[str]) -> None:
        for line in stream:
            with self.changed:
                lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.ended = self.ended or stream is self.process.stdout
            self.changed.notify_all()

    def _next(self, fits: Callable[[str], object], wanted: str, within: float):
        deadline = time.monotonic() + within
        with self.changed:
            while True:
                while self.place < len(self.lines):
                    self.place += 1
                    if found := fits(self.lines[self.place - 1]):
                        return found
                left = deadline - time.monotonic()
                if self.ended or left <= 0 or not self.changed.wait(left):
                    said = "\n".join([*self.lines[-12:], *self.errors[-12:]])
                    raise AssertionError(f"{wanted} did not come: {self.arguments}\n{said}")

    def text(self, pattern: str, within: float = LONGEST) -> str:
        """The next line that has this in it."""
        return self._next(
            lambda line: line if re.search(pattern, line) else None, repr(pattern), within
        )

    def event_of(self, *names: str, within: float = LONGEST) -> dict:
        """The next event of any of these kinds; for `--json`."""
        return self._next(lambda line: (event := json.loads(line))["event"] in names and event, " or ".join(names), within)

    def event(self, name: str, /, within: float = LONGEST, **members) -> dict:
        """The next event of this kind with these members; for `--json`."""

        def fits(line: str) -> dict | None:
            try:
                event = json.loads(line)
            except json.JSONDecodeError as error:
                raise AssertionError(f"no line of JSON: {line!r} {self.errors}") from error
            is_it = event["event"] == name and all(
                event.get(member) == value for member, value in members.items()
            )
            return event if is_it else None

        return self._next(fits, f"{name} {members}", within)

    def events(self, kind: str | None = None) -> list[dict]:
        """All events so far, or those of one kind."""
        with self.changed:
            events = [json.loads(line) for line in self.lines]
        return [event for event in events if kind in (None, event["event"])]

    def signal(self, number: int) -> int:
        """Sends a signal, waits for the end and gives the exit code."""
        self.process.send_signal(number)
        return self.end()

    def end(self) -> int:
        """Waits for the end and gives the exit code."""
        code = self.process.wait(timeout=LONGEST)
        for thread in self.threads:
            thread.join(timeout=LONGEST)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.end()
        self.process.stdout.close()
        self.process.stderr.close()
