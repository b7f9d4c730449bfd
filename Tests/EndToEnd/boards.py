"""A simulated producer, a server and a browser, for the tests of the web board; started once for all of them."""

from __future__ import annotations

import atexit
import re
import subprocess
import unittest
from functools import cache

from browser import Browser, Tab
from program import NOW, PROGRAM, Folder, Server, run, sample

STOP = "Parent8501120"
OTHER = "Parent8592050"
#: Seconds between two publications: a third of the usual, so that the tests need not wait.
PERIOD = 5
ROWS = "document.querySelectorAll('.departure:not(.vacant)').length"
STATE = "document.querySelector('.pane').dataset.state"


class Producer:
    """The feed simulator on a free port."""

    def __init__(self, data: str, scenario: str):
        self.process = subprocess.Popen(
            [PROGRAM, "feed", "--data", data, "--port", "0", "--scenario", scenario, "--period", str(PERIOD), "--now", NOW, "--log-level", "error"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/trip-updates\.pb", line)
        assert found, f"the simulator did not start: {line}"
        self.url = found.group(1)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Stand:
    """Everything a board needs."""

    def __init__(self) -> None:
        self.folder = Folder()
        sample(self.folder / "feed")
        answer = run("import", str(self.folder / "feed"), "--data", str(self.folder / "data"))
        assert answer.returncode == 0, answer.stderr
        data = str(self.folder / "data")
        self.producer = Producer(data, "rush")
        self.server = Server(
            data, "--trip-updates", f"{self.producer.url}/trip-updates.pb", "--alerts", f"{self.producer.url}/alerts.pb",
            "--poll", f"trip-updates={PERIOD * 500}",
        )
        self.browser = Browser()
        self.url = self.server.url

    def close(self) -> None:
        self.browser.close()
        self.server.__exit__()
        self.producer.close()
        self.folder.remove()


@cache
def stand() -> Stand:
    """The one stand of this run."""
    made = Stand()
    atexit.register(made.close)
    return made


class BoardTest(unittest.TestCase):
    """A test with a tab of its own; at its end nothing may be on the console."""

    WIDTH, HEIGHT = 1280, 900
    #: What a test expects the browser itself to say, such as a failed request.
    EXPECTED = re.compile(r"$^")

    def setUp(self) -> None:
        self.stand = stand()
        self.tab = self.stand.browser.tab(width=self.WIDTH, height=self.HEIGHT)

    def tearDown(self) -> None:
        said = [line for line in self.tab.console if not self.EXPECTED.search(line)]
        self.tab.close()
        self.assertEqual(said, [])

    def open(self, path: str = f"/?stop={STOP}&lang=en", rows: bool = True) -> Tab:
        """Opens a page and waits for its board."""
        self.tab.open(self.stand.url + path)
        self.tab.wait("document.documentElement.dataset.ready === 'yes'")
        if rows:
            self.tab.wait(f"{ROWS} > 2")
        return self.tab

    def board(self, stop: str = STOP, query: str = "limit=60&include_alerts=1&lang=en") -> dict:
        """The board as the API gives it."""
        return self.stand.server.get(f"/api/stationboard?stop_id={stop}&{query}")[1]

    def destinations(self, pane: int = 0) -> list[str]:
        """The destinations on the screen, in order."""
        return self.tab.run(
            f"[...document.querySelectorAll('.pane')[{pane}].querySelectorAll('.departure:not(.vacant) [data-part=open]')].map((one) => one.textContent)"
        )
