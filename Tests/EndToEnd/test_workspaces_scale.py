"""Many worktrees and a build in one of them: how much work that is."""

from __future__ import annotations

import os
import subprocess
import threading
import time
import unittest

import program
from program import Folder, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

WORKTREES = int(os.environ.get("FRESHET_WORKTREES", sized("20", long="60")))
SECONDS = sized(5, long=15)
FILES_PER_SECOND = sized(400, long=1_000)


class Build(threading.Thread):
    """Writes files as a build does: into a folder that git ignores, and beside tracked files."""

    def __init__(self, tree):
        super().__init__(daemon=True)
        self.tree, self.ended, self.written = tree, threading.Event(), 0
        (tree / "out").mkdir()

    def run(self):
        begin = time.monotonic()
        while not self.ended.is_set():
            for _ in range(FILES_PER_SECOND // 20):
                number = self.written
                name = f"out/{number % 500}.o" if number % 2 else f"dir0/{number % 500}.o"
                file = os.open(self.tree / name, os.O_WRONLY | os.O_CREAT)
                os.write(file, b"object")
                os.close(file)
                self.written += 1
            time.sleep(max(0, begin + self.written / FILES_PER_SECOND - time.monotonic()))


class LimitTest(unittest.TestCase):
    """The system's own limit of watches, in a namespace of its own (user_namespaces(7))."""

    LIMIT = 60

    def test_where_the_system_has_no_watches_left_worktrees_are_polled(self):
        place = "/proc/sys/user/max_inotify_watches"
        # Each program takes the place of the one before, so that the process can be ended.
        shell = f"echo {self.LIMIT} > {place} && exec \"$@\""
        namespace = ["unshare", "--user", "--map-root-user", "sh", "-c", shell, "sh"]
        try:
            subprocess.run([*namespace, "true"], check=True, capture_output=True, timeout=30)
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest(f"no namespace with a limit of its own can be made: {error}")
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        main = repository(root / "main", 3)
        for number in range(40):
            place = main / f"folder{number}" / "file.txt"
            place.parent.mkdir()
            place.write_text("text")
        git(main, "add", ".")
        git(main, "commit", "-q", "-m", "folders")
        names = [f"t{number}" for number in range(4)]
        for name in names:
            git(main, "worktree", "add", "-q", "-b", name, str(root / name))
        wrapper = folder / "freshet-with-few-watches"
        quoted = " ".join(f"'{part}'" for part in namespace)
        wrapper.write_text(f"#!/bin/sh\nexec {quoted} '{program.PROGRAM}' \"$@\"\n")
        wrapper.chmod(0o755)
        server = self.enterContext(Workspaces(folder, roots=[root], program=wrapper))
        until(lambda: sum(each["cache_status"]["is_cached"] for each in server.worktrees()) == 5)
        self.assertLessEqual(server.metric("freshet_workspaces_watches"), self.LIMIT)
        self.assertGreater(server.metric("freshet_workspaces_polled"), 0)
        # A poll is due every 2 s, everything once a minute: not every one of them can come with the minute's.
        began = time.monotonic()
        for count in range(1, 4):
            for name in ["main", *names]:
                (root / name / "folder39" / f"new{count}.txt").write_text("new")
            for name in ["main", *names]:
                until(lambda: server.named(name)["git"]["untracked"] == count)
        self.assertLess(time.monotonic() - began, 90)
        # The limit is met, and the commands of the watcher go on.
        git(root / "t1", "commit", "-q", "--allow-empty", "-m", "one more")
        until(lambda: server.named("t1")["commit_count"] == 1)
        self.assertEqual(server.stop(), 0)


class ScaleTest(unittest.TestCase):
    def processor(self, server: Workspaces) -> float:
        """Seconds of the processor that the server itself took, without git."""
        with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def rests(server: Workspaces, status: str) -> float:
        """Waits until nothing is looked at for some time; how many status processes there were so far."""
        looks, since = -1.0, time.monotonic()
        while time.monotonic() - since < 2:
            now = server.metric(status)
            if now != looks:
                looks, since = now, time.monotonic()
            time.sleep(0.2)
        return looks

    def test_a_build_among_many_worktrees_costs_little(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        main = repository(root / "main", 30)
        (main / ".gitignore").write_text("out/\n*.o\n")
        git(main, "add", ".")
        git(main, "commit", "-q", "-m", "ignore")
        for number in range(WORKTREES - 1):
            git(main, "worktree", "add", "-q", "-b", f"b{number}", str(root / f"t{number}"))
        with Workspaces(folder, roots=[root]) as server:
            until(lambda: sum(each["cache_status"]["is_cached"] for each in server.worktrees()) == WORKTREES)
            status = 'freshet_workspaces_git_processes_total{command="status"}'
            # What the start brings with it is over.
            self.rests(server, status)
            _, fields, _ = server.ask("/v1/git/worktrees")
            idle_from, begin = self.processor(server), time.monotonic()
            looks = self.rests(server, status)
            idle = (self.processor(server) - idle_from) / (time.monotonic() - begin)
            build = Build(root / "t0")
            begin, before = time.monotonic(), self.processor(server)
            build.start()
            time.sleep(SECONDS)
            build.ended.set()
            build.join()
            passed = time.monotonic() - begin
            during = server.metric(status) - looks
            taken = self.processor(server) - before
            print(
                f"\n{WORKTREES} worktrees: idle {idle:.1%} of a core; with {build.written / passed:.0f} files/s "
                f"{taken / passed:.1%}, {taken / build.written * 1e6:.0f} µs a file and {during / passed:.2f} status/s; "
                f"{server.metric('freshet_workspaces_watches'):.0f} watches"
            )
            # One worktree changes: one scan a second, beside those of the minute's reconcile.
            self.assertLessEqual(during, passed + 2 + WORKTREES)
            # What was built is ignored: nothing is different.
            self.assertEqual(server.ask("/v1/git/worktrees", If_None_Match=fields["etag"])[0], 304)
            # Folders that came are not known for a moment.
            until(lambda: server.metric("freshet_workspaces_polled") == 0)
            # Time of the processor, not of the clock: what others do at the same time takes nothing away from it.
            self.assertLess(taken, passed * sized(0.20, long=0.10))
            # And what is not ignored is seen.
            (root / "t0" / "dir1" / "seen.txt").write_text("seen")
            until(lambda: server.named("t0")["git"]["untracked"] == 1)


if __name__ == "__main__":
    unittest.main()
