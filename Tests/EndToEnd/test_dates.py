"""The date of answers: that of the clock the server runs on, whatever the answer is."""

from __future__ import annotations

import socket
import time
import unittest
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from program import NOW, Folder, Producer, Server, until
from sample_network import copy_network
from workspaces import repository

BOARD = "/api/stationboard?stop_id=Parent8501120&limit=5"
#: Seconds that a slow machine may take between two checks of a clock.
SLACK = 30


def head(server: Server, path: str, method: str = "GET", **fields: str) -> tuple[int, dict[str, str]]:
    """Status and fields of an answer, as they are on the wire; its body is not awaited."""
    named = {"Host": f"127.0.0.1:{server.port}", "Connection": "close", **{name.replace("_", "-"): value for name, value in fields.items()}}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items()), "", ""]
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode())
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65_536)
            assert piece, f"no answer to {path}"
            data += piece
    first, *rest = data.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    found: dict[str, str] = {}
    for line in rest:
        name, _, value = line.partition(": ")
        assert name.lower() not in found or name.lower() != "date", "one date"
        found[name.lower()] = value
    return int(first.split()[1]), found


class DatesOfAnswers(unittest.TestCase):
    """A server whose clock was set to another day."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Folder()
        copy_network(cls.folder.path)
        cls.began = time.monotonic()
        cls.producer = Producer(cls.folder / "data", "--period", "5")
        cls.server = Server(
            cls.folder / "data", "--trip-updates", f"{cls.producer.url}/trip-updates.pb", "--jobs", str(cls.folder / "jobs"),
            "--workspaces", str(repository(cls.folder / "shop")),
        )
        until(lambda: cls.server.get(BOARD)[1]["meta"]["rtStatus"] == "applied")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.__exit__()
        cls.producer.__exit__()
        cls.folder.remove()

    def assert_service_time(self, date: str, what: str) -> None:
        start = datetime.fromisoformat(NOW.replace("Z", "+00:00"))
        passed = (parsedate_to_datetime(date) - start).total_seconds()
        self.assertLessEqual(passed, time.monotonic() - self.began + 1, what)
        self.assertGreaterEqual(passed, 0, what)

    def test_every_answer_is_dated_by_the_clock_of_the_service(self):
        tag = head(self.server, BOARD)[1]["etag"]
        wanted = {
            "200": (200, {"path": BOARD}),
            "HEAD": (200, {"path": BOARD, "method": "HEAD"}),
            "304": (304, {"path": BOARD, "If_None_Match": tag}),
            "gzip": (200, {"path": BOARD, "Accept_Encoding": "gzip"}),
            "stream": (200, {"path": BOARD.replace("?", "/stream?"), "Accept": "text/event-stream"}),
            "400": (400, {"path": "/api/stationboard"}),
            "404": (404, {"path": "/api/nothing"}),
            "405": (405, {"path": BOARD, "method": "DELETE"}),
            "page": (200, {"path": "/"}),
            "script": (200, {"path": "/assets/board.js"}),
            "metrics": (200, {"path": "/metrics"}),
            "jobs": (200, {"path": "/v1/capabilities"}),
        }
        for what, (status, request) in wanted.items():
            with self.subTest(what):
                # A tick of the feed may come between the tag and the question with it.
                for _ in range(5):
                    answered, fields = head(self.server, **request)
                    if answered == status:
                        break
                    tag = head(self.server, BOARD)[1]["etag"]
                    request = {**request, **({"If_None_Match": tag} if "If_None_Match" in request else {})}
                self.assertEqual(answered, status)
                self.assert_service_time(fields["date"], what)

    def test_204_is_dated_as_the_board_that_it_confirms(self):
        for _ in range(5):
            board = self.server.get(BOARD)[1]
            status, fields = head(self.server, f"{BOARD}&if_board=1&since_rt={board['meta']['rtFetchedAt']}")
            if status == 204:
                break
        self.assertEqual(status, 204)
        self.assert_service_time(fields["date"], "204")
        told = datetime.fromisoformat(board["meta"]["serverTime"].replace("Z", "+00:00"))
        self.assertLess(abs((parsedate_to_datetime(fields["date"]) - told).total_seconds()), SLACK)

    def test_several_answers_of_one_connection_are_dated_each_by_its_clock(self):
        paths = ["/v1/git/worktrees", BOARD, "/v1/git/worktrees", "/health"]
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as connection:
            connection.sendall("".join(f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n" for path in paths).encode())
            data = b""
            while data.count(b"\r\n\r\n") < len(paths):
                piece = connection.recv(65_536)
                self.assertTrue(piece)
                data += piece
        dates = [line[6:] for line in data.decode().split("\r\n") if line.lower().startswith("date: ")]
        self.assertEqual(len(dates), len(paths))
        for path, date in zip(paths, dates):
            with self.subTest(path):
                if path.startswith("/v1/git"):
                    # Worktrees are of the present.
                    self.assertLess(abs((parsedate_to_datetime(date) - datetime.now(timezone.utc)).total_seconds()), SLACK)
                else:
                    self.assert_service_time(date, path)

    def test_a_feed_is_dated_by_its_clock(self):
        status, fields = head(self.producer, urlsplit(f"{self.producer.url}/trip-updates.pb").path)
        self.assertEqual(status, 200)
        self.assert_service_time(fields["date"], "feed")
        self.assertLessEqual(parsedate_to_datetime(fields["last-modified"]), parsedate_to_datetime(fields["date"]), "RFC 9110 section 8.8.2.1")


if __name__ == "__main__":
    unittest.main()
