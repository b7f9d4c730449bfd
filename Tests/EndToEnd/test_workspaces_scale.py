"""Many worktrees and a build in one of them: how much work that is."""

from __future__ import annotations

import os
import subprocess
import threading
import time
import unittest
import unittest.mock

import program
from program import Folder, until
from workspaces import Workspaces, git, repository

WORKTREES = int(os.environ.get("FRESHET_WORKTREES", "60"))
SECONDS = 15
FILES_PER_SECOND = 1_000


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
        with unittest.mock.patch.object(program, "PROGRAM", str(wrapper)):
            server = self.enterContext(Workspaces(folder, roots=[root]))
        until(lambda: sum(each["cache_status"]["is_cached"] for each in server.worktrees()) == 5)
        self.assertLessEqual(server.metric("freshet_workspaces_watches"), self.LIMIT)
        self.assertGreater(server.metric("freshet_workspaces_polled"), 0)
        for name in ["main", *names]:
            (root / name / "folder39" / "new.txt").write_text("new")
            begin = time.monotonic()
            until(lambda: server.named(name)["git"]["untracked"] == 1)
            self.assertLess(time.monotonic() - begin, 30, "a poll is due every 2 s, everything once a minute")
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
            _, fields, _ = server.ask("/v1/git/worktrees")
            status = 'freshet_workspaces_git_processes_total{command="status"}'
            idle_from, looks_from = self.processor(server), server.metric(status)
            time.sleep(5)
            idle, looks = (self.processor(server) - idle_from) / 5, server.metric(status) - looks_from
            build = Build(root / "t0")
            begin, before, from_status = time.monotonic(), self.processor(server), server.metric(status)
            build.start()
            time.sleep(SECONDS)
            passed = time.monotonic() - begin
            busy, during = (self.processor(server) - before) / passed, server.metric(status) - from_status
            build.ended.set()
            build.join()
            print(
                f"\n{WORKTREES} worktrees: idle {idle:.1%} of a core and {looks:.0f} status processes in 5 s; "
                f"with {build.written / passed:.0f} files/s {busy:.1%} and {during / passed:.2f} status/s; "
                f"{server.metric('freshet_workspaces_watches'):.0f} watches"
            )
            # One worktree changes: one look a second, beside those of the minute's reconcile.
            self.assertLessEqual(during, passed + 2 + WORKTREES)
            # What was built is ignored: nothing is different.
            self.assertEqual(server.ask("/v1/git/worktrees", If_None_Match=fields["etag"])[0], 304)
            self.assertEqual(server.metric("freshet_workspaces_polled"), 0)
            self.assertLess(busy, 0.10)
            # And what is not ignored is seen.
            (root / "t0" / "dir1" / "seen.txt").write_text("seen")
            until(lambda: server.named("t0")["git"]["untracked"] == 1)


if __name__ == "__main__":
    unittest.main()
