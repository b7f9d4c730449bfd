"""Many at once: sockets on one job, jobs with a socket each, clients that read nothing, uploads that dribble.

FRESHET_JOB_SOCKETS and FRESHET_JOBS_AT_ONCE make it as many as one likes.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import resource
import socket as stack_socket
import struct
import tempfile
import threading
import time
import unittest
from pathlib import Path

from job_stage import JobServer, LockedLibrary, RawSocket, table
from program import until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

SOCKETS = int(os.environ.get("FRESHET_JOB_SOCKETS", sized("60", long="1000")))
JOBS = int(os.environ.get("FRESHET_JOBS_AT_ONCE", sized("12", long="100")))
VERSIONS = ("1", "2", "2.4")


def resident(server: JobServer, field: str = "VmRSS") -> float:
    """Memory of the server in megabytes; with VmHWM, the most it ever had."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+)", text).group(1)) * 1024 / 1e6


def handshake(server: JobServer, job: dict, version: str) -> bytes:
    """A request that opens a socket."""
    return (
        f"GET /ws/progress?jobId={job['jobId']}&version={version} HTTP/1.1\r\nHost: localhost\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
        f"Authorization: Bearer {job['token']}\r\n\r\n"
    ).encode()


async def listen(server: JobServer, job: dict, version: str, opened: asyncio.Event) -> tuple[str, dict, int, int]:
    """Listens to the end: the kind of the last message, its payload, how many messages, and the code of the close."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(handshake(server, job, version))
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 101 " in head, head
    opened.set()
    last, final, count = 0, {}, 0
    while True:
        first, second = await reader.readexactly(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", await reader.readexactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", await reader.readexactly(8))[0]
        payload = await reader.readexactly(size)
        opcode = first & 0x0F
        if opcode == 8:
            writer.close()
            return final["type"], final["payload"], count, struct.unpack(">H", payload[:2])[0]
        if opcode == 9:
            writer.write(bytes([0x8A, 0x80 | size]) + bytes(4) + payload)
        if opcode == 1:
            message = json.loads(payload)
            if message["type"] == "reconnected":
                last = message["payload"]["lastSeq"]
            if "seq" in message:
                assert message["seq"] > last and message.get("covers", message["seq"]) <= last + 1, (last, message)
                assert not final, "something came behind the end"
                last, count = message["seq"], count + 1
                if message["type"] in ("job_complete", "error"):
                    final = message


def setUpModule():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8_192)), hard))


class CrowdTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def serve(self, *options: str, **limits: int) -> JobServer:
        server = JobServer(self.folder, *options, limits=limits)
        self.addCleanup(server.__exit__)
        return server

    def lock(self, server: JobServer) -> LockedLibrary:
        """Makes imports wait."""
        library = server.lock_library()
        self.addCleanup(library.release)
        return library

    def test_many_sockets_on_one_job_all_end_with_its_end(self):
        server = self.serve("--jobs-running", "1")
        # Until all listen, the job waits.
        library = self.lock(server)
        job = server.start(table(sized(1_200, long=5_000), seed=2))
        empty = resident(server)

        async def crowd():
            events = [asyncio.Event() for _ in range(SOCKETS)]
            tasks = [asyncio.create_task(listen(server, job, VERSIONS[n % 3], events[n])) for n in range(SOCKETS)]
            await asyncio.gather(*(event.wait() for event in events))
            full = await asyncio.to_thread(resident, server)
            library.release()
            began = time.monotonic()
            found = await asyncio.wait_for(asyncio.gather(*tasks), 300)
            return full, found, time.monotonic() - began

        full, found, seconds = asyncio.run(crowd())
        self.assertEqual({(kind, code) for kind, _, _, code in found}, {("job_complete", 1000)})
        ends = {json.dumps({key: value for key, value in payload.items() if key != "expiresAt"}, sort_keys=True)
                for number, (_, payload, _, _) in enumerate(found) if number % 3}
        self.assertEqual(len(ends), 1, "all who hear of a summary hear of the same")
        rates = {payload["successRate"] for number, (_, payload, _, _) in enumerate(found) if number % 3 == 0}
        summary = json.loads(ends.pop())["summary"]
        self.assertEqual(rates, {f"{summary['successCount']}/{summary['totalProcessed']}"})
        most = resident(server, "VmHWM")
        print(f"\n{SOCKETS} sockets on one job: {empty:.0f} MB before, {full:.0f} MB with all of them, {most:.0f} MB at "
              f"most; {sum(count for _, _, count, _ in found)} messages; the end came after {seconds:.1f} s")
        # What all get is there once, and a socket itself is small.
        self.assertLess(most - empty, 60 + SOCKETS * 0.2)
        self.assertEqual(server.stop(), 0)

    def test_many_jobs_at_once_all_end_over_sockets(self):
        server = self.serve()
        began = time.monotonic()
        jobs = [server.start(table(200, seed=seed, blanks=True)) for seed in range(JOBS)]

        async def crowd():
            return await asyncio.wait_for(
                asyncio.gather(*(listen(server, job, "2.4", asyncio.Event()) for job in jobs)), 300
            )

        found = asyncio.run(crowd())
        for kind, payload, _, code in found:
            self.assertEqual((kind, code), ("job_complete", 1000))
            self.assertEqual(sum(payload["counts"].values()), 200)
        print(f"\n{JOBS} jobs at once: {time.monotonic() - began:.1f} s, {resident(server, 'VmHWM'):.0f} MB at most")
        for job in jobs:
            self.assertEqual(len(server.results(job)), 200)
        self.assertEqual(server.stop(), 0)

    def test_clients_that_read_nothing_cost_little_and_delay_no_other(self):
        count = max(20, SOCKETS // 5)
        server = self.serve("--jobs-running", "1", heartbeatSeconds=1)
        # It waits, so that there is time to be silent in; two more are read without a wait.
        library = self.lock(server)
        before = [server.start(table(300, seed=seed)) for seed in range(2)]
        job = server.start(table(sized(2_500, long=8_000), seed=3))
        silent = []
        empty = resident(server)
        for number in range(count):
            peer = stack_socket.socket()
            peer.setsockopt(stack_socket.SOL_SOCKET, stack_socket.SO_RCVBUF, 4_096)
            peer.connect(("127.0.0.1", server.port))
            self.addCleanup(peer.close)
            # The longest messages there are: completions with all books in them.
            if number % 2:
                peer.sendall(handshake(server, job, "1"))
            else:
                peer.sendall(
                    f"GET /v1/jobs/{job['jobId']}/events?version=1 HTTP/1.1\r\nHost: localhost\r\n"
                    f"Authorization: Bearer {job['token']}\r\n\r\n".encode()
                )
            silent.append(peer)

        def listening(transport: str) -> int:
            text = server.ask("GET", "/metrics")[1].decode()
            return int(re.search(rf'^freshet_job_listeners{{transport="{transport}"}} (\d+)$', text, re.M).group(1))

        until(lambda: listening("websocket") + listening("sse") == count)
        # Some heartbeats, which are not answered.
        time.sleep(3)
        library.release()
        began = time.monotonic()

        async def read():
            every = [listen(server, each, "2", asyncio.Event()) for each in [*before, job]]
            return await asyncio.wait_for(asyncio.gather(*every), 300)

        self.assertEqual({(kind, code) for kind, _, _, code in asyncio.run(read())}, {("job_complete", 1000)})
        seconds = time.monotonic() - began
        # In the end those with sockets are let go, though none of them ever said anything.
        until(lambda: listening("websocket") == 0)
        most = resident(server, "VmHWM")
        print(f"\n{count} clients that read nothing: {empty:.0f} MB before, {most:.0f} MB at most; "
              f"those that read had all ends after {seconds:.1f} s")
        self.assertLess(most - empty, 60 + count * 0.4)
        text = server.ask("GET", "/metrics")[1].decode()
        # Too slow, or done if the system took all that there was to send.
        closes = re.findall(r'^freshet_job_socket_closes_total{code="(?:1000|4430)"} (\d+)$', text, re.M)
        self.assertGreaterEqual(sum(map(int, closes)), count // 2 + len(before) + 1)
        # They do not hold up the end of the server either.
        server.process.terminate()
        server.process.wait(timeout=60)

    def test_a_client_that_leaves_in_whatever_way_makes_room(self):
        server = self.serve("--jobs-running", "1", listenersOfJob=8, listeners=12)
        self.lock(server)
        job = server.start(table(10))

        def stream(_: int) -> None:
            peer = stack_socket.create_connection(("127.0.0.1", server.port), timeout=30)
            peer.sendall(
                f"GET /v1/jobs/{job['jobId']}/events HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {job['token']}\r\n\r\n".encode()
            )
            self.assertIn(b" 200 ", peer.recv(65_536))
            peer.close()

        def socket(number: int) -> None:
            peer = RawSocket(server.port, job)
            self.assertEqual(peer.status, 101)
            if number % 4 == 0:
                peer.send(8, struct.pack(">H", 1000))
                peer.close_code()
            elif number % 4 == 1:
                peer.send(3, b"wrong")
                peer.close_code()
            elif number % 4 == 2:
                peer.socket.sendall(b"\x81")
            peer.socket.close()

        for way in (socket, stream):
            for number in range(40):
                end = time.monotonic() + 120
                # A place is free again as soon as the server has noticed.
                while True:
                    try:
                        way(number)
                        break
                    except AssertionError:
                        if time.monotonic() > end:
                            raise
                        time.sleep(0.05)


class UploadTests(unittest.TestCase):
    """Three kinds of clients, each for longer than an upload may be silent."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # As the usual limits, but for less time. One address may take all places here.
        limits = {"uploadBytesPerSecond": 4_096, "uploadSlackSeconds": 6, "uploadSeconds": 60, "uploadWaitSeconds": 1}
        self.server = JobServer(folder.name, "--no-fair-admission", limits=limits)
        self.addCleanup(self.server.__exit__)
        _, body, _ = self.server.ask("GET", "/v1/capabilities")
        self.limits = json.loads(body)["limits"]["jobs"]

    def begin(self, length: int) -> stack_socket.socket:
        """Begins an upload."""
        peer = stack_socket.create_connection(("127.0.0.1", self.server.port), timeout=90)
        self.addCleanup(peer.close)
        peer.sendall(
            f"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
            f"Content-Length: {length}\r\n\r\n".encode()
        )
        return peer

    def answer(self, peer: stack_socket.socket) -> tuple[int, dict]:
        """Status and body of an answer with a known length."""
        text = b""
        while b"\r\n\r\n" not in text:
            part = peer.recv(65_536)
            assert part, text
            text += part
        head, body = text.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"content-length: (\d+)", head.lower()).group(1))
        while len(body) < length:
            body += peer.recv(65_536)
        return int(head.split()[1]), json.loads(body)

    def test_uploads_that_dribble_end_and_slow_ones_pass(self):
        slack, rate = self.limits["uploadSlackSeconds"], self.limits["uploadBytesPerSecond"]
        dribbling = [self.begin(1 << 20) for _ in range(self.limits["uploads"] - 1)]
        answers: dict[int, tuple] = {}

        def dribble(number: int, peer: stack_socket.socket) -> None:
            # One in two sends nearly everything at once and then waits with the rest.
            if number % 2:
                peer.sendall(b"x" * ((1 << 20) - 100))
            try:
                for _ in range(60):
                    peer.sendall(b"x")
                    peer.settimeout(1)
                    try:
                        if peer.recv(1, stack_socket.MSG_PEEK):
                            break
                    except TimeoutError:
                        pass
                peer.settimeout(120)
                answers[number] = (*self.answer(peer), time.monotonic())
                # The connection ends too, though the client goes on.
                peer.sendall(b"x")
                while peer.recv(65_536):
                    pass
                answers[number] += (time.monotonic(),)
            except OSError as error:
                if number in answers:
                    answers[number] += (time.monotonic(),)
                else:
                    answers[number] = (0, str(error), 0, 0)

        content = table(rate * slack * 2 // 45)
        slow: dict[str, object] = {}
        has_begun = threading.Event()

        def phone() -> None:
            peer = self.begin(len(content))
            began = time.monotonic()
            # A little faster than the least, with a pause in the middle; on a busy machine too, so by the clock.
            due = began
            for place in range(0, len(content), rate // 2):
                time.sleep(max(0, due - time.monotonic()))
                peer.sendall(content[place:place + rate // 2])
                has_begun.set()
                due += 3 if place == rate * 4 else 0.42
            slow["answer"] = self.answer(peer)
            slow["seconds"] = time.monotonic() - began

        began = time.monotonic()
        threads = [threading.Thread(target=dribble, args=(n, peer)) for n, peer in enumerate(dribbling)]
        threads.append(threading.Thread(target=phone))
        for thread in threads:
            thread.start()
        has_begun.wait(60)
        time.sleep(1)
        # All places are taken: that is said, and when to come back.
        refused: list[tuple[int, bytes, dict]] = []

        def is_refused() -> bool:
            refused.append(self.server.ask("POST", "/v1/jobs/csv_import", table(5), Content_Type="text/csv"))
            return refused[-1][0] != 202

        until(is_refused)
        status, body, fields = refused[-1]
        self.assertEqual((status, json.loads(body)["error"]), (503, "busy"))
        self.assertIn("Retry-After", fields)
        for thread in threads:
            thread.join(300)
        for number in range(len(dribbling)):
            status, body, told, ended = answers[number]
            self.assertEqual((status, body["error"]), (408, "too_slow"), body)
            self.assertGreater(told - began, slack - 1)
            # A connection that stays open ends after 120 s, on this side.
            self.assertLess(ended - told, 100)
        status, job = slow["answer"]
        self.assertEqual(status, 202, job)
        self.assertGreater(slow["seconds"], slack)
        self.assertEqual(self.server.wait(job)["state"], "succeeded")
        # The places are free again.
        self.server.wait(self.server.start(table(5)))
        _, text, _ = self.server.ask("GET", "/metrics")
        self.assertIn(f'freshet_job_starts_total{{outcome="too_slow"}} {len(dribbling)}', text.decode())


if __name__ == "__main__":
    unittest.main()
