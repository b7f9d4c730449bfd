"""A server may ignore `Upgrade` (RFC 9110, section 7.8): the request is answered, and its connection goes on."""

from __future__ import annotations

import http.client
import json
import random
import socket
import subprocess
import unittest

from test_connections import KINDS, PATIENT, ConnectionTest, Peer
from side_by_side import load_side_by_side as load_tests  # noqa: F401

KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#: Fields of requests that are not upgraded.
REFUSED = {
    "HTTP/2": "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    "an unknown protocol": "Upgrade: tus/1.0, x\r\nConnection: keep-alive, upgrade\r\n",
    "a path without WebSockets": f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n{KEY}",
    "a wrong version": f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n{KEY}",
    "a wrong key": "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n",
    "no key": "Upgrade: websocket\r\nConnection: UPGRADE\r\n",
    "Connection does not name it": "Upgrade: websocket\r\nConnection: keep-alive\r\n",
    "no Connection": "Upgrade: h2c\r\n",
    "two fields": "Connection: upgrade\r\nUpgrade: h2c\r\nConnection: keep-alive\r\nUpgrade: websocket\r\n",
}


def question(path: str, fields: str = "", version: str = "1.1", method: str = "GET", content: str = "") -> str:
    return f"{method} {path} HTTP/{version}\r\nHost: localhost\r\n{fields}\r\n{content}"


class UpgradeTests(ConnectionTest):
    def ask(self, peer: Peer, *questions: str) -> list[int]:
        """The statuses of the answers to requests that are sent at once."""
        peer.send("".join(questions))
        return [peer.answer()[0] for _ in questions]

    def test_a_request_that_is_not_upgraded_is_answered_and_its_connection_goes_on(self):
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for name, fields in REFUSED.items():
                    for path in ("/version.json", "/nothing", "/ws/progress"):
                        with self.subTest(kind, case=name, path=path):
                            plain = self.ask(self.peer(server), question(path))[0]
                            peer = self.peer(server)
                            self.assertEqual(self.ask(peer, question(path, fields)), [plain])
                            # Twice: what is first on a connection is read in another place.
                            for _ in range(2):
                                self.assertEqual(self.ask(peer, question("/version.json")), [200])
                                self.assertEqual(self.ask(peer, question(path, fields)), [plain])
                            # Requests that do not wait for the answers before them.
                            for first in (peer, self.peer(server)):
                                several = [question(path, fields), question("/version.json"), question(path, fields)] * 2
                                self.assertEqual(self.ask(first, *several), [plain, 200, plain] * 2)

    def test_requests_are_read_wherever_they_are_cut(self):
        texts = [question("/version.json", REFUSED["HTTP/2"]), question("/nothing", REFUSED["a path without WebSockets"]),
                 question("/version.json", REFUSED["HTTP/2"] + "Content-Length: 3\r\n", method="POST", content="abc"),
                 question("/nothing", REFUSED["an unknown protocol"] + "Transfer-Encoding: chunked\r\n", method="POST",
                          content="2\r\nab\r\n0\r\n\r\n"), question("/version.json")]
        whole = "".join(texts).encode()
        with self.serve("boards", PATIENT) as server:
            peer = self.peer(server)
            expected = self.ask(peer, *texts)
            self.assertEqual(expected, [200, 404, 405, 404, 200])
            for cut in range(1, len(whole), 7):
                peer = self.peer(server)
                peer.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                peer.send(whole[:cut])
                peer.send(whole[cut:])
                self.assertEqual([peer.answer()[0] for _ in texts], expected, cut)
            # A client that closes its side behind its last request is answered too.
            for cut in (0, 40):
                peer = self.peer(server)
                peer.send(whole[:cut])
                peer.send(whole[cut:])
                peer.socket.shutdown(socket.SHUT_WR)
                self.assertEqual([peer.answer()[0] for _ in texts], expected, cut)
            peer = self.peer(server)
            peer.send(question("/version.json", REFUSED["a path without WebSockets"]))
            peer.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(peer.answer()[0], 200)

    def test_no_spelling_of_connection_leaves_a_request_without_an_answer(self):
        """Every request is answered in its order, or the answer before it says that the connection ends."""
        rng = random.Random(1)
        pieces = ["upgrade", "Upgrade", "keep-alive", "HTTP2-Settings", "close", ",", ", ", " ,", ",,", " ", "\t", "x", "upgrade\t", "up grade", "upgrad",
                  "\"upgrade\"", "upgrade;q=1"]
        methods = ["GET", "HEAD", "POST", "CONNECT", "OPTIONS"]
        with self.serve("boards", PATIENT) as server:
            for _ in range(300):
                fields = "".join(f"Connection: {''.join(rng.choices(pieces, k=rng.randint(1, 5)))}\r\n" for _ in range(rng.randint(1, 2)))
                fields += "".join(f"Upgrade: {rng.choice(['h2c', 'websocket', ''])}\r\n" for _ in range(rng.randint(0, 2)))
                method, version = rng.choice(methods), rng.choice(["1.1", "1.1", "1.0"])
                length = "Content-Length: 2\r\n" if method == "POST" else ""
                peer = self.peer(server)
                target = "localhost:1" if method == "CONNECT" else "/version.json"
                peer.send(question(target, fields + length, version, method, "ab" if length else "") + question("/nothing"))
                with self.subTest(method=method, version=version, fields=fields):
                    while b"\r\n\r\n" not in peer.text:
                        part = peer.socket.recv(65_536)
                        self.assertTrue(part, peer.text)
                        peer.text += part
                    head = peer.text.split(b"\r\n\r\n")[0].lower()
                    if b"connection: close" in head:
                        self.assertTrue(peer.ended())
                    else:
                        if method == "HEAD":
                            peer.text = peer.text.split(b"\r\n\r\n", 1)[1]
                        else:
                            peer.answer()
                        self.assertEqual(peer.answer()[0], 404)

    def test_a_client_that_sends_on_without_an_answer_is_not_kept(self):
        """Nothing is kept for a client without a bound."""
        with self.serve("boards", PATIENT) as server:
            peer = self.peer(server)
            peer.send(question("/version.json", REFUSED["HTTP/2"]) + "GET /" + "x" * 1_000_000)
            self.assertEqual(peer.answer()[0], 200)
            self.assertTrue(peer.ended())

    def test_other_programs_go_on_with_their_connection(self):
        with self.serve("boards", PATIENT) as server:
            words = ["-o", "/dev/null", "-w", "%{http_code} %{num_connects}\n"]
            address = f"{server.url}/version.json"
            answer = subprocess.run(["curl", "-sS", "--http2", "--max-time", "60", *words, address, *words[:2], address],
                                    capture_output=True, text=True, check=True)
            self.assertEqual(answer.stdout.split("\n")[:2], ["200 1", "200 0"])
            client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            self.addCleanup(client.close)
            client.connect()
            first = client.sock
            for fields in ({"Upgrade": "websocket", "Connection": "Upgrade"}, {}, {"Upgrade": "h2c", "Connection": "upgrade"}, {}):
                client.request("GET", "/version.json", headers=fields)
                self.assertTrue(json.load(client.getresponse()))
                self.assertIs(client.sock, first)


if __name__ == "__main__":
    unittest.main()
