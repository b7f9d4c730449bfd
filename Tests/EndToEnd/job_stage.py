"""What tests of jobs share: tables, a server with jobs, a network that breaks, WebSockets by hand."""

from __future__ import annotations

import base64
import json
import os
import random
import socket
import sqlite3
import struct
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from program import PROGRAM, Server


def table(rows: int, seed: int = 1, blanks: bool = False) -> bytes:
    """A table in the form of Goodreads with books, copies, rows without a title, and rows without anything in them."""
    rng = random.Random(seed)
    lines = ["Title,Author,ISBN13,My Rating"]
    for number in range(rows):
        kind = rng.random()
        if blanks and kind < 0.02:
            lines.append(",,,")
        elif kind < 0.9:
            lines.append(f'"Book {number}, a novel","Author {number % 97}",{isbn13(number)},{number % 6}')
        elif kind < 0.95:
            lines.append(f'"","Author {number}",{isbn13(number)[:-1]}{(int(isbn13(number)[-1]) + 1) % 10},0')
        else:
            lines.append(f'"Book {max(0, number - 7)}, a novel","Author {max(0, number - 7) % 97}",,0')
    return ("\r\n".join(lines) + "\r\n").encode()


def isbn13(number: int) -> str:
    """A valid ISBN-13 for a number."""
    # Ten zeros are a number that means none.
    digits = f"978{number + 1:09d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str((10 - total % 10) % 10)


class LockedLibrary:
    """A lock on the library of a server: imports wait until it is released, and need no processor for it."""

    def __init__(self, folder: str | Path):
        self._database = sqlite3.connect(
            Path(folder) / "jobs/library.sqlite", timeout=60, isolation_level=None, check_same_thread=False
        )
        self._database.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        """Lets the imports go on; does nothing the second time."""
        self._database.close()


