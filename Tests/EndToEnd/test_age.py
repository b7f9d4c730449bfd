"""The age on screen behind caches, edges, slow links and clocks that jump, in the terminal and in Chromium (R36 to R39).

A stub stands in place of the server's boards: it knows when the data it sends was made, so that it knows the truth.
"""

import http.server
import json
import re
import signal
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timezone
from email.utils import formatdate
from pathlib import Path

from boards import ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests, stand  # noqa: F401
from program import Folder, until
from terminal import Screen
from watching import JSON, Broken, Watch, reply

#: What a screen may be late: it is drawn once a second, ages are cut to whole seconds, and machines are busy.
SLACK = 4.0


def clock() -> float:
    """The time of the server whose boards the stub sends on."""
    return time.time() + stand().ahead / 1_000


def text(instant: float) -> str:
    return datetime.fromtimestamp(instant, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Stub(http.server.ThreadingHTTPServer):
    """Boards of data that is made every `every` seconds, with the ways to spoil their age."""

    daemon_threads = True

    def __init__(self, origin: str, *, every: float = 4.0, cache: float = 0.0, age: bool = False, slow: float = 0.0, edges: float = 0.0):
        self.origin, self.every, self.cache, self.age, self.slow, self.edges = origin, every, cache, age, slow, edges
        self.template: dict | None = None
        self.kept: tuple[float, bytes] | None = None
        self.asked = 0
        self.is_down = False
        #: What was sent: when it was complete, and when its data was made.
        self.sent: list[tuple[float, float]] = []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def board(self) -> tuple[float, bytes, float]:
        """When the board was built, its bytes, and when its data was made."""
        now = clock()
        with self.lock:
            self.asked += 1
            if self.kept and now - self.kept[0] < self.cache:
                built, body = self.kept
                return built, body, json.loads(body)["made"]
            behind = self.edges if self.edges and self.asked % 2 == 0 else 0.0
            made = (now - behind) // self.every * self.every
            meta = {**self.template["meta"], "serverTime": text(now), "rtFetchedAt": text(made), "rtCacheAgeMs": round((now - made) * 1000),
                    "rtStatus": "applied", "responseMode": "full"}
            for name in ("nextExpectedAt", "rtCoverage", "entityTag"):
                meta.pop(name, None)
            board = {**self.template, "meta": meta, "rt": {"applied": True}, "made": made}
            body = json.dumps(board).encode()
            if self.cache:
                self.kept = (now, body)
            return now, body, made

    def newest(self) -> float:
        """When the newest data was made that was sent."""
        return max(made for _, made in self.sent)

    def truth(self) -> float:
        """The age of the newest data that the client has."""
        return clock() - self.newest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if "/stream" in self.path:
            return self.answer(404, b"{}")
        if not self.path.startswith("/api/stationboard?"):
            try:
                with urllib.request.urlopen(server.origin + self.path, timeout=30) as reply:
                    return self.answer(reply.status, reply.read(), reply.headers.get("content-type"))
            except urllib.error.HTTPError as error:
                return self.answer(error.code, error.read())
        if server.is_down:
            self.close_connection = True
            return None
        if server.template is None:
            with urllib.request.urlopen(server.origin + self.path, timeout=30) as reply:
                server.template = json.loads(reply.read())
        built, body, made = server.board()
        time.sleep(server.slow)
        fields = {"Date": formatdate(clock(), usegmt=True)}
        if server.age:
            fields = {"Date": formatdate(built, usegmt=True), "Age": str(int(clock() - built))}
        self.answer(200, body, "application/json", fields)
        server.sent.append((clock(), made))

    def answer(self, status, body, kind="application/json", fields=None):
        # The base class would send a Date of its own.
        self.send_response_only(status)
        self.send_header("Content-Type", kind or "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (fields or {"Date": formatdate(clock(), usegmt=True)}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def seconds(words: str) -> float | None:
    found = re.search(r"updated (\d+)\s(s|min|h) ago", words)
    return found and int(found.group(1)) * {"s": 1, "min": 60, "h": 3600}[found.group(2)]


class AgeTest(BoardTest):
    """One stub a test; the page is that of the real server, and so is the terminal."""

    EXPECTED = re.compile(r"Failed to load resource|ERR_|WebSocket|service worker|ServiceWorker", re.I)

    def stub(self, **options) -> Stub:
        stub = Stub(self.stand.url, **options)
        self.addCleanup(stub.close)
        return stub

    def page(self, stub: Stub) -> None:
        self.set_clock()
        self.tab.open(f"{stub.url}/?stop={STOP}&lang=en")
        self.tab.wait("document.documentElement.dataset.ready === 'yes'")
        self.tab.wait(f"{ROWS} > 2")

    def page_age(self) -> float | None:
        return seconds(self.tab.text(".freshness"))

    def screen(self, stub: Stub, **options) -> Screen:
        screen = Screen("board", STOP, "--server", stub.url, "--lang", "en", **options)
        self.addCleanup(screen.close)
        screen.wait_until(lambda rows: any(seconds(row) is not None for row in rows), "an age")
        return screen

    @staticmethod
    def screen_age(screen: Screen) -> float | None:
        screen.more(0.05)
        return next((age for age in map(seconds, screen.shows()) if age is not None), None)

    def assert_honest(self, stub: Stub, ages, span: float, delay: float, name: str) -> int:
        """Looks at the ages that are shown for a while: never younger than the truth, never older than it and the delay."""
        looks, end = 0, time.monotonic() + span
        while time.monotonic() < end:
            sent = len(stub.sent)
            before, shown, after = stub.truth(), ages(), stub.truth()
            # An answer that came meanwhile changes the truth: look again.
            if shown is None or sent != len(stub.sent) or clock() - stub.sent[-1][0] < 1.5:
                time.sleep(0.2)
                continue
            self.assertGreaterEqual(shown + SLACK, before, f"{name}: younger than the data is")
            self.assertLessEqual(shown, after + delay + SLACK, f"{name}: older than the data can be")
            looks += 1
            time.sleep(0.3)
        self.assertGreater(looks, 3, name)
        return looks


class AgesToTheMillisecond(unittest.TestCase):
    """A server whose only clock is `Date`, in whole seconds. Chromium: `test_page_package.py`, with the same server."""

    def test_a_date_in_whole_seconds_makes_nothing_younger(self):
        """`freshet watch` states the age of what has changed in milliseconds: never below the truth, above it by the second of the `Date` at
        most (R37)."""

        def answer(*_) -> bytes:
            now = time.time()
            # Made in the last tenth of the second before, each time later.
            made = int(now) - 0.1 + now % 1 / 10
            body = json.dumps({"made": round(made * 1000)}).encode()
            return reply("200 OK", body, JSON, f"Date: {formatdate(int(now), usegmt=True)}", "x-md-rt-status: applied",
                         f"x-md-rt-fetched-at: {text(made)}")

        server = Broken(answer)
        self.addCleanup(server.kill_if_alive)
        folder = Folder()
        self.addCleanup(folder.remove)
        policy = folder / "policy.json"
        policy.write_text(json.dumps({"every": 430, "jitter": "none", "leastInterval": 400, "unchangedLimit": None, "unchangedFor": None}))
        watch = Watch(f"{server.url}/dated", "--policy", str(policy), "--json", "--body")
        self.addCleanup(watch.signal, signal.SIGINT)
        arrival, excesses = None, []
        while len(excesses) < 10:
            line = watch.event_of("request", "changed")
            if line["event"] == "request":
                arrival = line
                continue
            made = json.loads(line["body"])["made"]
            # On a busy machine another answer may have come before this one was printed.
            if abs(arrival["rtFetchedAt"] - made) > 1:
                continue
            # When it was printed, by the program's own figures: it arrived `changedAgoMs` before.
            excesses.append(line["ageMs"] - (arrival["endedAt"] + line["changedAgoMs"] - made))
        slowest = max(event["durationMs"] for event in watch.events("request"))
        #: What clocks in whole milliseconds are off by.
        noise = 5
        self.assertGreaterEqual(min(excesses), -noise, f"younger than the data is: {excesses}")
        self.assertLessEqual(max(excesses), 999 + slowest + noise, f"older than the data can be: {excesses}")


class AgesOnScreen(AgeTest):
    def both(self, span: float, delay: float, kept: float = 0.0, **options) -> None:
        """One stub for each of the two: what one was sent says nothing of the other. `kept`: how long answers lie in the cache."""
        of_screen, of_page = stubs = [self.stub(**options) for _ in range(2)]
        if kept:
            for stub in stubs:
                stub.template = self.board()
                stub.board()
            time.sleep(kept)
        screen = self.screen(of_screen)
        self.page(of_page)
        self.assert_honest(of_screen, lambda: self.screen_age(screen), span, delay, "terminal")
        self.assert_honest(of_page, self.page_age, span, delay, "Chromium")

    def test_a_cache_that_hides_itself_makes_nothing_younger(self):
        """Without Age; its own Date betrays it, and the same data never gets younger."""
        self.both(6, 1.5, kept=9, every=30.0, cache=60.0)

    def test_a_cache_that_tells_its_age_is_believed(self):
        self.both(4, 1.5, kept=7, every=30.0, cache=60.0, age=True)

    def test_a_slow_link_makes_data_older(self):
        self.both(4, 8.0, every=1.0, slow=8.0)

    def test_two_edges_40_s_apart_never_take_a_board_back(self):
        stub = self.stub(every=2.0, edges=40.0)
        self.page(stub)
        for _ in range(2):
            # The first came from the edge that is up to date, the second comes from the other.
            answered = len(stub.sent)
            self.tab.key("r")
            until(lambda: len(stub.sent) > answered)
            # Shown within a second; an age of 40 s would stay.
            time.sleep(1.5)
            self.assertLess(self.page_age(), 40 - SLACK, "the older edge replaced the newer one")
        other = self.stub(every=2.0, edges=40.0)
        screen = self.screen(other)
        screen.press("r")
        until(lambda: len(other.sent) > 1)
        time.sleep(1.5)
        self.assertLess(self.screen_age(screen), 40 - SLACK, "the older edge replaced the newer one")

    def test_a_clock_that_jumps_two_hours_while_the_server_is_down_moves_no_age(self):
        folder = Path(self.stand.folder.path)
        library, shift = folder / "shifted_age_clock.so", folder / "age_shift"
        source = Path(__file__).with_name("shifted_clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
        shift.write_text("0")
        stub = self.stub(every=2.0)
        screen = self.screen(stub, environment={"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(shift)})
        self.page(stub)
        # A page whose wall clock can be set.
        self.tab.run("(() => { const wall = Date.now; window.ahead = 0; Date.now = () => wall() + window.ahead; })()")
        stub.is_down = True
        for jump in (7_200, -7_200, 0):
            shift.write_text(str(jump))
            self.tab.run(f"void (window.ahead = {jump * 1000})")
            time.sleep(2.5)
            before = stub.truth()
            for name, age in (("terminal", self.screen_age(screen)), ("Chromium", self.page_age())):
                with self.subTest(name, jump=jump):
                    self.assertIsNotNone(age, self.tab.text(".freshness"))
                    self.assertGreaterEqual(age + SLACK, before)
                    self.assertLessEqual(age, stub.truth() + SLACK + (60 if stub.truth() > 55 else 0))


if __name__ == "__main__":
    unittest.main()
