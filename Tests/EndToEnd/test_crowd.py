"""Many clients of one server, which are all told the same moment: how busy is its busiest second?"""

import json
import subprocess
import threading
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

from program import LAB, Folder, Producer, Server, run, until
from sample_network import copy_network
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
STOP = "Parent8501120"
PERIOD, PRESET = sized((5, "departuresWeb5s"), long=(15, "departuresWeb"))
"""Seconds between two publications, and the preset of the clients."""
PROGRAMS, PAGES = sized((200, 120), long=(10_000, 500))
"""Clients of the library, and of the page's own scripts under node, that ask at the same time."""
SETTLE, SECONDS = sized((15, 20), long=(60, 60))
EASE = sized(20, long=200)
"""Boards a second that the server answers with ease, by its configuration."""
MOST = sized(2.5, long=2)
"""The busiest second in multiples of the mean; that of few clients varies more than that of many."""
HERD = 2
"""Clients that come together make a second at least this busy, also where a paused machine shifts some of them."""
STILL = 2
"""How many seconds may be busier: a machine that pauses briefly makes a busy second of its own. A herd makes one in
each period, which are more."""


def busiest(crowd):
    """The busiest second except those caused by a paused machine, in multiples of the mean."""
    return sorted(crowd["perSecond"])[-1 - STILL] / crowd["mean"]


ATTEMPTS = 3
"""How often clients may come together before no herd was seen: a machine that is too busy to send 200 requests within a
second spreads them by itself. What must not be a herd has one attempt."""


ONE = threading.Semaphore(sized(2, long=1))
"""How many crowds there are at once: 10,000 clients want a machine for themselves."""


class CrowdTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        copy_network(cls.folder.path, date=day)
        feed = Producer(cls.folder / "data", "--scenario", "calm", "--period", f"{PERIOD:g}", now=None)
        cls.addClassCleanup(feed.__exit__)
        cls.spreading, cls.plain = (cls.server(feed, ease) for ease in (EASE, 1 << 20))

    @classmethod
    def server(cls, feed, ease):
        file = cls.folder / f"{ease}.json"
        file.write_text(json.dumps({"limits": {"boardsPerSecond": ease}}))
        server = Server(cls.folder / "data", "--trip-updates", f"{feed.url}/trip-updates.pb", "--config", str(file),
                        "--poll", f"trip-updates={PERIOD * 200}", now=None)
        cls.addClassCleanup(server.__exit__)
        until(lambda: server.get(f"/api/stationboard?stop_id={STOP}")[1]["meta"]["nextExpectedAt"])
        return server

    def crowds(self, server):
        """What programs and pages measured that asked a server at the same time."""
        with ONE:
            return self.crowd(server)

    def crowd(self, server):
        programs = subprocess.Popen(
            [LAB, "crowd", server.url, "--stop", STOP, "--clients", str(PROGRAMS), "--preset", PRESET, "--ramp", str(PERIOD),
             "--settle", str(SETTLE), "--seconds", str(SECONDS), "--most", "1000", "--json"], stdout=subprocess.PIPE, text=True)
        pages = subprocess.Popen(
            ["node", str(ROOT / "Tests/EngineWasm/crowd.mjs"), server.url, STOP, str(PAGES), str(SETTLE), str(SECONDS),
             PRESET], stdout=subprocess.PIPE, text=True)
        found = []
        for process in (programs, pages):
            text, _ = process.communicate(timeout=SETTLE + SECONDS + 120)
            self.assertEqual(process.returncode, 0, text)
            found.append(json.loads(text))
        for crowd in found:
            self.assertLessEqual(crowd["failures"], crowd["requests"] * 0.02, found)
            self.assertGreater(crowd["requests"], crowd["clients"] * SECONDS / PERIOD * 0.5, found)
        return found

    def is_herd(self, crowds):
        """Whether both crowds came together once, and one of them in most periods."""
        # On a busy machine one of the two crowds may be held up, and come apart after its first herd.
        return max(map(busiest, crowds)) > HERD and all(
            max(crowd["perSecond"]) / crowd["mean"] > HERD for crowd in crowds)

    def test_the_busiest_second_is_not_a_herd(self):
        """The hint that is really sent, read by the library and by the page, keeps clients apart."""
        crowds = self.crowds(self.spreading)
        print(f"\nspread: {crowds}", flush=True)
        for crowd in crowds:
            self.assertLessEqual(busiest(crowd), MOST, crowds)

        found = []

        def announced() -> bool:
            found.append(self.spreading.get(f"/api/stationboard?stop_id={STOP}")[1]["meta"]["nextExpectedSpreadMs"])
            return found[-1] is not None

        # A publication that is late is not announced until it is there.
        until(announced)
        self.assertIn(found[-1], range(1_000, int(PERIOD * 660) + 500))

    def test_a_server_that_is_at_ease_spreads_no_client(self):
        """Without a spread the same clients come together: the measure would see a herd."""
        found = []
        for _ in range(ATTEMPTS):
            found.append(self.crowds(self.plain))
            if self.is_herd(found[-1]):
                break
        self.assertTrue(self.is_herd(found[-1]), found)
        self.assertEqual(self.plain.get(f"/api/stationboard?stop_id={STOP}")[1]["meta"]["nextExpectedSpreadMs"] or 0, 0)


class CrowdOptionsTest(unittest.TestCase):
    def test_options_that_are_wrong(self):
        for options in (["--clients", "0"], ["--seconds", "0"], ["--most", "0.5"], ["--pace", "0"], ["--ramp", "-1"]):
            answer = run("crowd", "http://127.0.0.1:1", "--stop", STOP, *options)
            self.assertEqual(answer.returncode, 64, answer.stderr)
        self.assertEqual(run("crowd", "ftp:nothing", "--stop", STOP).returncode, 64)

    def test_a_server_that_is_not_there_fails(self):
        began = time.monotonic()
        answer = run("crowd", "http://127.0.0.1:1", "--stop", STOP, "--clients", "3", "--ramp", "0", "--settle", "1", "--seconds", "2")
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertGreater(time.monotonic() - began, 2.5)


if __name__ == "__main__":
    unittest.main()
