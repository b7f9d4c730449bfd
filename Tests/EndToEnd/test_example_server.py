"""The package Examples/Thermometer: a server of its own resource, a page and a program that keep it fresh."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from browser import Browser
from program import LAB, once, until
from scale import IS_LONG
from test_examples import EXAMPLES, build

PACKAGE = EXAMPLES / "Thermometer"
#: A place of its own: with the trait `Server` every module of this package is compiled again.
SCRATCH = EXAMPLES.parent / ".build/examples-server"
MOST_LINES = 40


@once
def built() -> Path:
    """The folder of the example's programs: built with this package, in long tests as the package that it is."""
    if not IS_LONG:
        return Path(LAB).parent
    build("Thermometer", SCRATCH)
    return SCRATCH / "debug"


@once
def browser() -> Browser:
    return Browser()


def tearDownModule() -> None:  # noqa: N802
    browser().close()


class Thermometer:
    """The built server on a free port."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [built() / "ThermometerServer", str(self.port)], cwd=PACKAGE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        until(self.is_open)

    def is_open(self) -> bool:
        assert self.process.poll() is None, "the server ended"
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def ask(self, path: str, method: str = "GET", content: bytes | None = None, **fields: str) -> tuple[int, dict[str, str], bytes]:
        request = urllib.request.Request(self.url + path, method=method, data=content, headers={name.replace("_", "-"): value for name, value in fields.items()})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, {name.lower(): value for name, value in error.headers.items()}, error.read()

    def put(self, celsius: float, ago: float = 0, **fields: str) -> tuple[int, dict[str, str], bytes]:
        """Reports a temperature, as the thermometer does."""
        measured = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))
        return self.ask("/climate", "PUT", json.dumps({"celsius": celsius, "measuredAt": measured}).encode(), **fields)

    def served(self, kind: str) -> int:
        """How many responses or events of a kind were sent."""
        text = self.ask("/metrics")[2].decode()
        return sum(int(count) for count in re.findall(rf'^freshet_served_total{{[^}}]*kind="{kind}"[^}}]*}} (\d+)$', text, re.MULTILINE))

    def put_to_those_who_wait(self, celsius: float) -> None:
        """Reports a temperature as soon as a long poll or a stream is open."""
        until(lambda: int(re.search(r"^freshet_served_waiting (\d+)$", self.ask("/metrics")[2].decode(), re.MULTILINE)[1]) > 0)
        self.put(celsius)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Reader:
    """The Swift program, and what it printed."""

    def __init__(self, *words: str):
        self.process = subprocess.Popen([built() / "ThermometerReader", *words], stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.lines: list[str] = []
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()


class ServerExampleTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Thermometer()
        self.addCleanup(self.server.kill)

    def test_the_server_has_at_most_forty_lines(self) -> None:
        lines = [line for path in (PACKAGE / "Sources/ThermometerServer").glob("*.swift") for line in path.read_text().splitlines()]
        self.assertLessEqual(len(lines), MOST_LINES)

    def test_it_answers_as_the_documentation_says(self) -> None:
        status, fields, _ = self.server.ask("/climate")
        self.assertEqual((status, fields["retry-after"]), (503, "5"))
        status, written, _ = self.server.put(21.5, ago=90)
        self.assertEqual(status, 204)
        status, fields, body = self.server.ask("/climate")
        self.assertEqual((status, json.loads(body)["celsius"], fields["etag"]), (200, 21.5, written["etag"]))
        self.assertEqual(fields["cache-control"], "private, no-cache")
        self.assertIn(int(fields["x-md-rt-age-ms"]) // 1_000, range(90, 150))
        self.assertEqual(self.server.ask("/climate", If_None_Match=f'"other", {fields["etag"]}')[0], 304)
        self.assertEqual(self.server.ask("/climate", "HEAD")[2], b"")
        self.assertEqual(self.server.put(3, If_Match='"other"')[0], 412)
        self.assertEqual(self.server.put(22, If_Match=fields["etag"])[0], 204)
        self.assertEqual(json.loads(self.server.ask("/climate")[2])["celsius"], 22)
        self.assertEqual(self.server.stop(), 0)

    def page(self, query: str, is_streaming: bool) -> None:
        """Opens the page, and shows it two temperatures."""
        self.server.put(21.5)
        tab = browser().tab()
        self.addCleanup(tab.close)
        tab.open(f"{self.server.url}/{query}")
        tab.wait(f"document.querySelector('#celsius').textContent === '21.5 °C' && document.body.dataset.streaming === '{str(is_streaming).lower()}'")
        for celsius in (22.5, 23.5):
            self.server.put_to_those_who_wait(celsius)
            tab.wait(f"document.querySelector('#celsius').textContent === '{celsius} °C'")
        self.assertEqual(tab.run("document.body.dataset.state"), "live")
        self.assertEqual(tab.console, [])

    def test_a_page_follows_the_stream(self) -> None:
        self.page("", is_streaming=True)
        self.assertGreaterEqual(self.server.served("event"), 2)

    def test_a_page_polls(self) -> None:
        self.page("?poll", is_streaming=False)
        self.assertEqual(self.server.served("stream"), 0)
        self.assertGreaterEqual(self.server.served("wait"), 2)

    def reader(self, *words: str) -> None:
        """Starts the program, and shows it two temperatures."""
        self.server.put(21.5, ago=75)
        reader = Reader(f"{self.server.url}/climate", *words)
        self.addCleanup(reader.close)
        until(lambda: any(line.startswith("21.5 °C") for line in reader.lines))
        # The age counts from the measurement, not from the response.
        age = float(re.search(r"([\d.]+) seconds", next(line for line in reader.lines if line.startswith("21.5")))[1])
        self.assertGreaterEqual(age, 75)
        for celsius in (22.5, 23.5):
            self.server.put_to_those_who_wait(celsius)
            until(lambda: any(line.startswith(f"{celsius} °C, live") for line in reader.lines))

    def test_a_swift_program_follows_the_stream(self) -> None:
        self.reader("--stream")
        self.assertGreaterEqual(self.server.served("event"), 2)

    def test_a_swift_program_polls(self) -> None:
        self.reader()
        self.assertEqual(self.server.served("stream"), 0)
        self.assertGreaterEqual(self.server.served("wait"), 2)


if __name__ == "__main__":
    unittest.main()
