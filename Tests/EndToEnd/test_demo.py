"""Scripts/demo: a server and a live feed beside it, which end together."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from program import PROGRAM, Folder
from side_by_side import load_side_by_side as load_tests  # noqa: F401

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts" / "demo"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class DemoTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def start(self, port: int, feed_port: int) -> subprocess.Popen:
        process = subprocess.Popen(
            [str(SCRIPT), PROGRAM, str(self.folder.path), str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env={**os.environ, "FEED_PORT": str(feed_port)},
        )

        def end():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        return process

    def live(self, process: subprocess.Popen, port: int) -> str:
        """Waits until a board has realtime; gives the address of the feed."""
        address, limit = None, time.monotonic() + 90
        while address is None:
            line = process.stdout.readline()
            self.assertTrue(line, "the demo has ended")
            found = re.search(r"(http://\S+)/truth.json", line)
            address = found and found.group(1)
        while time.monotonic() < limit:
            try:
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{port}/api/stationboard?stop_id=Parent8501120&limit=5"
                ) as answer:
                    if json.load(answer)["meta"]["rtStatus"] == "applied":
                        return address
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.1)
        raise AssertionError("no realtime on the board of the demo")

    def is_open(self, port: int) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    def test_the_board_is_alive_and_ctrl_c_ends_both(self):
        port, feed_port = free_port(), free_port()
        process = self.start(port, feed_port)
        self.assertEqual(self.live(process, port), f"http://127.0.0.1:{feed_port}")
        # As a terminal does: to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)
        self.assertFalse(self.is_open(port))
        self.assertFalse(self.is_open(feed_port))

    def test_a_feed_port_that_is_taken_is_another_one(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port, feed_port = free_port(), taken.getsockname()[1]
            process = self.start(port, feed_port)
            address = self.live(process, port)
            self.assertNotEqual(address, f"http://127.0.0.1:{feed_port}")
            process.terminate()
            process.wait(timeout=60)
            self.assertFalse(self.is_open(port))
            self.assertFalse(self.is_open(int(address.rsplit(":", 1)[1])))

    def test_a_server_that_cannot_start_takes_the_feed_with_it(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            feed_port = free_port()
            process = self.start(taken.getsockname()[1], feed_port)
            output = process.communicate(timeout=90)[0]
            self.assertNotEqual(process.returncode, 0)
            self.assertIn(str(taken.getsockname()[1]), output)
            self.assertFalse(self.is_open(feed_port))


if __name__ == "__main__":
    unittest.main()
