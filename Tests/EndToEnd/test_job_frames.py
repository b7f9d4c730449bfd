"""The server's WebSockets frame by frame (RFC 6455)."""

from __future__ import annotations

import json
import os
import random
import struct
import tempfile
import unittest

from job_stage import JobServer, RawSocket, table


class FrameTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # One long job at a time keeps the others waiting, so that their sockets stay open.
        cls.server = JobServer(cls.folder.name, "--jobs-running", "1")
        cls.server.start(table(10_000, seed=1))
        cls.jobs = [cls.server.start(table(10_000, seed=2)) for _ in range(3)]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def socket(self) -> RawSocket:
        """A socket of a job that waits."""
        socket = RawSocket(self.server.port, self.jobs[-1])
        self.assertEqual(socket.status, 101)
        return socket

    def answer(self, socket: RawSocket) -> dict:
        """The next message that is no event."""
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
        socket.send(10, b"nobody asked")
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
            ("a length of 2^62", 1009, lambda s: s.socket.sendall(b"\x81\xff" + struct.pack(">Q", 1 << 62) + b"abcd")),
        ]
        for name, code, act in cases:
            with self.subTest(name):
                socket = self.socket()
                act(socket)
                self.assertEqual(socket.close_code(), code)

    def test_closes_are_echoed(self):
        for code in (1000, 1001, 3000, 4999):
            socket = self.socket()
            socket.send(8, struct.pack(">H", code) + b"bye")
            self.assertEqual(socket.close_code(), code)
        socket = self.socket()
        socket.send(8)
        self.assertEqual(socket.close_code(), 1005)

    def test_binary_messages_are_read_as_text(self):
        socket = self.socket()
        socket.send(2, b'{"type":"ping"}')
        self.assertEqual(self.answer(socket)["type"], "pong")

    def test_any_bytes_end_one_socket_at_most(self):
        rng = random.Random(3)
        for _ in range(int(os.environ.get("FRESHET_FRAME_FUZZ", "150"))):
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


if __name__ == "__main__":
    unittest.main()
