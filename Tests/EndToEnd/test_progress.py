"""What long commands show of their progress: on a terminal, in a log, and with --json."""

from __future__ import annotations

import functools
import io
import re
import socket
import subprocess
import threading
import time
import unittest
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from program import LONGEST, PROGRAM, Folder, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import Screen

PARTS = 50
PAUSE = 0.1
"""Seconds before each part of a slow download."""
LEFT = re.compile(r"about (\d+) s left")


class SlowSource(BaseHTTPRequestHandler):
    """Sends an archive in parts, with pauses, and says how long it is."""

    def __init__(self, body: bytes, *arguments):
        self.body = body
        super().__init__(*arguments)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        size = -(-len(self.body) // PARTS)
        for place in range(0, len(self.body), size):
            time.sleep(PAUSE)
            self.wfile.write(self.body[place:place + size])
            self.wfile.flush()

    def log_message(self, *_):
        pass


class SlowReader(threading.Thread):
    """Reads a request slowly, and refuses it at its end."""

    def __init__(self, rate: int):
        super().__init__(daemon=True)
        self.rate = rate
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        connection, _ = self.listener.accept()
        with connection:
            text = b""
            while b"\r\n\r\n" not in text:
                text += connection.recv(4_096)
            head, body = text.split(b"\r\n\r\n", 1)
            left = int(re.search(rb"(?i)content-length: (\d+)", head)[1]) - len(body)
            while left > 0:
                time.sleep((1 << 16) / self.rate)
                left -= len(connection.recv(min(left, 1 << 16), socket.MSG_WAITALL))
            answer = b'{"error":{"code":"invalid_input","message":"it is no list"}}'
            connection.sendall(
                b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        copy_network(cls.folder.path)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for file in sorted((cls.folder / "feed").iterdir()):
                archive.write(file, file.name)
        source = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(SlowSource, buffer.getvalue()))
        threading.Thread(target=source.serve_forever, daemon=True).start()
        cls.addClassCleanup(source.server_close)
        cls.addClassCleanup(source.shutdown)
        cls.url = f"http://127.0.0.1:{source.server_port}/feed.zip"

    def drawn(self, text: str) -> list[str]:
        """The lines that were drawn, one in the place of the other."""
        return [line.removesuffix("\x1b[K") for line in re.findall(r"\r([^\r\n]*)", text)]

    def assert_honest(self, lines: list[str], what: str) -> None:
        """Nothing is said in the beginning; then the time left falls, and never jumps."""
        lines = [line for line in lines if line.startswith(what)]
        self.assertGreater(len(lines), 20)
        self.assertTrue(all(len(line) < 90 for line in lines))
        shares = [int(found[1]) for line in lines if (found := re.search(r"(\d+) %", line))]
        self.assertEqual(shares, sorted(shares))
        self.assertNotRegex("\n".join(lines[:10]), LEFT)
        left = [int(found[1]) for line in lines if (found := LEFT.search(line))]
        self.assertGreater(len(left), 3, lines)
        self.assertLess(max(left), 30)
        for before, after in zip(left, left[1:]):
            self.assertLessEqual(after, before * 1.3 + 2, left)
        self.assertLessEqual(left[-1], 3)

    def assert_gone(self, screen: Screen) -> None:
        """The last that was drawn is an empty line, and no progress follows."""
        self.assertEqual(self.drawn(screen.text[:screen.text.rindex("\x1b[K") + 3])[-1], "")
        self.assertNotRegex(screen.text[screen.text.rindex("\x1b[K"):], "█|\\d (s|min|h \\d+ min) left")

    def test_a_download_and_an_import_on_a_terminal(self):
        screen = Screen("import", self.url, "--data", str(self.folder / "one"))
        self.addCleanup(screen.close)
        self.assertEqual(screen.ends(), 0)
        lines = self.drawn(screen.text)
        self.assert_honest(lines, "downloading")
        for step in ("reading stop_times.txt", "writing timetable", "building stop search"):
            self.assertTrue(any(line.startswith(step) for line in lines), step)
        # Only the report is left.
        self.assert_gone(screen)

    def test_a_source_that_is_added_and_a_feed_that_is_looked_at(self):
        for command in (["feeds", "add", self.url, "--data", str(self.folder / "two")], ["doctor", self.url]):
            with self.subTest(command[0]):
                screen = Screen(*command)
                self.addCleanup(screen.close)
                screen.ends()
                self.assert_honest(self.drawn(screen.text), "downloading")

    def test_neither_a_log_nor_json_has_it(self):
        answer = run("import", str(self.folder / "feed"), "--data", str(self.folder / "three"))
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        answer = run("import", self.url, "--data", str(self.folder / "four"))
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        screen = Screen("import", self.url, "--json", "--data", str(self.folder / "five"))
        self.addCleanup(screen.close)
        self.assertEqual(screen.ends(), 0)
        self.assertNotIn("\x1b", screen.text)
        self.assertNotIn("\r\r", screen.text)
        screen = Screen("import", str(self.folder / "feed"), "--data", str(self.folder / "six"), environment={"TERM": "dumb"})
        self.addCleanup(screen.close)
        self.assertEqual(screen.ends(), 0)
        self.assertNotIn("\x1b", screen.text)

    def test_backups_lists_of_books_and_samples(self):
        books = self.folder / "books.csv"
        books.write_text("Title,Author\n" + "".join(f"Book {number},Author {number % 7}\n" for number in range(2_000)))
        data, backup = str(self.folder / "data"), str(self.folder / "backup")
        for command, step in [
            (["backup", backup, "--data", data], "copying"),
            (["restore", backup, "--check"], "comparing checksums"),
            (["restore", backup, "--data", str(self.folder / "restored")], "copying"),
            (["import", "--verify", "--data", data], "checking"),
            (["library", "import", str(books), "--library", str(self.folder / "books.sqlite")], "importing books.csv"),
            (["library", "export", "--output", str(self.folder / "again.csv"), "--library", str(self.folder / "books.sqlite")], "writing"),
        ]:
            with self.subTest(" ".join(command[:2])):
                screen = Screen(*command)
                self.addCleanup(screen.close)
                self.assertEqual(screen.ends(), 0, screen.text)
                self.assertIn(f"\r{step}", screen.text)
                self.assertRegex(screen.text, "[█░]")
                self.assert_gone(screen)

    def test_an_upload(self):
        server = SlowReader(rate=6 << 20)
        self.addCleanup(server.listener.close)
        books = self.folder / "large.csv"
        # The system takes up to eight megabytes at once, so that there are few steps.
        books.write_text("Title,Author\n" + "A long title of a book,Its author\n" * 1_800_000)
        screen = Screen("jobs", "import", str(books), "--server", server.url, "--tokens", str(self.folder / "tokens.json"))
        self.addCleanup(screen.close)
        self.assertEqual(screen.ends(), 65, screen.text)
        lines = [line for line in self.drawn(screen.text) if line.startswith("sending")]
        shares = [int(found[1]) for line in lines if (found := re.search(r"(\d+) %", line))]
        self.assertGreater(len(set(shares)), 2, shares)
        self.assertEqual(shares, sorted(shares))
        self.assertNotRegex(lines[0], LEFT)
        left = [int(found[1]) for line in lines if (found := LEFT.search(line))]
        self.assertGreater(len(left), 1, lines)
        self.assertLess(max(left), 30)
        self.assertIn("it is no list", screen.text)

    def test_a_log_has_lines_of_a_step_that_takes_long(self):
        class Endless(SlowSource):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                for _ in range(120):
                    time.sleep(0.1)
                    self.wfile.write(b"x")
                    self.wfile.flush()
                self.close_connection = True

        source = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Endless, b""))
        threading.Thread(target=source.serve_forever, daemon=True).start()
        self.addCleanup(source.server_close)
        self.addCleanup(source.shutdown)
        answer = subprocess.run(
            [PROGRAM, "import", f"http://127.0.0.1:{source.server_port}/x.zip", "--data", str(self.folder / "seven")],
            capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual(answer.returncode, 66)
        line, *others = answer.stderr.splitlines()
        self.assertRegex(line, r"^downloading: \d+ %, \d+ B of 1.0 kB, about \d+ (s|min) left$")
        self.assertNotIn("downloading", "\n".join(others))


if __name__ == "__main__":
    unittest.main()
