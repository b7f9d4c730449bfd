"""A recording of the web board in Chromium beside one of the terminal board, against the same storm."""

from __future__ import annotations

import re
import secrets
import signal
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path

from browser import Browser
from program import PROGRAM, Folder, Producer, Server, until
from sample_network import copy_network

STOP = "Parent8501120"
#: The cadence of the page, in its own words (Sources/Programs/CWebAssets/Public/board/page.js).
USUAL = 'preset:"departuresWeb"'


def lines(path: Path) -> list[str]:
    """The whole lines of a file that is being written."""
    return path.read_text().split("\n")[:-1] if path.exists() else []


class Storm:
    """A sample network of today, a producer whose feed is a storm, and a server on the present clock.

    The server is started as it is deployed, and with a key for receipts; `poll` is for publications that come more often than
    sources are usually asked, in seconds.
    """

    def __init__(self, period: float, poll: float | None = None):
        self.folder = Folder()
        self.key = self.folder / "receipt.key"
        self.key.write_text(secrets.token_hex(32))
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        copy_network(self.folder.path, date=day)
        self.feed = Producer(self.folder / "data", "--scenario", "storm", "--period", f"{period:g}", now=None)
        # The service clock is the present: the clocks of server and clients are compared.
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.server = Server(
            self.folder / "data", "--trip-updates", f"{self.feed.url}/trip-updates.pb", "--alerts", f"{self.feed.url}/alerts.pb",
            "--receipt-key", str(self.key), *([] if poll is None else ["--poll", f"trip-updates={round(poll * 1000)}"]), now=now,
        )
        self.browser = Browser()

    def wait_for_realtime(self) -> None:
        """Waits until boards are live."""
        end = time.monotonic() + 120
        while self.server.get(f"/api/stationboard?stop_id={STOP}")[1]["meta"]["rtStatus"] != "applied":
            assert time.monotonic() < end, "realtime was never applied"
            time.sleep(0.2)

    def record(self, seconds: float, policy: str = USUAL, every: float | None = None, answers: int | None = None) -> list[Path]:
        """Lets both clients run beside each other; the page's own export and the terminal's recording.

        `policy` is the page's policy of the engine, `every` the interval of the terminal board if it is not its own.
        They end after some seconds, or before, once both have so many answers.
        """
        native = self.folder / "native.jsonl"
        interval = [] if every is None else ["--every", f"{every:g}"]
        tab = self.browser.tab(width=1280, height=900, bare=True)
        if policy != USUAL:
            # The page as it is, with another policy of the same engine in it.
            address = re.search(r'src="(/assets/board\.[0-9a-f]+\.js)"', self.text("/"))[1]
            page = self.text(address)
            assert page.count(USUAL) == 1, "the page names its preset once"
            tab.call("Network.setBypassServiceWorker", bypass=True)
            tab.answers = lambda url: {
                "status": 200, "headers": {"Content-Type": "text/javascript"}, "body": page.replace(USUAL, policy),
            }
            tab.call("Fetch.enable", patterns=[{"urlPattern": f"*{address}"}])
        tab.open(f"{self.server.url}/?stop={STOP}&lang=en")
        tab.wait("document.documentElement.dataset.ready === 'yes'")
        time.sleep(0.7)
        client = subprocess.Popen(
            [PROGRAM, "board", STOP, "--server", self.server.url, "--no-stream", *interval, "--record", str(native), "--for", f"{seconds:g}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if answers is not None:
            until(lambda: client.poll() is not None or len(lines(native)) >= answers and len(tab.answered_boards()) >= answers)
            client.send_signal(signal.SIGINT)
        text, _ = client.communicate(timeout=seconds + 120)
        assert client.returncode == 0, text
        web = self.saved(tab)
        assert [line for line in tab.console if not re.search("preload", line)] == [], tab.console
        tab.close()
        return [web, native]

    def saved(self, tab) -> Path:
        """What the diagnostics save as a file, as a person would have it."""
        folder = self.folder / "downloads"
        folder.mkdir()
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), browserContextId=tab.context)
        tab.key("d")
        tab.wait("!document.querySelector('#diagnostics').hidden")
        tab.click("#diagnostics .diagnostics-head button")
        end = time.monotonic() + 60
        while not (files := [one for one in folder.iterdir() if one.suffix == ".jsonl"]):
            assert time.monotonic() < end, "nothing was saved"
            time.sleep(0.05)
        return files[0]

    def text(self, path: str) -> str:
        """A file of the server."""
        import urllib.request
        with urllib.request.urlopen(self.server.url + path, timeout=30) as answer:
            return answer.read().decode()

    def close(self) -> None:
        """Ends everything."""
        self.browser.close()
        self.server.__exit__()
        self.feed.__exit__()
        self.folder.remove()
