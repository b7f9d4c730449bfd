"""What does not happen: events and writes without a change, and a queue for those who do not read."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

import program
from program import Folder, run, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Stream, Workspaces, git, repository

LIST = "/v1/git/worktrees"
CALLS = (
    "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,"
    "symlinkat,truncate,chmod,fchmodat,utimensat,mknod,mknodat,setxattr,removexattr"
)


class Stage(unittest.TestCase):
    """A repository with worktrees, and the folders of agents."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.root, self.home = base / "work", base / "agents"
        self.main = repository(self.root / "main")
        self.trees = []
        for number in range(3):
            tree = self.root / f"tree{number}"
            git(self.main, "worktree", "add", "-q", "-b", f"branch{number}", str(tree))
            self.trees.append(tree)
        self.places = [
            "--claude-home", str(self.home / "claude"), "--codex-home", str(self.home / "codex"),
            "--agent-logs", str(self.home / "agents"),
        ]

    def serve(self, **more) -> Workspaces:
        return self.enterContext(Workspaces(self.folder, *self.places, roots=[self.root], **more))

    def play(self) -> None:
        """Agents that worked here, and are gone."""
        answer = run(
            "agent-sim", "--home", str(self.home), "--minutes", "6", "--pace", "120", "--seed", "2", "--edit",
            "--truth", "/dev/null", "--worktrees", *map(str, self.trees),
        )
        self.assertEqual(answer.returncode, 0, answer.stderr)


class UnchangedTest(Stage):
    def test_an_unchanged_refresh_is_neither_an_event_nor_a_revision(self):
        self.play()
        server = self.serve()
        until(lambda: len(server.worktrees()) == 4 and all(each["cache_status"]["is_cached"] for each in server.worktrees()))
        until(lambda: sum(bool(each.get("latest_user_prompt")) for each in server.worktrees()) == 3)
        stream = Stream(server)
        self.addCleanup(stream.close)
        stream.wait(lambda event: event["type"] == "snapshot")
        # That agents are gone is sure a little later; then nothing happens any more.
        until(lambda: server.ask(LIST, If_None_Match=server.ask(LIST)[1]["etag"], Prefer="wait=3")[0] == 304)
        tag = server.ask(LIST)[1]["etag"]
        known = sum(event["type"] not in ("snapshot", "heartbeat") for _, event in stream.events)
        status = 'freshet_workspaces_git_processes_total{command="status"}'
        looks = server.metric(status)
        for _ in range(3):
            for each in server.worktrees():
                self.assertEqual(server.ask(f"{LIST}/{each['id']}/refresh", "POST")[0], 200)
            # A scan is due, and what it finds is the same.
            before = server.metric(status)
            os.utime(self.trees[0] / "dir0" / "file0.txt")
            until(lambda: server.metric(status) > before)
        self.assertGreaterEqual(server.metric(status) - looks, 12)
        # What the last scan found would have been told by the time that a request waits for.
        self.assertEqual(server.ask(LIST, If_None_Match=tag, Prefer="wait=1")[0], 304)
        told = [event for _, event in stream.events if event["type"] not in ("snapshot", "heartbeat")]
        self.assertEqual(told[known:], [])
        self.assertEqual(server.ask(LIST, If_None_Match=tag)[0], 304)

    @unittest.skipUnless(shutil.which("strace"), "strace is not there")
    def test_nothing_is_opened_for_writing_while_everything_is_read(self):
        self.play()
        (self.trees[1] / "new").write_text("new\n")
        trace = self.folder / "trace"
        # With -D the program keeps the number of this process, and what follows it is beside.
        wrapper = self.folder / "traced"
        wrapper.write_text(
            f"#!/bin/sh\nexec strace -D -f -qq -y -e signal=none -e trace={CALLS} -o '{trace}' '{program.PROGRAM}' \"$@\"\n"
        )
        wrapper.chmod(0o755)
        server = self.serve(program=wrapper)
        until(lambda: sum(bool(each.get("latest_user_prompt")) for each in server.worktrees()) == 3)
        stream = Stream(server)
        self.addCleanup(stream.close)
        stream.wait(lambda event: event["type"] == "snapshot")
        for each in server.worktrees():
            place = f"{LIST}/{each['id']}"
            for path in (place, f"{place}/diff", "/v1/git/branches/local/main", "/v1/info"):
                self.assertEqual(server.ask(path)[0], 200, path)
            server.ask(f"/v1/sessions/workspace/{each['id']}")
            self.assertEqual(server.ask(f"{place}/refresh", "POST")[0], 200)
            self.assertIn(server.ask(f"{place}/seen", "POST")[0], (200, 202, 204))
        status, _, body = server.ask(
            "/v1/batch", "POST", {"requests": [{"path": LIST}, {"path": f"{LIST}?since=0"}]}
        )
        self.assertEqual([part["status"] for part in body["responses"]], [200, 200])
        self.assertEqual(server.stop(), 0)
        lines = trace.read_text(errors="replace").splitlines()
        inside = [line for line in lines if self.touches(line, (str(self.root), str(self.home)))]
        self.assertTrue(any(".jsonl" in line for line in inside), "logs are read")
        self.assertTrue(any("/index" in line or "HEAD" in line for line in inside), "git reads")
        self.assertEqual([line for line in inside if self.writes(line)], [])

    @staticmethod
    def touches(line: str, folders: tuple[str, ...]) -> bool:
        """Whether a call of a trace is about something in one of some folders."""
        opened = re.search(r" = \d+<(.*?)>$", line)
        if opened:
            return opened.group(1).startswith(folders)
        names = re.findall(r'"([^"]*)"', line)
        return any(name.startswith(folders) for name in names) or (
            any(folder in line for folder in folders) and any(not name.startswith("/") for name in names)
        )

    @staticmethod
    def writes(line: str) -> bool:
        """Whether a call of a trace changes something, or could."""
        call = re.search(r"\b(\w+)\(", line)
        if call is None or " = -1 " in line:
            return False
        if call.group(1) in ("open", "openat", "openat2"):
            return re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", line) is not None
        return True

    def test_the_trace_is_read_rightly(self):
        for line, is_write in (
            ('7 openat(AT_FDCWD, "/w/.git/index", O_RDONLY|O_CLOEXEC) = 3</w/.git/index>', False),
            ('7 openat(AT_FDCWD, "/w/.git/index.lock", O_RDWR|O_CREAT|O_EXCL, 0666) = 4', True),
            ('7 openat(AT_FDCWD, "/w/.git/x", O_RDWR|O_CREAT, 0666) = -1 EACCES (Permission denied)', False),
            ('8 rename("/w/a", "/w/b") = 0', True), ("8 +++ exited with 0 +++", False),
        ):
            self.assertEqual(self.writes(line), is_write, line)
        for line, is_inside in (
            ('7 openat(AT_FDCWD</w/tree>, "/dev/null", O_RDWR) = 3</dev/null>', False),
            ('7 openat(AT_FDCWD</w/tree>, ".git/HEAD", O_RDONLY) = 3</w/tree/.git/HEAD>', True),
            ('7 mkdir("/w/tree/x", 0777) = 0', True), ('7 mkdir("/tmp/x", 0777) = 0', False),
            ('7 unlinkat(3</w/tree>, "x", 0) = 0', True),
        ):
            self.assertEqual(self.touches(line, ("/w/",)), is_inside, line)


