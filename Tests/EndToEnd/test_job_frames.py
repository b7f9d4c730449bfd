"""The server's WebSockets frame by frame (RFC 6455)."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import struct
import tempfile
import time
import unittest

import frame_model
from job_stage import JobServer, RawSocket, table
from program import until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

try:
    import websockets
except ImportError:  # Debian's own Python has it: python3-websockets
    websockets = None

FUZZ = int(os.environ.get("FRESHET_FRAME_FUZZ", sized("60", long="3000")))


def setUpModule():
    """A server with jobs that wait, so that their sockets stay open."""
    global folder, server, job, library
    folder = tempfile.TemporaryDirectory()
    # The one job that runs waits for the library, and the others for this job.
    server = JobServer(folder.name, "--jobs-running", "1", limits={"lockedSeconds": 3_600})
    library = server.lock_library()
    server.start(table(1))
    job = server.start(table(10))


def tearDownModule():
    server.__exit__()
    library.release()
    folder.cleanup()


class FrameTests(unittest.TestCase):
    def socket(self) -> RawSocket:
        """A socket of a job that waits."""
        socket = RawSocket(server.port, job)
        self.assertEqual(socket.status, 101)
        self.addCleanup(socket.socket.close)
        return socket

    def answer(self, socket: RawSocket) -> dict:
        """The next message that is not an event."""
        while True:
            opcode, payload = socket.receive()
            if opcode == 1:
                message = json.loads(payload)
                if message["type"] in ("ready_ack", "pong", "notice"):
                    return message

    def test_a_message_in_fragments_with_control_frames_between(self):
        socket = self.socket()
        text = b'{"type":"ready"}'
        socket.send(1, text[:5], final=False)
        socket.send(9, b"still there?")
        socket.send(0, text[5:9], final=False)
        socket.send(10, b"unsolicited")
        socket.send(0, text[9:])
        opcode, payload = socket.receive()
        while opcode != 10:
            opcode, payload = socket.receive()
        self.assertEqual(payload, b"still there?")
        self.assertEqual(self.answer(socket)["type"], "ready_ack")

    def test_what_breaks_the_protocol_has_its_code(self):
        cases = [
            ("not masked", 1002, lambda s: s.send(1, b"{}", masked=False)),
            ("a reserved bit", 1002, lambda s: s.send(1, b"{}", reserved=4)),
            ("a reserved opcode", 1002, lambda s: s.send(3, b"{}")),
            ("a reserved control opcode", 1002, lambda s: s.send(11, b"")),
            ("a fragmented ping", 1002, lambda s: s.send(9, b"", final=False)),
            ("a long ping", 1002, lambda s: s.send(9, b"x" * 126)),
            ("a continuation of nothing", 1002, lambda s: s.send(0, b"x")),
            ("a message in a message", 1002, lambda s: (s.send(1, b"{", final=False), s.send(1, b"}"))),
            ("half a close code", 1002, lambda s: s.send(8, b"\x03")),
            ("a close code that is never sent", 1002, lambda s: s.send(8, struct.pack(">H", 1005))),
            ("a reason that is not UTF-8", 1007, lambda s: s.send(8, struct.pack(">H", 1000) + b"\xff")),
            ("text that is not UTF-8", 1007, lambda s: s.send(1, b'{"type":"\xc3\x28"}')),
            ("bad UTF-8 before the end", 1007, lambda s: s.send(1, b"\xff", final=False)),
            ("half a character at the end", 1007, lambda s: s.send(1, b'"\xc3')),
            ("a long message", 1009, lambda s: s.send(1, b"x" * 70_000)),
            ("a long message in fragments", 1009, lambda s: [s.send(1 if n == 0 else 0, b"x" * 30_000, final=False) for n in range(3)]),
            ("a length in two bytes that one would hold", 1002, lambda s: s.socket.sendall(b"\x81\xfe\x00\x7d" + bytes(4 + 125))),
            ("a length in eight bytes that two would hold", 1002, lambda s: s.socket.sendall(b"\x81\xff" + struct.pack(">Q", 65_535))),
            ("a length in eight bytes, one by one", 1002, lambda s: [s.socket.sendall(bytes([byte])) for byte in b"\x82\xff" + bytes(8)]),
            ("a length with its first bit set", 1002, lambda s: s.socket.sendall(b"\x81\xff" + struct.pack(">Q", 1 << 63 | 2) + b"abcd")),
            ("a length of 2^62", 1009, lambda s: s.socket.sendall(b"\x81\xff" + struct.pack(">Q", 1 << 62) + b"abcd")),
        ]
        waits = []
        for name, code, act in cases:
            with self.subTest(name):
                socket = self.socket()
                act(socket)
                began = time.monotonic()
                self.assertEqual(socket.close_code(), code)
                self.assertEqual(socket.socket.recv(1), b"")
                waits.append(time.monotonic() - began)
        # The Close is read, and the end comes behind it: a server that waits for the other side waits five seconds.
        self.assertLess(min(waits), 4, waits)

    def test_every_close_code(self):
        codes = {0, 1, 999, 5000, 5001, 65_535, *range(1000, 1030), 1999, 2000, 2999, 3000, 3001, 3999, 4000, 4999}
        for code in sorted(codes):
            with self.subTest(code):
                socket = self.socket()
                socket.send(8, struct.pack(">H", code) + b"bye")
                self.assertEqual(socket.close_code(), code if code in frame_model.SENDABLE else 1002)
        socket = self.socket()
        socket.send(8)
        self.assertEqual(socket.close_code(), 1005)

    def test_the_server_disconnects_first_and_at_once(self):
        waits = []
        for _ in range(10):
            socket = self.socket()
            socket.send(8, struct.pack(">H", 1000))
            self.assertEqual(socket.close_code(), 1000)
            began = time.monotonic()
            self.assertEqual(socket.socket.recv(1), b"")
            waits.append(time.monotonic() - began)
        # A server that waits for the other side waits five seconds, each time; a busy machine does not.
        self.assertLess(min(waits), 4, waits)

    def test_nothing_is_said_behind_a_close(self):
        socket = self.socket()
        socket.send(8, struct.pack(">H", 1000))
        try:
            for _ in range(5):
                socket.send(9, b"too late")
                socket.send(1, b'{"type":"ping"}')
        except OSError:
            pass
        self.assertEqual(socket.close_code(), 1000)
        with self.assertRaises((EOFError, OSError)):
            socket.receive()

    def test_text_that_is_not_utf_8_fails_at_its_first_wrong_byte(self):
        # The rest of the frame never comes, so only a server that checks the part received can know.
        for text in (b"\xff", b"ab\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90", b"\xc1", b"\xe0\x80"):
            with self.subTest(text):
                socket = self.socket()
                socket.send(1, text, final=False)
                self.assertEqual(socket.close_code(), 1007)
                socket = self.socket()
                for place in range(len(text)):
                    socket.send(1 if place == 0 else 0, text[place:place + 1], final=False)
                self.assertEqual(socket.close_code(), 1007)

    def test_pings_are_answered_with_what_they_carry(self):
        socket = self.socket()
        for size in (0, 1, 124, 125):
            socket.send(9, bytes(range(size)))
            opcode = 0
            while opcode != 10:
                opcode, payload = socket.receive()
            self.assertEqual(payload, bytes(range(size)))

    def test_binary_messages_are_read_as_text(self):
        socket = self.socket()
        socket.send(2, b'{"type":"ping"}')
        self.assertEqual(self.answer(socket)["type"], "pong")

    def hear(self, socket: RawSocket, said: frame_model.Said, enough: frame_model.Said | None = None) -> None:
        """Reads what the server says until it closes, or until it has said enough."""
        while enough is None or len(said.pongs) < len(enough.pongs) or len(said.answers) < len(enough.answers):
            opcode, payload = socket.receive()
            if opcode == 8:
                said.close = struct.unpack(">H", payload[:2])[0] if payload else 1005
                return
            if opcode == 10:
                said.pongs.append(payload)
            if opcode == 1 and (kind := json.loads(payload)["type"]) in ("ready_ack", "pong", "notice"):
                said.answers.append(kind)

    def test_any_frames_in_any_pieces_are_answered_as_the_rules_say(self):
        rng = random.Random(os.environ.get("FRESHET_SEED", "6455"))
        closes: dict[int | None, int] = {}
        for round in range(FUZZ):
            frames = frame_model.frames(rng)
            wanted = frame_model.expected(frames)
            content = b"".join(frame.bytes(rng) for frame in frames)
            socket = self.socket()
            try:
                while content:
                    size = rng.choice([1, 2, 3, 7, 50, 1_000, 100_000])
                    socket.socket.sendall(content[:size])
                    content = content[size:]
            except OSError:
                pass
            said = frame_model.Said()
            where = f"round {round}: {[(f.opcode, f.final, len(f.payload)) for f in frames]}"
            self.hear(socket, said, wanted if wanted.close is None else None)
            self.assertEqual((said.close, said.pongs), (wanted.close, wanted.pongs), where)
            # A client that closes or breaks the rules may miss answers to its last messages.
            answers = wanted.answers if wanted.close is None else wanted.answers[:len(said.answers)]
            self.assertEqual(said.answers, answers, where)
            if wanted.close is None:
                socket.send(8, struct.pack(">H", 3999))
                self.assertEqual(socket.close_code(), 3999, where)
            closes[said.close] = closes.get(said.close, 0) + 1
            socket.socket.close()
        self.assertLessEqual({1002, 1007, 1009, None}, set(closes))

    def test_a_request_to_cancel_is_heard_though_the_socket_closes_behind_it(self):
        for _ in range(sized(8, long=100)):
            other = server.start(table(50))
            socket = RawSocket(server.port, other)
            socket.send(1, b'{"type":"cancel"}')
            socket.send(8, struct.pack(">H", 1000))
            socket.socket.close()
            state = server.wait(other)
            self.assertEqual((state["state"], state["events"][-1]["payload"]["status"]), ("canceled", "canceled"))

    def test_a_client_that_is_gone_without_a_word_is_noticed_at_once(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # No ping comes in time to find out.
        server = JobServer(folder.name, limits={"heartbeatSeconds": 3_600})
        self.addCleanup(server.__exit__)
        library = server.lock_library()
        self.addCleanup(library.release)
        job = server.start(table(10))

        def listening() -> int:
            text = server.ask("GET", "/metrics")[1].decode()
            return int(re.search(r'^freshet_job_listeners{transport="websocket"} (\d+)$', text, re.M).group(1))

        sockets = [RawSocket(server.port, job) for _ in range(30)]
        self.assertEqual({socket.status for socket in sockets}, {101})
        for number, socket in enumerate(sockets):
            # In the middle of a frame, and between frames.
            if number % 2:
                socket.socket.sendall(b"\x81\xfe")
        until(lambda: listening() == 30)
        for socket in sockets:
            socket.socket.close()
        until(lambda: listening() == 0)

    def test_any_bytes_end_one_socket_at_most(self):
        rng = random.Random(os.environ.get("FRESHET_SEED", "3"))
        for _ in range(FUZZ):
            socket = self.socket()
            try:
                socket.socket.sendall(bytes(rng.randrange(256) for _ in range(rng.randrange(1, 200))))
                socket.send(8, struct.pack(">H", 1000))
            except OSError:
                pass
            socket.socket.close()
        socket = self.socket()
        socket.send(1, b'{"type":"ping"}')
        self.assertEqual(self.answer(socket)["type"], "pong")


@unittest.skipIf(websockets is None, "python3-websockets is not there")
class WebsocketsTests(unittest.TestCase):
    """Python's websockets as the peer."""

    def run_client(self, work, **options):
        async def connected():
            address = f"ws://127.0.0.1:{server.port}/ws/progress?jobId={job['jobId']}"
            async with websockets.connect(
                address, subprotocols=[f"freshet-auth.{job['token']}"], max_size=None, ping_interval=None, **options
            ) as client:
                return await asyncio.wait_for(work(client), 60)

        return asyncio.run(connected())

    async def answer(self, client, kind: str) -> dict:
        while (message := json.loads(await client.recv()))["type"] != kind:
            pass
        return message

    def test_messages_fragments_and_pings(self):
        async def work(client):
            await client.send('{"type":"ready"}')
            await self.answer(client, "ready_ack")
            await client.send(['{"type"', ':"pi', 'ng"}'])
            await self.answer(client, "pong")
            pong = await client.ping(b"x" * 125)
            await pong
            await client.send(json.dumps({"type": "ping", "long": "x" * 65_000}))
            await self.answer(client, "pong")
            return client.extensions

        # Compression is offered, and not taken up.
        self.assertEqual(self.run_client(work, compression="deflate"), [])

    def test_closes(self):
        async def close(client):
            await client.close(4000, "grüße")
            return client.close_code

        async def too_long(client):
            await client.send("x" * 65_537)
            await client.wait_closed()
            return client.close_code

        self.assertEqual(self.run_client(close), 4000)
        self.assertEqual(self.run_client(too_long), 1009)

    def test_the_client_is_pinged_and_answers_by_itself(self):
        # The library checks every frame of the server; an hour of a job is too long, so the answer is what counts.
        async def work(client):
            for _ in range(20):
                await (await client.ping())
            return client.open

        self.assertTrue(self.run_client(work))


if __name__ == "__main__":
    unittest.main()
