"""A simulated producer, a server and a browser, for the tests of the web board; started once for all of them."""

from __future__ import annotations

import atexit
import base64
import json
import re
import subprocess
import time
import unittest
import urllib.request
from collections.abc import Callable
from datetime import datetime

from browser import LONGEST, Browser, ProtocolError, Tab
from program import LAB, NOW, Folder, Server, once
from sample_network import copy_network
from side_by_side import SideBySide

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
            [LAB, "feed", "--data", data, "--port", "0", "--scenario", scenario, "--period", str(PERIOD), "--now", NOW, "--log-level", "error"],
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

    def __init__(self, scenario: str = "rush") -> None:
        self.browser = Browser()
        self.folder = Folder()
        data = str(copy_network(self.folder.path))
        self.producer = Producer(data, scenario)
        self.server = Server(
            data, "--trip-updates", f"{self.producer.url}/trip-updates.pb", "--alerts", f"{self.producer.url}/alerts.pb",
            "--poll", f"trip-updates={PERIOD * 500}",
        )
        self.url = self.server.url
        served = self.server.get(f"/api/stationboard?stop_id={STOP}&limit=1")[1]["meta"]["serverTime"]
        #: How far the clock of the server is ahead of that of this machine, in milliseconds.
        self.ahead = round((datetime.fromisoformat(served.replace("Z", "+00:00")).timestamp() - time.time()) * 1_000)

    def server_bytes(self, path: str) -> bytes:
        """A file of the server, as it is on the wire."""
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.read()

    def close(self) -> None:
        self.browser.close()
        self.server.__exit__()
        self.producer.close()
        self.folder.remove()


@once
def stand() -> Stand:
    """The one server of this run."""
    made = Stand()
    atexit.register(made.close)
    return made


class BoardTest(unittest.TestCase):
    """A test with a tab of its own; at its end nothing may be on the console."""

    WIDTH, HEIGHT = 1280, 900
    #: The tab whose clock has been set.
    clocked: Tab | None = None
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
        self.set_clock()
        self.tab.open(self.stand.url + path)
        self.tab.wait("document.documentElement.dataset.ready === 'yes'")
        if rows:
            self.tab.wait(f"{ROWS} > 2")
        return self.tab

    def set_clock(self) -> None:
        """Sets the clock of the tab's device to the server's, as most devices' is; before a page is opened."""
        if self.tab is not self.clocked:
            self.clocked = self.tab
            self.tab.call("Page.addScriptToEvaluateOnNewDocument", source=f"(() => {{ const now = Date.now; Date.now = () => now() + {self.stand.ahead}; }})()")

    def board(self, stop: str = STOP, query: str = "limit=60&include_alerts=1&lang=en") -> dict:
        """The board as the API gives it."""
        return self.stand.server.get(f"/api/stationboard?stop_id={stop}&{query}")[1]

    def received(self) -> dict:
        """The last board that the page got, as it got it. It may have shown rows before: those that the page had kept."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            for request in reversed(self.tab.boards()):
                if self.tab.responses.get(request["id"], {}).get("status") == 200:
                    try:
                        answer = self.tab.call("Network.getResponseBody", requestId=request["id"])
                    except ProtocolError:
                        continue  # It is still on its way, or went with the document before.
                    text = answer["body"]
                    return json.loads(base64.b64decode(text) if answer["base64Encoded"] else text)
            time.sleep(0.05)
        raise AssertionError(f"the page got no board in {LONGEST} s")

    def shows_what_it_received(self, choose: Callable[[dict], bool] = lambda departure: True) -> list[str]:
        """Waits until the rows are those of the board that the page got last, less what has left since; their destinations."""
        end = time.monotonic() + LONGEST
        while True:
            wanted = [departure["destination"] for departure in self.received()["departures"] if choose(departure)]
            shown = self.destinations()
            if shown and any(shown == wanted[gone:gone + len(shown)] for gone in range(6)):
                return shown
            assert time.monotonic() < end, f"the rows are {shown}, and not of {wanted}"
            time.sleep(0.05)

    def freeze(self, **changes: object) -> dict:
        """From now on every answer is the board that the page got last, with changes of its members; that board."""
        body = {**self.received(), **changes}
        self.tab.intercept(lambda url: {"status": 200, "body": body} if "/api/stationboard?" in url else None)
        return body

    def destinations(self, pane: int = 0) -> list[str]:
        """The destinations on the screen, in order."""
        return self.tab.run(
            f"[...document.querySelectorAll('.pane')[{pane}].querySelectorAll('.departure:not(.vacant) [data-part=open]')].map((one) => one.textContent)"
        )


def load_side_by_side(loader, tests, pattern) -> SideBySide:
    """The tests of a module beside each other, as tabs of one browser; import it as ``load_tests``."""
    suite = SideBySide([tests])
    suite.most = 6
    return suite