class ReaderTest(Stage):
    """Clients of the stream that are slow, or do not read at all."""

    ROUNDS = sized(20, long=40)

    def tell(self, number: int) -> None:
        """An agent writes a plan of 200 kB."""
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        todos = [{"content": f"{number}.{place} " + "x" * 1_000, "status": "pending"} for place in range(200)]
        log = self.home / "agents" / "lazy.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            file.write(json.dumps({
                "at": now, "event": "todos", "agent": "aider", "session": "lazy", "cwd": str(self.trees[0]),
                "todos": todos,
            }) + "\n")

    def shown(self, server: Workspaces) -> int:
        """The number of the plan that is shown."""
        todos = server.named("tree0")["todos"]
        return int(todos[0]["content"].split(".")[0]) if todos else -1

    def connect(self, server: Workspaces) -> socket.socket:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.connect(("127.0.0.1", server.port))
        self.addCleanup(line.close)
        line.sendall(b"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return line

    @staticmethod
    def memory(server: Workspaces) -> int:
        with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_a_client_that_does_not_read_gets_fewer_newer_events_and_delays_no_other(self):
        server = self.serve()
        self.tell(0)
        until(lambda: self.shown(server) == 0)
        lines = [self.connect(server) for _ in range(12)]
        until(lambda: server.metric("freshet_workspaces_waiting") == len(lines))
        reader = Stream(server)
        self.addCleanup(reader.close)

        def play(numbers: range) -> None:
            for number in numbers:
                self.tell(number)
                # Others are served meanwhile.
                until(lambda: self.shown(server) == number)

        play(range(1, self.ROUNDS // 2))
        before = self.memory(server)
        play(range(self.ROUNDS // 2, self.ROUNDS))
        grown = self.memory(server) - before
        size = len(json.dumps(server.worktrees()))
        print(
            f"\n{self.ROUNDS} plans of {size / 1e3:.0f} kB and {len(lines)} clients that do not read: "
            f"{grown / 1e6:+.1f} MB of memory"
        )
        # For each at most what is being written: a plan is in two events.
        self.assertLess(grown, len(lines) * 3 * size)
        newest = f'"{self.ROUNDS - 1}.0 '.encode()
        reader.wait(lambda event: newest.decode() in json.dumps(event))
        # One of them reads again: the newest, without most of those between.
        slow, heard = lines[0], b""
        slow.settimeout(60)
        while newest not in heard:
            part = slow.recv(1 << 16)
            self.assertTrue(part, "the stream ended")
            heard += part
        seen = heard.count(b'"type":"worktree:updated"')
        print(f"{seen} of {self.ROUNDS} changes for one that read late")
        self.assertLess(seen, self.ROUNDS * 3 // 4, "they were joined")
        # Those who are gone are let go.
        for line in lines:
            line.close()
        until(lambda: server.metric("freshet_workspaces_waiting") == 1)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
