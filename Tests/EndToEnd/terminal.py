"""A pseudo terminal with a program in it, and what a person sees on it."""

import codecs
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
import unicodedata

from program import PROGRAM

COLUMNS, ROWS = 90, 20
LONGEST = 60
SEQUENCE = re.compile(r"\x1b(?:\[([0-9;?]*)([A-Za-z])|([=>78]))")


def wide(character):
    """How many columns a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def drawn(text, columns=COLUMNS, rows=ROWS):
    """What a terminal shows after some output: as much of ECMA-48 as the board uses."""
    cells = [[" "] * columns for _ in range(rows)]
    row = column = place = 0
    while place < len(text):
        found = SEQUENCE.match(text, place)
        if found:
            place = found.end()
            numbers, kind = found.group(1), found.group(2)
            if kind == "H":
                row, column = [int(number) - 1 for number in (numbers or "1;1").split(";")]
            elif kind == "J" and numbers == "2":
                cells = [[" "] * columns for _ in range(rows)]
            elif kind == "K":
                # Behind the last column the cursor is on it, and the character under it is erased.
                start = min(column, columns - 1)
                cells[row][start:] = [" "] * (columns - start)
            elif kind in ("m", "h", "l", None):
                pass
            else:
                raise AssertionError(f"an unexpected sequence: {found.group(0)!r}")
            continue
        character = text[place]
        place += 1
        if character == "\r":
            column = 0
        elif character == "\n":
            row = min(row + 1, rows - 1)
        elif character >= " ":
            if column + wide(character) > columns:
                raise AssertionError(f"row {row} is longer than {columns} columns")
            if wide(character):
                cells[row][column] = character
                for more in range(1, wide(character)):
                    cells[row][column + more] = ""
                column += wide(character)
            else:
                cells[row][column - 1] += character
    return ["".join(line).rstrip() for line in cells]


class Screen:
    """The program in a terminal of 90 by 20; what it wrote so far."""

    def __init__(self, *arguments, environment=None):
        self.master, slave = pty.openpty()
        self.columns, self.rows = COLUMNS, ROWS
        self.before = termios.tcgetattr(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, close_fds=True,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
        )
        os.close(slave)
        self.text = ""
        # A letter may come in two pieces.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def wait_for(self, pattern):
        """Reads until the pattern is on the screen."""
        deadline = time.monotonic() + LONGEST
        while not re.search(pattern, self.text):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"{pattern!r} never appeared: {self.text[-2000:]!r}")
            try:
                self.text += self.decoder.decode(os.read(self.master, 65_536))
            except OSError:
                raise AssertionError(f"ended before {pattern!r}: {self.text[-2000:]!r}") from None
        return self.text

    def press(self, keys):
        """Types something."""
        os.write(self.master, keys.encode())

    def resize(self, columns, rows):
        """Gives the terminal another size."""
        self.columns, self.rows = columns, rows
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        self.process.send_signal(signal.SIGWINCH)

    def shows(self):
        """The rows on the screen, from the last time it was cleared; a change that is not whole yet is not on it."""
        text, begun = self.text, self.text.rfind("\x1b[?2026h")
        if begun > text.rfind("\x1b[?2026l"):
            text = text[:begun]
        return drawn(text[max(text.rfind("\x1b[2J"), 0):], self.columns, self.rows)

    def wait_until(self, holds, what):
        """Reads until the rows on the screen are as expected."""
        deadline = time.monotonic() + LONGEST
        while True:
            self.more(0.2)
            try:
                rows = self.shows()
            except (AssertionError, IndexError):
                # What was drawn for the size of before; it must be over soon.
                if time.monotonic() > deadline:
                    raise
                continue
            if holds(rows):
                return rows
            if time.monotonic() > deadline:
                raise AssertionError(f"never {what}:\n" + "\n".join(rows))

    def more(self, wait):
        """Reads what has come; whether there was something."""
        if not select.select([self.master], [], [], wait)[0]:
            return False
        try:
            self.text += self.decoder.decode(os.read(self.master, 65_536))
        except OSError:
            return False
        return True

    def ends(self):
        """Waits for the end; gives the exit code."""
        deadline = time.monotonic() + LONGEST
        while self.process.poll() is None and time.monotonic() < deadline:
            self.more(0.1)
        while self.more(0.1):
            pass
        return self.process.wait(timeout=1)

    def is_as_before(self):
        """Whether the settings are those of before, the screen is back and the cursor visible."""
        settings = termios.tcgetattr(self.master)
        return (settings[3] == self.before[3] and self.text.count("\x1b[?1049l") == self.text.count("\x1b[?1049h")
                and self.text.rfind("\x1b[?25h") > self.text.rfind("\x1b[?25l"))

    def is_stopped(self):
        """Whether the program was stopped by a signal."""
        answer = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(self.process.pid)], capture_output=True, text=True, check=False)
        return answer.stdout.strip().startswith("T")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