class JobServer(Server):
    """A server that keeps jobs in a folder."""

    def __init__(
        self, folder: str | Path, *options: str, log_level: str = "error", limits: dict[str, int] | None = None,
        environment: dict[str, str] | None = None,
    ):
        self.folder = Path(folder)
        if limits:
            settings = self.folder / "limits.json"
            settings.write_text(json.dumps({"jobs": {"limits": limits}}))
            options += ("--config", str(settings))
        super().__init__(
            self.folder / "data", "--jobs", str(self.folder / "jobs"), *options,
            now=None, log_level=log_level, environment=environment,
        )

    def ask(
        self, method: str, path: str, body: bytes | None = None, token: str | None = None,
        **fields: str,
    ) -> tuple[int, bytes, dict]:
        """Status, body and fields of an answer."""
        request = urllib.request.Request(self.url + path, data=body, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in fields.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read(), dict(answer.headers)
        except urllib.error.HTTPError as error:
            return error.code, error.read(), dict(error.headers)

    def start(self, content: bytes, pipeline: str = "csv_import", **fields: str) -> dict:
        """Starts a job."""
        fields.setdefault("Content_Type", "text/csv")
        status, body, _ = self.ask("POST", f"/v1/jobs/{pipeline}", content, **fields)
        assert status == 202, body
        return json.loads(body)

    def lock_library(self) -> LockedLibrary:
        """Makes imports wait."""
        return LockedLibrary(self.folder)

    def state(self, job: dict, after: str | None = None) -> dict:
        """The state of a job."""
        query = f"?after={after}" if after else ""
        status, body, _ = self.ask("GET", f"/v1/jobs/{job['jobId']}{query}", token=job["token"])
        assert status == 200, body
        return json.loads(body)

    def wait(self, job: dict) -> dict:
        """Waits until a job is over."""
        end = time.monotonic() + 120
        while True:
            state = self.state(job)
            if state["state"] in ("succeeded", "failed", "canceled"):
                return state
            assert time.monotonic() < end, state
            time.sleep(0.05)

    def results(self, job: dict, query: str = "") -> list[dict]:
        """All results of a job."""
        items: list[dict] = []
        after = -1
        while True:
            status, body, _ = self.ask(
                "GET", f"/v1/jobs/{job['jobId']}/results?limit=500&after={after}{query}",
                token=job["token"],
            )
            assert status == 200, body
            page = json.loads(body)
            items += page["items"]
            if "next" not in page:
                return items
            after = page["next"]

    def kill(self) -> None:
        """Ends the program without a word."""
        self.process.kill()
        self.process.wait(timeout=30)


class BrokenNetwork:
    """A proxy that refuses, ends, resets, delays, falls silent, and lets no WebSocket through if it is told so."""

    # How long a connection that fell silent stays open, in seconds: longer than a client waits for a sign of life.
    SILENCE = 90

    def __init__(self, port: int, seed: int, most: int = 1 << 30, blocks: bool = False, silent: float = 0):
        """Breaks `most` connections; `silent` is the share of them that stay open and carry nothing more."""
        self.target = port
        self.rng = random.Random(seed)
        self.most = most
        self.blocks = blocks
        self.silent = silent
        self.kinds = {"refused": 0, "ended": 0, "reset": 0, "silent": 0, "blocked": 0}
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def broken(self) -> int:
        """How many connections it broke; those that carry no WebSocket are not among them."""
        return sum(count for kind, count in self.kinds.items() if kind != "blocked")

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _connect(self) -> socket.socket:
        """A connection to the server behind it."""
        return socket.create_connection(("127.0.0.1", self.target), timeout=30)

    def _breaks(self, kind: str) -> bool:
        """Counts a break, unless there were enough."""
        with self.lock:
            if self.broken >= self.most:
                return False
            self.kinds[kind] += 1
            return True

    def _serve(self, near: socket.socket) -> None:
        if self.rng.random() < 0.05 and self._breaks("refused"):
            return near.close()
        try:
            far = self._connect()
        except OSError:
            return near.close()
        far.settimeout(None)
        state = {"silent": False, "over": False}
        if self.broken < self.most:
            life = self.rng.expovariate(1 / 0.25)
            threading.Timer(life, self._cut, args=(near, far, state)).start()
        threading.Thread(target=self._pump, args=(near, far, state, True), daemon=True).start()
        self._pump(far, near, state, False)

    def _cut(self, near: socket.socket, far: socket.socket, state: dict) -> None:
        if state["over"]:
            return
        draw = self.rng.random()
        kind = "silent" if draw < self.silent else "reset" if draw < 0.5 else "ended"
        if not self._breaks(kind):
            return
        if kind == "silent":
            state["silent"] = True
            timer = threading.Timer(self.SILENCE, self._close, args=(near, far))
            timer.daemon = True
            return timer.start()
        if kind == "reset":
            for end in (near, far):
                try:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                except OSError:
                    pass
        # Nothing is sent before a reset; a thread in recv is woken all the same.
        self._close(near, far, how=socket.SHUT_RD if kind == "reset" else socket.SHUT_RDWR)

    @staticmethod
    def _close(*ends: socket.socket, how: int = socket.SHUT_RDWR) -> None:
        for end in ends:
            try:
                end.shutdown(how)
            except OSError:
                pass
            end.close()

    def _pump(self, source: socket.socket, target: socket.socket, state: dict, outgoing: bool) -> None:
        try:
            while data := source.recv(65_536):
                if state["silent"]:
                    continue
                if outgoing and self.blocks and b"upgrade: websocket" in data.lower():
                    self.kinds["blocked"] += 1
                    source.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    break
                if self.rng.random() < 0.1:
                    time.sleep(self.rng.random() * 0.05)
                target.sendall(data)
        except OSError:
            pass
        if not state["silent"]:
            state["over"] = True
            self._close(source, target)

    def close(self) -> None:
        """Accepts no more connections."""
        self.listener.close()


class Balancer(BrokenNetwork):
    """Connects each client to the next server; breaks nothing by itself."""

    def __init__(self, servers: list[Server]):
        self.servers = servers
        self.turn = 0
        super().__init__(0, seed=0, most=0)

    @property
    def target(self) -> int:
        """The port of the next server."""
        with self.lock:
            self.turn += 1
            return self.servers[self.turn % len(self.servers)].port

    @target.setter
    def target(self, _: int) -> None:
        pass


class TokenOutage(BrokenNetwork):
    """A proxy behind which the first renewals of tokens fail, and whose connections can be ended all at once."""

    def __init__(self, port: int, failures: int):
        self.failures = failures
        self.failed = self.renewed = 0
        self.ends: list[socket.socket] = []
        super().__init__(port, seed=1, most=0)

    def _pump(self, source: socket.socket, target: socket.socket, state: dict, outgoing: bool) -> None:
        self.ends += [source, target]
        try:
            while data := source.recv(65_536):
                head = data.split(b"\r\n", 1)[0]
                if outgoing and head.startswith(b"POST ") and head.split()[1].endswith(b"/token"):
                    with self.lock:
                        self.failed += 1
                        fails = self.failed <= self.failures
                        if not fails:
                            self.failed, self.renewed = self.failures, self.renewed + 1
                    if fails:
                        # One answer that says so, and then none at all.
                        if self.failed % 2:
                            source.sendall(
                                b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                            )
                        break
                target.sendall(data)
        except OSError:
            pass
        self._close(source, target)

    def cut(self) -> None:
        """Ends every connection there is."""
        ends, self.ends = self.ends, []
        self._close(*ends)


class RawSocket:
    """A WebSocket whose frames are written by hand."""

    def __init__(self, port: int, job: dict, query: str = "", protocol: str = "freshet-auth."):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        try:
            self._begin(job, query, protocol)
        except (OSError, AssertionError):
            self.socket.close()
            raise

    def _begin(self, job: dict, query: str, protocol: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                f"GET /ws/progress?jobId={job['jobId']}{query} HTTP/1.1\r\nHost: localhost\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: {protocol}{job['token']}\r\n\r\n"
            ).encode()
        )
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            data = self.socket.recv(65_536)
            assert data, self.rest
            self.rest += data
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])
        self.head = head.decode("latin-1")

    def send(self, opcode: int, payload: bytes = b"", final: bool = True, masked: bool = True, reserved: int = 0) -> None:
        """Sends a frame."""
        frame = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
        length = len(payload)
        mark = 0x80 if masked else 0
        if length < 126:
            frame += bytes([mark | length])
        elif length < 65_536:
            frame += bytes([mark | 126]) + struct.pack(">H", length)
        else:
            frame += bytes([mark | 127]) + struct.pack(">Q", length)
        if masked:
            mask = os.urandom(4)
            frame += mask
            payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        self.socket.sendall(frame + payload)

    def _take(self, count: int) -> bytes:
        while len(self.rest) < count:
            data = self.socket.recv(65_536)
            if not data:
                raise EOFError
            self.rest += data
        part, self.rest = self.rest[:count], self.rest[count:]
        return part

    def receive(self) -> tuple[int, bytes]:
        """The next frame: opcode and payload."""
        first, second = self._take(2)
        length = second & 0x7F
        assert not second & 0x80, "a server does not mask"
        if length == 126:
            length = struct.unpack(">H", self._take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._take(8))[0]
        return first & 0x0F, self._take(length)

    def close_code(self) -> int | None:
        """Reads on until the Close; its code."""
        try:
            while True:
                opcode, payload = self.receive()
                if opcode == 8:
                    return struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
        except (EOFError, OSError):
            return None


