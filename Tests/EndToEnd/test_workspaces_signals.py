"""SIGTERM at any moment amid git work, with git as it is and with one that is killed now and then: the server ends with 0."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import Folder, Server
from scale import sized
from workspaces import git, repository

STARTS = sized(24, long=1_000)
#: Seconds after the port is open within which the signal comes: longer than the first scans take.
WITHIN = 1.0


class Killer:
    """Kills the git processes of a server, each at some moment of its life."""

    def __init__(self, server: int, rng: random.Random):
        self.server = server
        self.rng = rng
        self.killed = 0
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while not self.is_done.wait(self.rng.uniform(0, 0.005)):
            try:
                children = Path(f"/proc/{self.server}/task/{self.server}/children").read_text().split()
                # Processes are children of the thread that started them.
                for task in Path(f"/proc/{self.server}/task").iterdir():
                    children += (task / "children").read_text().split()
            except OSError:
                continue
            for child in set(children):
                if self.rng.random() < 0.3:
                    try:
                        os.kill(int(child), signal.SIGKILL)
                        self.killed += 1
                    except ProcessLookupError:
                        pass

    def stop(self) -> None:
        self.is_done.set()
        self.thread.join()


class SignalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.root = cls.folder.path.resolve() / "work"
        main = repository(cls.root / "main")
        (main / ".gitignore").write_text("*.log\n")
        git(main, "add", ".")
        git(main, "commit", "-q", "-m", "ignore")
        for number in range(4):
            tree = cls.root / f"tree{number}"
            git(main, "worktree", "add", "-q", "-b", f"work{number}", str(tree))
            # Names for git's standard input, edits for a diff.
            for file in range(200):
                folder = tree / f"folder{file % 10}"
                folder.mkdir(exist_ok=True)
                (folder / f"{file}.{'log' if file % 2 else 'txt'}").write_text(f"{file}\n" * 20)

    def end(self, number: int, kills: bool) -> tuple[int, int, str]:
        """Starts a server, asks it, ends it at some moment; its exit code, how many git were killed, and its log."""
        rng = random.Random(f"{number} {kills}")
        with Server(self.folder / f"data{number % 8}-{kills}", "--workspaces", str(self.root), now=None) as server:
            killer = Killer(server.process.pid, rng) if kills else None
            is_done = threading.Event()

            def ask() -> None:
                while not is_done.wait(0.02):
                    try:
                        with urllib.request.urlopen(server.url + "/v1/git/worktrees", timeout=30) as answer:
                            answer.read()
                        # Something to look at again.
                        (self.root / f"tree{rng.randrange(4)}" / f"new{rng.randrange(50)}").touch()
                    except (OSError, urllib.error.URLError):
                        pass

            thread = threading.Thread(target=ask, daemon=True)
            thread.start()
            time.sleep(rng.uniform(0, WITHIN))
            is_done.set()
            code = server.stop()
            if killer:
                killer.stop()
            thread.join()
            return code, killer.killed if killer else 0, "".join(server.log)

    def ends(self, kills: bool) -> int:
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda number: self.end(number, kills), range(STARTS)))
        for number, (code, _, log) in enumerate(ends):
            self.assertEqual(code, 0, f"start {number}: {log}")
        return sum(killed for _, killed, _ in ends)

    def test_a_signal_ends_it_with_0_whatever_git_does(self):
        self.ends(kills=False)

    def test_a_signal_ends_it_with_0_although_git_is_killed(self):
        self.assertGreater(self.ends(kills=True), STARTS)


if __name__ == "__main__":
    unittest.main()
