"""What every server does with connections: slow, silent, greedy and malformed ones, and those that are idle by nature."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import subprocess
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from job_stage import JobServer, RawSocket, table
from program import LAB, PROGRAM, Folder, Server, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import repository

#: Short enough to be waited for.
LIMITS = {
    "idleSeconds": 2, "stalledSeconds": 3, "closeSeconds": 1, "bodyBytesPerSecond": 1_000, "bodySlackSeconds": 1,
    "unreadBytes": 100_000,
}
#: For what has nothing to do with time: a busy machine may be slow.
PATIENT = {"idleSeconds": 120}
KINDS = ("boards", "workspaces", "jobs")
#: Longer than each limit, and much shorter than the usual ones.
LONG = 40


class Peer:
    """A client that is in no hurry, and reads what it is told to."""

    def __init__(self, port: int, small: bool = False):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.socket.settimeout(LONG)
        self.socket.connect(("127.0.0.1", port))
        self.text = b""

    def send(self, text: str | bytes) -> bool:
        """Whether the other side still takes something."""
        try:
            self.socket.sendall(text.encode() if isinstance(text, str) else text)
            return True
        except OSError:
            return False

    def answer(self) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and fields of the next final response; its length is known."""
        while b"\r\n\r\n" not in self.text:
            part = self.socket.recv(65_536)
            assert part, self.text
            self.text += part
        head, self.text = self.text.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(fields.get("content-length", "0"))
        while len(self.text) < length:
            self.text += self.socket.recv(65_536)
        body, self.text = self.text[:length], self.text[length:]
        return int(lines[0].split()[1]), body, fields

    def ended(self) -> bool:
        """Reads to the end of the connection; a client that waited too long is told by an error."""
        try:
            while self.socket.recv(65_536):
                pass
        except ConnectionError:
            pass
        return True

    def is_open(self) -> bool:
        """Whether the connection is open; what was sent on it is thrown away."""
        self.socket.settimeout(0.05)
        try:
            while self.socket.recv(65_536):
                pass
            return False
        except TimeoutError:
            return True
        except ConnectionError:
            return False
        finally:
            self.socket.settimeout(LONG)

    def dribble(self) -> bool:
        """Sends a byte now and then until the connection ends; whether it does."""
        end = time.monotonic() + LONG
        self.socket.settimeout(0.1)
        while time.monotonic() < end:
            if not self.send("x"):
                return True
            try:
                if self.socket.recv(65_536) == b"":
                    return True
            except TimeoutError:
                pass
            except ConnectionError:
                return True
        return False


class ConnectionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.root = self.folder.path.resolve() / "work"

    @contextmanager
    def serve(self, kind: str, limits: dict[str, int] | None = None):
        """A server of a kind with limits of its own."""
        settings = self.folder / f"{kind}.json"
        settings.write_text(json.dumps({"limits": limits or LIMITS}))
        options = ["--config", str(settings)]
        if kind == "workspaces":
            if not self.root.exists():
                repository(self.root / "main")
            options += ["--workspaces", str(self.root)]
        if kind == "jobs":
            options += ["--jobs", str(self.folder / "jobs")]
        with Server(self.folder / "data", *options, now=None) as server:
            yield server

    def peer(self, server: Server, small: bool = False) -> Peer:
        peer = Peer(server.port, small)
        self.addCleanup(peer.socket.close)
        return peer

    def count(self, server: Server, reason: str) -> int:
        """How many connections were ended for a reason."""
        peer = self.peer(server)
        peer.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        text = peer.answer()[1].decode()
        peer.socket.close()
        return int(re.search(rf'freshet_connections_ended_total{{reason="{reason}"}} (\d+)', text).group(1))


