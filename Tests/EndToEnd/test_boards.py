"""Boards of the running program against what this project did not write."""

import re
import socket
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

from program import Folder, Producer, Server, run, until
from sample_network import copy_network
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "Oracle"))
from drift_updates import WAYS  # noqa: E402 (the folder has to be known first)

BOARD = "/api/stationboard?stop_id=Parent8501120&limit=1"
#: BoardBudget.inFlight.
CROWD = 512
#: Zones of a second agency: west with a half hour and other days of change, east without any.
ZONES = ("America/St_Johns", "Asia/Kolkata")


class BoardsTest(unittest.TestCase):
    """One sample network, imported once, served for all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        copy_network(cls.folder.path)
        cls.server = Server(cls.folder / "data")
        cls.addClassCleanup(cls.server.__exit__)

    def check(self, script: str, *arguments: str):
        answer = subprocess.run(
            [sys.executable, str(TESTS / script), *arguments],
            capture_output=True, text=True, timeout=600, check=False,
        )
        self.assertEqual(answer.returncode, 0, answer.stdout[-4000:] + answer.stderr[-2000:])
        return answer.stdout

    def test_boards_equal_the_python_oracle(self):
        out = self.check(
            "Oracle/compare_boards.py", "--gtfs", str(self.folder / "feed"), "--server",
            self.server.url, "--pairs", sized("160", long="240"),
        )
        self.assertIn("0 differences", out)

    def test_boards_of_a_feed_full_of_edges_equal_the_oracle(self):
        feed, data = self.folder / "edges", self.folder / "edges-data"
        self.check("Oracle/edge_feed.py", str(feed))
        answer = run("import", str(feed), "--data", str(data))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        with Server(data) as server:
            out = self.check(
                "Oracle/compare_boards.py", "--gtfs", str(feed), "--server", server.url,
                "--pairs", sized("200", long="300"),
            )
        self.assertIn("0 differences", out)

    def test_boards_with_trip_updates_full_of_edges_equal_the_oracle(self):
        for zone in (None, *ZONES):
            with self.subTest(zone):
                self.compare_updates_full_of_edges(zone)

    def in_zones(self, feed, zone):
        """Gives the second agency of an edge feed, which has every other route, a time zone of its own."""
        self.check("Oracle/edge_feed.py", str(feed))
        path = feed / "agency.txt"
        head, first, second = path.read_text(encoding="utf-8").splitlines()
        self.assertIn("Europe/Zurich", second)
        path.write_text("\n".join([head, first, second.replace("Europe/Zurich", zone)]) + "\n", encoding="utf-8")

    def test_boards_of_agencies_in_several_time_zones_equal_the_oracle(self):
        for zone in ZONES:
            with self.subTest(zone):
                name = zone.rpartition("/")[2]
                feed, data = self.folder / f"zones-{name}", self.folder / f"zones-{name}-data"
                self.in_zones(feed, zone)
                answer = run("import", str(feed), "--data", str(data))
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertIn(f"Europe/Zurich, {zone}", answer.stdout)
                with Server(data) as server:
                    out = self.check(
                        "Oracle/compare_boards.py", "--gtfs", str(feed), "--server", server.url,
                        "--pairs", sized("200", long="300"),
                    )
                self.assertIn("0 differences", out)

    def compare_updates_full_of_edges(self, zone):
        name = zone.rpartition("/")[2] if zone else "one"
        feed, data, updates = (self.folder / f"{kind}-{name}" for kind in ("more-edges", "more-edges-data", "edges.pb"))
        if zone:
            self.in_zones(feed, zone)
        else:
            self.check("Oracle/edge_feed.py", str(feed))
        answer = run("import", str(feed), "--data", str(data))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        # 2026-06-16 06:00 in Zurich, a Tuesday.
        self.check("Oracle/edge_updates.py", str(feed), "2026-06-16", "1781582400", "5", "700", str(updates))
        self.check("Oracle/modification_oracle.py", str(feed), "2026-06-16", "1781582400", "5", "60", str(updates))
        positions = self.folder / f"positions-{name}.pb"
        self.check("Oracle/vehicle_oracle.py", str(feed), str(updates), "2026-06-16", "1781582400", "5", "900", str(positions))
        # Time hardly passes: what was seen a minute ago is not old, whatever the machine is doing.
        more = ("--vehicle-positions", str(positions), "--pace", "0.05")
        with Server(data, "--trip-updates", str(updates), *more, now="2026-06-16T04:00:00Z") as server:
            board = "/api/stationboard?stop_id=Parent8510000&limit=1"
            until(lambda: server.get(board)[1]["rt"]["available"])
            until(lambda: any(
                source["kind"] == "vehicle-positions" and source["matched"]
                for source in (server.get("/health")[1]["feeds"][0]["realtime"] or {}).get("sources", ())
            ))
            out = self.check(
                "Oracle/compare_realtime.py", "--gtfs", str(feed), "--trip-updates", str(updates),
                "--vehicle-positions", str(positions), "--server", server.url, "--pairs", sized("300", long="400"),
            )
        self.assertIn("; 0 differences", out)
        self.assertGreater(int(re.search(r"(\d+) vehicles", out)[1]), 150, out)
        self.assertGreater(int(re.search(r"(\d+) detoured", out)[1]), 150, out)

    def test_boards_with_trip_updates_of_drifted_ids_equal_the_oracle(self):
        feed, data, updates = self.folder / "drift", self.folder / "drift-data", self.folder / "drift.pb"
        self.check("Oracle/edge_feed.py", str(feed))
        answer = run("import", str(feed), "--data", str(data))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        found = {}
        for way in WAYS:
            self.check("Oracle/drift_updates.py", str(feed), "2026-06-16", "1781582400", "1", "400", way, str(updates))
            with self.subTest(way), Server(
                data, "--trip-updates", str(updates), now="2026-06-16T04:00:00Z"
            ) as server:
                until(lambda: server.get("/health")[1]["feeds"][0]["realtime"])
                said = server.get("/health")[1]["feeds"][0]["realtime"]
                found[way] = [said.get(name, 0) for name in ("matchedByAffix", "matchedByStart")]
                out = self.check(
                    "Oracle/compare_realtime.py", "--gtfs", str(feed), "--trip-updates", str(updates),
                    "--server", server.url, "--pairs", sized("80", long="150"),
                )
                self.assertIn("; 0 differences", out)
        for way in ("prefix", "suffix", "part", "two"):
            self.assertGreater(found[way][0], 150, found)
        for way in ("older", "shuffled", "few"):
            self.assertEqual(found[way][0], 0, found)
            self.assertGreater(found[way][1], 80, found)

    def test_a_source_can_be_checked_before_it_is_used(self):
        feed, data, updates = self.folder / "checked", self.folder / "checked-data", self.folder / "checked.pb"
        self.check("Oracle/edge_feed.py", str(feed))
        answer = run("import", str(feed), "--data", str(data))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        said = {}
        for way in ("prefix", "shuffled"):
            self.check("Oracle/drift_updates.py", str(feed), "2026-06-16", "1781582400", "1", "400", way, str(updates))
            answer = run(
                "feeds", "check", "--data", str(data), "--trip-updates", str(updates), "--now", "2026-06-16T04:00:00Z",
            )
            said[way] = (answer.returncode, answer.stdout)
        code, text = said["prefix"]
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"trip-updates file://.*: ok\n")
        self.assertRegex(text, r"of \d+ trip updates match a trip of the timetable, \d+ by an id that differs in a part")
        code, text = said["shuffled"]
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"needs attention\n")
        self.assertRegex(text, r"\d+ without effect: the timetable has no trip of that id \(unknown_trip\), such as \S+_x")
        self.assertRegex(text, r"line \S+ \(\S+\): \d+ trips match, \d+ updates do not")
        # With a lower share it is good enough.
        answer = run(
            "feeds", "check", "--data", str(data), "--trip-updates", str(updates), "--now", "2026-06-16T04:00:00Z",
            "--least-matched", "10",
        )
        self.assertEqual(answer.returncode, 0, answer.stdout)
        missing = run("feeds", "check", "--data", str(data), "--trip-updates", str(self.folder / "nothing.pb"))
        self.assertEqual(missing.returncode, 1, missing.stdout)
        self.assertIn("no such file", missing.stdout)

    def test_answers_obey_the_openapi_document(self):
        self.check("Contract/validate_answers.py", "--server", self.server.url)

    def test_answers_with_realtime_obey_the_openapi_document(self):
        # Publications every two seconds, so that no test waits for the rhythm of real sources.
        with Producer(self.folder / "data", "--scenario", "storm", "--period", "2") as producer:
            with Server(
                self.folder / "data", "--trip-updates", f"{producer.url}/trip-updates.pb",
                "--alerts", f"{producer.url}/alerts.pb", "--poll", "trip-updates=500", "--poll", "alerts=500",
            ) as server:
                until(lambda: server.get(BOARD)[1]["meta"]["responseMode"] == "full")
                self.check("Contract/validate_answers.py", "--realtime", "--server", server.url)

    def test_a_server_without_time_obeys_the_openapi_document(self):
        for kind, fault in (("--slow", "timetable=6000"), ("--crowd", "crowd")):
            with self.subTest(kind), Server(self.folder / "data", "--slow", fault) as server:
                self.check("Contract/validate_answers.py", kind, "--server", server.url)

    def test_requests_that_wait_are_not_in_flight(self):
        """More of them than boards may be made at once with everything in them."""
        # Time hardly passes: the board stays as it is.
        with Server(self.folder / "data", "--pace", "0.05") as server:
            with urllib.request.urlopen(server.url + BOARD) as answer:
                tag = answer.headers["ETag"]
            request = f"GET {BOARD} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\nPrefer: wait=55\r\n\r\n".encode()
            for _ in range(CROWD + 88):
                client = socket.create_connection(("127.0.0.1", server.port))
                self.addCleanup(client.close)
                client.sendall(request)
            until(lambda: self.waiting(server) == CROWD + 88)
            meta = server.get(f"{BOARD}0")[1]["meta"]
            self.assertEqual((meta["responseMode"], meta["skippedSteps"]), ("full", []))

    def waiting(self, server: Server) -> int:
        with urllib.request.urlopen(server.url + "/metrics") as answer:
            return int(re.search(rb"^freshet_waiting (\d+)", answer.read(), re.MULTILINE)[1])

    def test_a_server_without_a_timetable_obeys_the_openapi_document(self):
        with Server(self.folder / "nothing") as server:
            self.check("Contract/validate_answers.py", "--no-timetable", "--server", server.url)

    def test_the_service_clock_starts_where_it_is_told(self):
        _, board = self.server.get("/api/stationboard?stop_id=Parent8501120&limit=1")
        self.assertTrue(board["meta"]["serverTime"].startswith("2026-11-24T07:"))
        with Server(self.folder / "data", now="2026-12-24T23:30:00+01:00") as other:
            _, board = other.get("/api/stationboard?stop_id=Parent8501120&limit=1")
            self.assertTrue(board["meta"]["serverTime"].startswith("2026-12-24T22:30:"))

    def test_sigterm_ends_the_server_cleanly(self):
        with Server(self.folder / "data") as server:
            self.assertEqual(server.stop(), 0)

    def test_a_port_in_use_is_a_clear_error(self):
        answer = run("serve", "--data", str(self.folder / "data"), "--port", str(self.server.port))
        self.assertEqual(answer.returncode, 69)
        self.assertIn(str(self.server.port), answer.stderr)

    def test_board_in_a_pipe(self):
        answer = run("board", "lausanne", "--once", "--limit", "5", "--server", self.server.url)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("Lausanne", answer.stdout)
        self.assertIn("timetable only", answer.stdout)
        self.assertNotIn("\x1b", answer.stdout)

    def test_board_of_an_ambiguous_name_lists_the_candidates(self):
        answer = run("board", "bel", "air", "--once", "--server", self.server.url)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("Parent8591988", answer.stderr)
        self.assertIn("Parent8587387", answer.stderr)

    def test_board_by_id_and_as_json(self):
        answer = run("board", "Parent8501120", "--once", "--json", "--limit", "2", "--server", self.server.url)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn('"departures":[{', answer.stdout)

    def test_board_without_a_server_says_what_to_do(self):
        answer = run("board", "lausanne", "--once", "--server", "http://127.0.0.1:1")
        self.assertEqual(answer.returncode, 69)
        self.assertIn("freshet serve", answer.stderr)


if __name__ == "__main__":
    unittest.main()