class Watcher:
    """`freshet jobs watch` as a process of its own."""

    def __init__(self, folder: Path, name: str, job: dict, port: int):
        self.job = job
        address = f"http://127.0.0.1:{port}"
        tokens = folder / f"tokens-{name}.json"
        tokens.write_text(json.dumps([{
            "server": address, "job": job["jobId"], "token": job["token"],
            "pipeline": job["pipeline"], "name": name, "startedAt": 1,
        }]))
        # A file, because a pipe is not read while the server is killed.
        self.output = open(folder / f"messages-{name}.jsonl", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [PROGRAM, "jobs", "watch", "--json", "--server", address, "--tokens", str(tokens)],
            stdout=self.output, stderr=subprocess.PIPE, text=True,
        )

    def messages(self, timeout: float) -> list[dict]:
        """Everything it heard, once it has ended as a program whose job succeeded."""
        _, errors = self.process.communicate(timeout=timeout)
        self.output.seek(0)
        lines = self.output.read().splitlines()
        self.output.close()
        assert self.process.returncode == 0, (self.process.returncode, errors, lines[-1:])
        return [json.loads(line) for line in lines]


class LossTests(unittest.TestCase):
    """Tests of what clients hear."""

    def check_messages(self, messages: list[dict], where: str = "") -> None:
        """No event twice, none missing unless another one covers it, one end, and it comes last."""
        last = 0
        for message in messages:
            if message["type"] == "reconnected" and not message["payload"]["recovered"]:
                last = message["payload"]["lastSeq"]
            if "seq" not in message:
                continue
            self.assertGreater(message["seq"], last, where)
            if message["type"] != "job_complete":
                self.assertLessEqual(message.get("covers", message["seq"]), last + 1, where)
            last = message["seq"]
        self.assertEqual([m["type"] for m in messages].count("job_complete"), 1, where)
        self.assertEqual(messages[-1]["type"], "job_complete", where)
