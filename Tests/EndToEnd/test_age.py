"""The age on screen behind caches, edges, slow links and clocks that jump, in the terminal and in Chromium (R36 to R39).

A stub is in place of the server's boards: it knows when the data it sends was made, so that it knows the truth.
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

#: What `Age`, and the `Date` of a cache, leave out: they count whole seconds (R37).
SECOND = 1.0
#: A client measures how long an answer took; the stub sees only the part that it takes itself. The rest is the machine's.
BUSY = 1.0
#: What is computed is on screen a little later, on a busy machine.
DRAWING = 0.25
#: After this time an answer is on screen, on a busy machine too.
SHOWN_WITHIN = 3.0


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
        #: What is being sent: when it began, and when its data was made.
        self.begun: list[tuple[float, float]] = []
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

    def least_truth(self, before: float, after: float) -> float:
        """The age of the newest data that a client may have had at some instant between the two, at its least."""
        return before - max(made for begun, made in self.begun if begun <= after)

    def most_truth(self, before: float, after: float) -> float | None:
        """The same at its greatest: of the data that the client must have shown by then."""
        made = [made for sent, made in self.sent if sent <= before - SHOWN_WITHIN]
        return after - max(made) if made else None


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
        server.begun.append((clock(), made))
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


def shown_age(words: str) -> tuple[int, int] | None:
    """The age in a text in seconds, and its unit: it is cut to whole units, so that the figure behind it is less than a unit more."""
    found = re.search(r"updated (\d+)\s(s|min|h) ago", words)
    if found is None:
        return None
    unit = {"s": 1, "min": 60, "h": 3600}[found.group(2)]
    return int(found.group(1)) * unit, unit


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

    def page_age(self) -> tuple[int, int] | None:
        return shown_age(self.tab.text(".freshness"))

    def screen(self, stub: Stub, **options) -> Screen:
        screen = Screen("board", STOP, "--server", stub.url, "--lang", "en", **options)
        self.addCleanup(screen.close)
        screen.wait_until(lambda rows: any(shown_age(row) is not None for row in rows), "an age")
        return screen

    @staticmethod
    def screen_age(screen: Screen) -> tuple[int, int] | None:
        screen.more(0.02)
        return next((age for age in map(shown_age, screen.shows()) if age is not None), None)

    def assert_honest(self, screens, delay: float, cached: bool = False, changes: int = 4) -> None:
        """Follows the ages that are shown, until each screen has drawn so many others: never younger than the truth, and older than it by no more
        than the delay of the answer (and a second of the fields of a cache).

        An age is drawn between the check that does not show it yet and the one that does: it is compared with the truth at both.
        `screens`: of each its name, its stub and a function that reads its age.
        """
        looks = {name: (clock(), read()) for name, _, read in screens}
        left = {name: changes for name in looks}
        end = time.monotonic() + 60
        while any(left.values()):
            self.assertLess(time.monotonic(), end, f"ages that are not drawn any more: {left}")
            time.sleep(0.08)
            for name, stub, read in screens:
                before, last = looks[name]
                now, drawn = clock(), read()
                looks[name] = (now, drawn)
                if drawn is None or drawn == last:
                    continue
                self.assert_drawn(stub, name, drawn, before, clock(), delay + (SECOND if cached else 0))
                left[name] = max(left[name] - 1, 0)

    def assert_drawn(self, stub: Stub, name: str, drawn: tuple[int, int], before: float, after: float, delay: float) -> None:
        age, unit = drawn
        self.assertGreater(age + unit + DRAWING, stub.least_truth(before, after), f"{name}: younger than the data is")
        most = stub.most_truth(before, after)
        if most is not None:
            self.assertLessEqual(age, most + delay + BUSY, f"{name}: older than the data can be")


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
            # A change may be printed before the request that brought it, or, on a busy machine, after the next one.
            if arrival is None or abs(arrival["rtFetchedAt"] - made) > 1:
                continue
            # When it was printed, by the program's own figures: it arrived `changedAgoMs` before.
            excesses.append(line["ageMs"] - (arrival["endedAt"] + line["changedAgoMs"] - made))
        slowest = max(event["durationMs"] for event in watch.events("request"))
        #: What clocks in whole milliseconds are off by.
        noise = 5
        self.assertGreaterEqual(min(excesses), -noise, f"younger than the data is: {excesses}")
        self.assertLessEqual(max(excesses), 999 + slowest + noise, f"older than the data can be: {excesses}")


class AgesOnScreen(AgeTest):
    def both(self, delay: float, cached: bool = False, kept: float = 0.0, **options) -> None:
        """One stub for each of the two: what one was sent says nothing of the other. `kept`: how long answers lie in the cache."""
        of_screen, of_page = stubs = [self.stub(**options) for _ in range(2)]
        if kept:
            for stub in stubs:
                stub.template = self.board()
                stub.board()
            time.sleep(kept)
        screen = self.screen(of_screen)
        self.page(of_page)
        self.assert_honest([("terminal", of_screen, lambda: self.screen_age(screen)), ("Chromium", of_page, self.page_age)], delay, cached)

    def test_a_cache_that_hides_itself_makes_nothing_younger(self):
        """Without Age; its own Date betrays it, and the same data never gets younger."""
        self.both(0, cached=True, kept=9, every=30.0, cache=60.0)

    def test_a_cache_that_tells_its_age_is_believed(self):
        self.both(0, cached=True, kept=7, every=30.0, cache=60.0, age=True)

    def test_a_slow_link_makes_data_older(self):
        self.both(8.0, every=1.0, slow=8.0)

    def test_two_edges_40_s_apart_never_take_a_board_back(self):
        of_screen, of_page = [self.stub(every=2.0, edges=40.0) for _ in range(2)]
        screen = self.screen(of_screen)
        self.page(of_page)
        screens = [("terminal", of_screen, lambda: self.screen_age(screen)), ("Chromium", of_page, self.page_age)]
        # The first came from the edge that is up to date, the second comes from the other, and the third from the first.
        for answers in (2, 3):
            screen.press("r")
            self.tab.key("r")
            until(lambda: all(len(stub.sent) >= answers for _, stub, _ in screens))
            self.assert_honest(screens, 0, changes=3)

    def test_a_clock_that_jumps_two_hours_while_the_server_is_down_moves_no_age(self):
        folder = Path(self.stand.folder.path)
        library, shift = folder / "shifted_age_clock.so", folder / "age_shift"
        source = Path(__file__).with_name("shifted_clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
        shift.write_text("0")
        of_screen, of_page = stubs = [self.stub(every=2.0) for _ in range(2)]
        screen = self.screen(of_screen, environment={"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(shift)})
        self.page(of_page)
        # A page whose wall clock can be set.
        self.tab.run("(() => { const wall = Date.now; window.ahead = 0; Date.now = () => wall() + window.ahead; })()")
        for stub in stubs:
            stub.is_down = True
        for jump in (7_200, -7_200, 0):
            with self.subTest(jump=jump):
                shift.write_text(str(jump))
                self.tab.run(f"void (window.ahead = {jump * 1000})")
                self.assert_honest([("terminal", of_screen, lambda: self.screen_age(screen)), ("Chromium", of_page, self.page_age)], 0, changes=3)


if __name__ == "__main__":
    unittest.main()
