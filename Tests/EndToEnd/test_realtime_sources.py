"""Several realtime sources for one timetable: what they say together, and what one does to the others."""

import json
import subprocess
import sys
import unittest
import urllib.request
import zlib
from datetime import date
from pathlib import Path

from program import Folder, Producer, Server, run, until
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "Oracle"))
from drift_updates import DriftUpdates  # noqa: E402 (the folder has to be known first)
from edge_feed import EdgeFeed  # noqa: E402
from edge_updates import message  # noqa: E402
from gtfs_oracle import Feed  # noqa: E402
from realtime_wire import fields  # noqa: E402

NOW = "2026-06-16T04:00:00Z"
STAMP = 1_781_582_400


def parts(feed: bytes, count: int) -> list[bytes]:
    """The entities of a feed in several, those of a trip id in the same one."""
    header, groups = b"", [[] for _ in range(count)]
    for number, value in fields(feed):
        if number == 1:
            header = value
        else:
            trip = dict(fields(dict(fields(value))[3]))[1]
            groups[zlib.crc32(dict(fields(trip)).get(1, b"")) % count].append(value)
    return [message(f1=header, f2=group) for group in groups]


def alerts(*texts: str) -> bytes:
    """A feed of alerts about everything of agency A, whose ids are their numbers."""
    entities = [
        message(
            f1=str(number),
            f5=message(f5=message(f1="A"), f10=message(f1=message(f1=text))),
        )
        for number, text in enumerate(texts)
    ]
    return message(f1=message(f1="2.0", f3=STAMP), f2=entities)


def sources(server: Server) -> list[dict]:
    """What /health says of each source."""
    feed = server.get("/health")[1]["feeds"][0]["realtime"]
    return feed["sources"] if feed else []


class RealtimeSourcesTest(unittest.TestCase):
    """A network of edges with trip updates in three files."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.feed, cls.data = cls.folder / "feed", cls.folder / "data"
        EdgeFeed().write(cls.feed)
        answer = run("import", str(cls.feed), "--data", str(cls.data))
        assert answer.returncode == 0, answer.stderr
        updates = DriftUpdates(Feed(cls.feed), date(2026, 6, 16), STAMP, 2, "older")
        cls.whole = cls.folder / "whole.pb"
        cls.whole.write_bytes(updates.feed_bytes(400))
        cls.files = []
        for number, content in enumerate(parts(cls.whole.read_bytes(), 3)):
            cls.files.append(cls.folder / f"part{number}.pb")
            cls.files[-1].write_bytes(content)

    def compare(self, server: Server) -> None:
        answer = subprocess.run(
            [
                sys.executable, str(TESTS / "Oracle/compare_realtime.py"), "--gtfs", str(self.feed),
                "--trip-updates", str(self.whole), "--server", server.url, "--pairs", "200",
            ],
            capture_output=True, text=True, timeout=600, check=False,
        )
        self.assertEqual(answer.returncode, 0, answer.stdout[-4000:] + answer.stderr[-2000:])
        self.assertIn("; 0 differences", answer.stdout)

    def test_a_feed_in_three_sources_is_one_feed(self):
        options = [word for file in self.files for word in ("--trip-updates", str(file))]
        with Server(self.data, *options, now=NOW) as server:
            until(lambda: sum(source["matched"] is not None for source in sources(server)) == 3)
            self.compare(server)
            self.assertEqual([source["number"] for source in sources(server)], [1, 2, 3])

    def test_a_configuration_lists_sources_and_one_that_fails_takes_no_other_down(self):
        config = self.folder / "several.json"
        listed = [str(self.files[0]), {"source": str(self.folder / "gone.pb"), "pollSeconds": 5}, str(self.files[1])]
        config.write_text(json.dumps({
            "feeds": [{"tripUpdates": [*listed, {"source": str(self.files[2]), "headers": {"X-Key": {"env": "KEY"}}}]}],
        }))
        with Server(self.data, "--config", str(config), now=NOW, environment={"KEY": "secret"}) as server:
            until(lambda: sum(source["matched"] is not None for source in sources(server)) == 3)
            self.compare(server)
            said = sources(server)
            self.assertEqual([source["lastError"] is None for source in said], [True, False, True, True])
            board = server.get("/api/stationboard?stop_id=Parent8510000&limit=1")[1]
            # Whether a departure of this stop has realtime or not: the feed is fresh.
            self.assertIn(board["meta"]["rtStatus"], ("applied", "partial"))
            self.assertRegex(board["rt"]["lastError"], r"^1 of 4 sources: the source cannot be reached")
            self.assertNotIn("gone.pb", json.dumps(board))
            # The one that was missing appears, and another one has it already: nothing changes.
            (self.folder / "gone.pb").write_bytes(self.files[0].read_bytes())
            until(lambda: all(source["lastError"] is None for source in sources(server)))
            self.compare(server)
            withouts = server.get("/health")[1]["feeds"][0]["realtime"]["withoutEffect"]
            self.assertGreater(withouts["other_source"], 20)
            with urllib.request.urlopen(server.url + "/metrics", timeout=30) as answer:
                metrics = answer.read().decode()
            self.assertRegex(metrics, r'freshet_realtime_age_seconds{feed="default",kind="trip_updates",source="4"} \d')
            self.assertRegex(metrics, r'freshet_realtime_matched_ratio{feed="default",source="2"} 0\.\d')

    def test_alerts_of_several_sources_are_shown_together(self):
        one, other = self.folder / "one.pb", self.folder / "other.pb"
        one.write_bytes(alerts("works", "strike"))
        other.write_bytes(alerts("snow", "strike", "works"))
        with Server(self.data, "--alerts", str(one), "--alerts", str(other), now=NOW) as server:
            def shown() -> list[str]:
                board = server.get("/api/stationboard?stop_id=Parent8510000&window_minutes=720")[1]
                found = board.get("banners", []) + [a for row in board["departures"] for a in row.get("alerts", [])]
                return sorted({alert["header"] for alert in found})
            until(lambda: shown() == ["snow", "strike", "works"])

    def test_the_same_source_twice_is_refused(self):
        answer = run(
            "serve", "--data", str(self.data), "--trip-updates", str(self.whole), "--trip-updates", str(self.whole),
        )
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("is given twice", answer.stderr)

    def test_a_simulated_feed_in_parts_is_the_whole_feed(self):
        data = copy_network(self.folder / "network")
        with Producer(data, "--split", "3", "--period", "2") as producer:
            urls = [f"{producer.url}/trip-updates-{number}.pb" for number in (1, 2, 3)]
            options = [word for url in urls for word in ("--trip-updates", url)]
            with Server(data, *options, "--poll", "trip-updates=500") as server:
                until(lambda: sum(source["matched"] is not None for source in sources(server)) == 3)
                self.assertTrue(all(source["matched"] > 0 for source in sources(server)))
                with Server(data, "--trip-updates", f"{producer.url}/trip-updates.pb", "--poll", "trip-updates=500") as whole:
                    def counts(of: Server) -> tuple:
                        said = of.get("/health")[1]["feeds"][0]["realtime"] or {}
                        return said.get("tripUpdates"), said.get("matched"), said.get("added")
                    until(lambda: counts(server) == counts(whole) != (None, None, None))


if __name__ == "__main__":
    unittest.main()