class EveryServerTests(ConnectionTest):
    def slow_clients(self, server: Server) -> list[tuple[str, Peer]]:
        """Clients that each send a byte now and then from where they are."""
        question = "GET /version.json HTTP/1.1\r\nHost: localhost\r\n"
        clients = [("a head", self.peer(server)), ("a second head", self.peer(server)), ("unwanted content", self.peer(server))]
        head, second, content = (peer for _, peer in clients)
        head.send("GET / HTTP/1.1\r\nHost: ")
        second.send(question + "\r\n")
        self.assertEqual(second.answer()[0], 200)
        second.send("GET / HTTP/1.1\r\nHost: ")
        content.send(question + "Content-Length: 100000\r\n\r\n")
        self.assertEqual(content.answer()[0], 200)
        return clients

    def test_too_few_open_files_are_told_at_the_start(self):
        """With 32 the server died without a word."""
        words = re.compile(r"this process may have only (\d+) open files; it needs at least (\d+) \(ulimit -n\)")

        def start(files: int, *arguments: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
            return subprocess.run(["sh", "-c", f'ulimit -n {files}; exec "$0" "$@"', program, *arguments],
                                  capture_output=True, text=True, timeout=120, check=False)

        serve = ("serve", "--data", str(self.folder / "data"), "--port", "0")
        answer = start(32, *serve)
        self.assertEqual(answer.returncode, 71, answer.stderr)
        least = int(words.search(answer.stderr)[2])
        for program, command in ((PROGRAM, serve), (LAB, ("feed", *serve[1:]))):
            answer = start(least - 1, *command, program=program)
            self.assertEqual(answer.returncode, 71, answer.stderr)
            self.assertRegex(answer.stderr, words)
        answer = start(12, "board", "x", "--once", "--server", "http://127.0.0.1:9")
        self.assertEqual(answer.returncode, 71, answer.stderr)
        self.assertRegex(answer.stderr, words)
        # With just enough, all services answer while idle connections take all that they may.
        few = self.folder / "few"
        few.write_text(f'#!/bin/sh\nulimit -n {least}\nexec "{PROGRAM}" "$@"\n')
        few.chmod(0o755)
        repository(self.root / "main")
        options = ["--workspaces", str(self.root), "--jobs", str(self.folder / "jobs")]
        with Server(self.folder / "data", *options, now=None, program=few) as server:
            peers = [self.peer(server) for _ in range(60)]
            for path in ("/version.json", "/v1/git/worktrees", "/v1/capabilities"):
                client = self.peer(server)
                client.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertEqual(client.answer()[0], 200, path)
            self.assertEqual(len(peers), 60)
            self.assertEqual(server.stop(), 0)

    def test_idle_connections_keep_no_client_out_and_no_descriptor_from_the_server(self):
        """More of them than the process may have files open, and board after board is answered."""
        few = self.folder / "few-files"
        few.write_text(f'#!/bin/sh\nulimit -n 256\nexec "{PROGRAM}" "$@"\n')
        few.chmod(0o755)
        settings = self.folder / "few.json"
        settings.write_text(json.dumps({"limits": PATIENT}))
        options = ["--config", str(settings), "--jobs", str(self.folder / "jobs")]
        with Server(self.folder / "data", *options, now=None, program=few, log_level="notice") as server:
            self.assertIn("ulimit -n", "".join(server.log), "the lower limit is told")
            idle = []
            for _ in range(600):
                idle.append(Peer(server.port))
                if len(idle) % 40 == 0:
                    self.assertEqual(server.get("/api/stationboard?stop_id=any")[1]["error"], "no_timetable")
            with urllib.request.urlopen(server.url + "/metrics", timeout=LONG) as answer:
                metrics = answer.read().decode()
            self.assertLessEqual(int(re.search(r"^freshet_connections (\d+)", metrics, re.MULTILINE)[1]), 64)
            ended = re.search(r'^freshet_connections_ended_total\{reason="crowded"\} (\d+)', metrics, re.MULTILINE)
            self.assertGreater(int(ended[1]), 500)
            # One that has a request in progress is not idle.
            self.assertTrue(idle[-1].send("POST /v1/jobs/csv_import HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"))
            self.assertEqual(server.stop(), 0, "".join(server.log))
            for peer in idle:
                peer.socket.close()

    def test_a_client_that_sends_slowly_or_nothing_is_left(self):
        for kind in KINDS:
            with self.serve(kind) as server, ThreadPoolExecutor() as threads:
                ends = {name: threads.submit(peer.dribble) for name, peer in self.slow_clients(server)}
                ends["nothing"] = threads.submit(self.peer(server).ended)
                for name, end in ends.items():
                    self.assertTrue(end.result(), f"{kind}: {name}")
                # The first head and nothing at all.
                self.assertEqual(self.count(server, "no_request"), 2)
                self.assertEqual(self.count(server, "slow_body"), 1)

    def test_a_client_that_sends_without_end_is_left(self):
        for kind in KINDS:
            with self.subTest(kind), self.serve(kind) as server:
                peer = self.peer(server)
                peer.send("GET /version.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000000\r\n\r\n")
                self.assertEqual(peer.answer()[0], 200)
                sent = 0
                while sent < 500_000_000 and peer.send(b"x" * 65_536):
                    sent += 65_536
                self.assertLess(sent, 100_000_000)
                self.assertEqual(self.count(server, "unread_body"), 1)

    def test_a_client_that_takes_nothing_is_left(self):
        # As usual a stall is noticed before an idle connection would be.
        limits = {**LIMITS, "idleSeconds": LONG}
        for kind in KINDS:
            with self.subTest(kind), self.serve(kind, limits) as server:
                peer = self.peer(server, small=True)
                question = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                peer.send(question)
                length = len(peer.answer()[1])
                # More than the buffers of the system take.
                peer.send(question * (40_000_000 // length))
                until(lambda: self.count(server, "stalled") == 1)
                self.assertTrue(peer.ended())

    def test_what_is_not_a_request_is_answered(self):
        cases = {
            "no request": "GARBAGE\r\n\r\n",
            "a long field": f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 20_000}\r\n\r\n",
            "many fields": f"GET / HTTP/1.1\r\nHost: localhost\r\n{''.join(f'X{n}: x' + chr(13) + chr(10) for n in range(200))}\r\n",
        }
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for name, text in cases.items():
                    for before in (0, 1):
                        with self.subTest(kind, case=name, before=before):
                            peer = self.peer(server)
                            for _ in range(before):
                                peer.send("GET /version.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                self.assertEqual(peer.answer()[0], 200)
                            peer.send(text)
                            status, _, fields = peer.answer()
                            self.assertEqual((status, fields.get("connection")), (400, "close"))
                            self.assertTrue(peer.ended())

    def test_a_request_has_one_host_and_a_valid_one(self):
        good = ("localhost", "127.0.0.1:80", "[::1]:80", "localhost:")
        bad = ((), ("localhost", "localhost"), ("localhost", "evil.example"), ("a b",), ("evil@localhost",), ("localhost:x",),
               ("localhost/",), ("[::1",), ("%zz",), ("?",))
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for path in ("/version.json", "/v1/capabilities", "/v1/git/worktrees", "/nothing"):
                    for hosts in bad:
                        with self.subTest(kind, path=path, hosts=hosts):
                            peer = self.peer(server)
                            fields = "".join(f"Host: {host}\r\n" for host in hosts)
                            peer.send(f"GET {path} HTTP/1.1\r\n{fields}\r\n")
                            status, body, _ = peer.answer()
                            self.assertEqual((status, json.loads(body)["error"]), (400, "invalid_host"))
                for host in good:
                    peer = self.peer(server)
                    peer.send(f"GET /version.json HTTP/1.1\r\nHost: {host}\r\n\r\n")
                    self.assertEqual(peer.answer()[0], 200, host)
                # HTTP/1.0 knew no Host.
                peer = self.peer(server)
                peer.send("GET /version.json HTTP/1.0\r\n\r\n")
                self.assertEqual(peer.answer()[0], 200)

    def test_only_so_many_connections_are_let_in(self):
        for kind in KINDS:
            with self.subTest(kind), self.serve(kind, {"connections": 3}) as server:
                question = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
                inside = []
                for _ in range(3):
                    # Content that does not come: no idle connection, which would make room for others.
                    inside.append(self.peer(server))
                    inside[-1].send(question + "Content-Length: 9\r\n\r\n")
                    text = inside[-1].answer()[1].decode()
                self.assertIn("\nfreshet_connections 3\n", text)
                question += "\r\n"
                waiting = self.peer(server)
                waiting.send(question)
                self.assertTrue(waiting.is_open())
                waiting.socket.settimeout(0.5)
                with self.assertRaises(TimeoutError):
                    waiting.socket.recv(1)
                waiting.socket.settimeout(LONG)
                inside[0].socket.close()
                self.assertEqual(waiting.answer()[0], 200)

    def test_a_limit_that_there_is_not_ends_the_start(self):
        settings = self.folder / "freshet.json"
        for limits, place in (({"conections": 1}, "$.limits.conections"), ({"connections": 0}, "$.limits.connections")):
            settings.write_text(json.dumps({"limits": limits}))
            answer = run("serve", "--data", str(self.folder / "data"), "--port", "0", "--config", str(settings))
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(place, answer.stderr)


class IdleByNatureTests(ConnectionTest):
    """Every wait here is longer than each limit."""

    def test_waits_and_streams_of_workspaces_live_on(self):
        with self.serve("workspaces") as server:
            stream = self.peer(server)
            stream.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            peer = self.peer(server)
            peer.send("GET /v1/git/worktrees HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status, _, fields = peer.answer()
            self.assertEqual(status, 200)
            # What is still being found out is news too.
            for _ in range(10):
                began = time.monotonic()
                peer.send(
                    "GET /v1/git/worktrees HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=6\r\n"
                    f"If-None-Match: {fields['etag']}\r\n\r\n"
                )
                status, _, fields = peer.answer()
                if status == 304:
                    break
            self.assertEqual(status, 304)
            self.assertGreater(time.monotonic() - began, 5)
            self.assertTrue(stream.is_open())

    def test_sockets_and_streams_of_jobs_live_on(self):
        settings = self.folder / "limits.json"
        settings.write_text(json.dumps({"limits": LIMITS, "jobs": {"limits": {"heartbeatSeconds": 20}}}))
        server = JobServer(self.folder.path, "--config", str(settings))
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        # Its library is locked, so that the job waits.
        server.wait(server.start(table(1)))
        other = sqlite3.connect(self.folder / "jobs" / "library.sqlite", isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        job = server.start(table(300, seed=2))
        listener = RawSocket(server.port, job)
        self.addCleanup(listener.socket.close)
        self.assertEqual(listener.status, 101)
        stream = self.peer(server)
        stream.send(
            f"GET /v1/jobs/{job['jobId']}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {job['token']}\r\n\r\n"
        )
        time.sleep(6)
        self.assertTrue(stream.is_open())
        other.execute("ROLLBACK")
        self.assertEqual(listener.close_code(), 1_000)
        self.assertEqual(server.wait(job)["state"], "succeeded")


if __name__ == "__main__":
    unittest.main()
