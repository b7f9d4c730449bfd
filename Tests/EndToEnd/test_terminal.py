"""The terminal board in a pseudo terminal, as a person sees it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import PROGRAM, Folder, Server, run, sample

COLUMNS, ROWS = 90, 20
LONGEST = 60


class Screen:
    """The program in a terminal of 90 by 20; what it wrote so far."""

    def __init__(self, *arguments, environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, close_fds=True,
            start_new_session=True, env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
        )
        os.close(slave)
        self.text = ""

    def wait_for(self, pattern):
        """Reads until the pattern is on the screen."""
        deadline = time.monotonic() + LONGEST
        while not re.search(pattern, self.text):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"{pattern!r} never appeared: {self.text[-2000:]!r}")
            try:
                self.text += os.read(self.master, 65_536).decode("utf-8", "replace")
            except OSError:
                raise AssertionError(f"ended before {pattern!r}: {self.text[-2000:]!r}") from None
        return self.text

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


class TerminalTest(unittest.TestCase):
    """One server for all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        sample(cls.folder / "feed")
        answer = run("import", str(cls.folder / "feed"), "--data", str(cls.folder / "data"))
        assert answer.returncode == 0, answer.stderr

    def screen(self, *arguments, **options):
        screen = Screen(*arguments, **options)
        self.addCleanup(screen.close)
        return screen

    def test_the_board_stays_honest_when_the_server_goes(self):
        with Server(self.folder / "data") as server:
            screen = self.screen("board", "lausanne", "--server", server.url)
            text = screen.wait_for(r"timetable only · checked \d+ s ago")
            self.assertIn("Lausanne", text)
            self.assertIn("\x1b[", text, "colours on a terminal")
            server.stop()
        # The next refresh fails: the rows stay, and the line below says why.
        screen.text = ""
        text = screen.wait_for(r"refuses connections")
        self.assertRegex(text, r"\d\d:\d\d")
        screen.process.send_signal(signal.SIGINT)
        self.assertNotEqual(screen.process.wait(timeout=10), None)

    def test_no_color_is_respected(self):
        with Server(self.folder / "data") as server:
            screen = self.screen(
                "board", "lausanne", "--once", "--server", server.url, environment={"NO_COLOR": "1"}
            )
            text = screen.wait_for(r"timetable only")
            self.assertNotIn("\x1b[1;38", text)

    def test_an_import_draws_a_bar(self):
        screen = self.screen(
            "import", str(self.folder / "feed"), "--data", str(self.folder / "other")
        )
        screen.wait_for("█")
        screen.wait_for("stop times a second")


if __name__ == "__main__":
    unittest.main()
