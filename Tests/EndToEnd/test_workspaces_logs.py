"""Logs of agents that are wrong, beside each other, or elsewhere, and what the server makes of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import unittest
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

from program import Folder, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
#: The clock of file times (clock_gettime(2)), which the module time does not name.
CLOCK_REALTIME_COARSE = 5


def moment(ahead: float = 0) -> str:
    """The time now, as agents write it."""
    time_of_it = datetime.now(timezone.utc) + timedelta(seconds=ahead)
    return time_of_it.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wait_for_file_times() -> None:
    """Waits until a file written from now on gets a later modification time than the present instant.

    Linux takes file times from a clock that advances once per tick, every 1 to 10 ms.
    """
    now = time.time()
    until(lambda: time.clock_gettime(CLOCK_REALTIME_COARSE) > now)


class LogTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.home = base / "agents"
        self.main = repository(base / "work" / "main")
        self.tree = base / "work" / "tree"
        git(self.main, "worktree", "add", "-q", "-b", "work", str(self.tree))

    def serve(self) -> Workspaces:
        return self.enterContext(Workspaces(
            self.folder, "--claude-home", str(self.home / "claude"),
            "--codex-home", str(self.home / "codex"), "--agent-logs", str(self.home / "logs"),
            roots=[self.main.parent],
        ))

    def start(self, tree: Path | None = None) -> int:
        """Starts a process that looks like an agent in a worktree."""
        process = subprocess.Popen(
            ["claude", "300"], executable="/bin/sleep", cwd=tree or self.tree, stdout=subprocess.DEVNULL
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def write(self, path: str, *records: dict) -> None:
        """Writes records at the end of a log."""
        log = self.home / path
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def claude(self, directory: Path | None = None) -> "Session":
        return Session(self, directory or self.tree)

    def reading(self, server: Workspaces) -> dict:
        return next(each for each in server.worktrees() if each["path"] == str(self.tree))

    def agents(self, server: Workspaces) -> dict[str, dict]:
        """The agents of the worktree by their session."""
        return {each.get("session_id"): each for each in self.reading(server)["activity"]["agents"]}


class Session:
    """A session of Claude Code."""

    def __init__(self, test: LogTest, directory: Path):
        self.test = test
        self.id = str(uuid.uuid4())
        self.directory = directory
        self.path = f"claude/projects/{re.sub('[^A-Za-z0-9]', '-', str(directory))}/{self.id}.jsonl"

    def tell(self, kind: str, message: dict, directory: Path | None = None, ahead: float = 0) -> None:
        self.test.write(self.path, {
            "type": kind, "sessionId": self.id, "cwd": str(directory or self.directory),
            "timestamp": moment(ahead), "permissionMode": "bypassPermissions",
            "message": {"role": kind, **message},
        })

    def asked(self, text: str, **more: object) -> None:
        self.tell("user", {"content": text}, **more)

    def calls(self, tool: str, call: str) -> None:
        self.tell("assistant", {
            "id": f"m-{call}", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": call, "name": tool, "input": {"command": "make"}}],
        })

    def ends(self, text: str, **more: object) -> None:
        self.tell("assistant", {
            "id": "m-end", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}],
        }, **more)


class HostileTest(LogTest):
    def test_lines_with_numbers_and_times_that_cannot_be_end_no_server(self):
        pid = self.start()
        start = int(Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[19])
        far = -62_200_000_000_000
        self.write("logs/far.jsonl", {
            "at": far, "event": "prompt", "agent": "x", "cwd": str(self.tree), "text": "hi",
        })
        session = self.claude()
        session.asked("Go")
        usage = {"input_tokens": 2**63 - 1, "cache_read_input_tokens": 1, "output_tokens": -(2**63)}
        for _ in range(2):
            session.tell("assistant", {"id": "m", "content": [], "usage": usage})
        self.write(
            "codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-1.jsonl",
            {"timestamp": moment(), "type": "session_meta",
             "payload": {"id": "c", "cwd": str(self.tree)}},
            {"timestamp": moment(), "type": "event_msg", "payload": {
                "type": "token_count", "info": {"total_token_usage": {
                    "input_tokens": -(2**63), "cached_input_tokens": 1}}}},
        )
        self.write(f"claude/sessions/{pid}.json", {
            "pid": pid, "procStart": str(start), "sessionId": session.id, "status": "idle",
            "statusUpdatedAt": far, "cwd": str(self.tree),
        })
        os.utime(self.home / "logs/far.jsonl", (0, 13_000_000_000))
        for _ in range(2):
            server = self.serve()
            until(lambda: len(self.agents(server)) == 3)
            status, _, body = server.ask(f"/v1/sessions/workspace/{self.reading(server)['id']}")
            self.assertEqual(status, 200)
            self.assertLessEqual(body["stats"]["totalInputTokens"], 2**53)
            for agent in self.agents(server).values():
                self.assertRegex(agent.get("since") or "2026", "^20")
            self.assertEqual(server.stop(), 0)


class BesideTest(LogTest):
    def test_a_second_session_leaves_an_agent_that_works_its_process(self):
        server = self.serve()
        pid = self.start()
        until(lambda: pid in [each.get("pid") for each in self.agents(server).values()])
        mine, other = self.claude(), self.claude()
        mine.asked("Build it")
        mine.calls("Bash", "1")
        until(lambda: self.reading(server)["activity"]["state"] == "working")
        (self.main / "more").write_text("more\n")
        git(self.main, "add", ".")
        git(self.main, "commit", "-q", "-m", "more")
        head = git(self.tree, "rev-parse", "HEAD")
        # As a program leaves it that asks once: its process is gone before it is scanned.
        other.asked("Say hi")
        other.ends("Hi.")
        until(lambda: other.id in self.agents(server))
        end = time.monotonic() + 3
        while time.monotonic() < end:
            agents = self.agents(server)
            self.assertEqual((agents[mine.id]["state"], agents[mine.id].get("pid")), ("working", pid))
            self.assertIsNone(agents[other.id].get("pid"))
            time.sleep(0.25)
        place = f"{LIST}/{self.reading(server)['id']}/sync"
        self.assertEqual(server.ask(place, "POST", {"strategy": "rebase"})[0], 409)
        self.assertEqual(git(self.tree, "rev-parse", "HEAD"), head)
        # The same for a server that finds both.
        server.stop()
        again = self.serve()
        until(lambda: mine.id in self.agents(again) and other.id in self.agents(again))
        until(lambda: self.agents(again)[mine.id].get("pid") == pid)
        self.assertEqual(self.agents(again)[mine.id]["state"], "working")

    def test_an_agent_that_waits_stays_behind_newer_sessions(self):
        server = self.serve()
        self.start()
        mine = self.claude()
        mine.asked("Build it")
        mine.calls("AskUserQuestion", "1")
        until(lambda: self.reading(server)["activity"]["state"] == "needs_you")
        for number in range(9):
            newer = self.claude()
            newer.asked(f"Say {number}")
            newer.ends(f"{number}.")
        until(lambda: newer.id in self.agents(server))
        end = time.monotonic() + 3
        while time.monotonic() < end:
            self.assertEqual(self.reading(server)["activity"]["state"], "needs_you")
            time.sleep(0.25)


class ElsewhereTest(LogTest):
    def test_a_session_that_comes_into_a_worktree_is_shown_there(self):
        server = self.serve()
        away = self.claude(self.folder.path.resolve())
        away.asked("Look around")
        self.write(
            "codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-1.jsonl",
            {"timestamp": moment(), "type": "session_meta", "payload": {"id": "c", "cwd": "/"}},
            {"timestamp": moment(), "type": "event_msg",
             "payload": {"type": "user_message", "message": "Look"}},
        )
        until(lambda: len(server.worktrees()) == 2)
        self.assertEqual(self.agents(server), {})
        away.asked("Work here", directory=self.tree / "dir0")
        self.write(
            "codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-1.jsonl",
            {"timestamp": moment(), "type": "turn_context", "payload": {"cwd": str(self.tree)}},
        )
        until(lambda: set(self.agents(server)) == {away.id, "c"})

    def test_what_a_clock_that_is_ahead_has_written_can_be_marked_as_seen(self):
        server = self.serve()
        log = "logs/ahead.jsonl"
        self.write(
            log,
            {"at": moment(600), "event": "prompt", "agent": "x", "cwd": str(self.tree), "text": "Go",
             "pid": self.start()},
            {"at": moment(601), "event": "stop", "text": "Done."},
        )
        until(lambda: self.reading(server)["activity"]["state"] == "done_unseen")
        self.assertLess(self.reading(server)["activity"]["since"], moment(1))
        server.ask(f"{LIST}/{self.reading(server)['id']}/seen", "POST")
        until(lambda: self.reading(server)["activity"]["state"] == "idle")
        wait_for_file_times()
        self.write(log, {"at": moment(602), "event": "prompt", "text": "More"},
                   {"at": moment(603), "event": "stop", "text": "Done."})
        until(lambda: self.reading(server)["activity"]["state"] == "done_unseen")

    def test_marks_of_names_that_differ_in_bytes_only_are_kept_over_a_restart(self):
        # The same word, composed and decomposed: two folders.
        trees = [self.tree.with_name("caf\u00e9"), self.tree.with_name("cafe\u0301")]
        for number, tree in enumerate(trees):
            git(self.main, "worktree", "add", "-q", "-b", f"coffee-{number}", str(tree))
            self.write(
                f"logs/{number}.jsonl",
                {"at": moment(), "event": "prompt", "agent": "x", "cwd": str(tree), "text": "Go", "pid": self.start(tree)},
                {"at": moment(), "event": "stop", "text": "Done."},
            )

        def states(server: Workspaces) -> dict[str, tuple[str, str]]:
            return {each["path"]: (each["activity"]["state"], each["id"]) for each in server.worktrees()}

        server = self.serve()
        for number, tree in enumerate(trees):
            until(lambda tree=tree: states(server).get(str(tree), [""])[0] == "done_unseen")
            server.ask(f"{LIST}/{states(server)[str(tree)][1]}/seen", "POST")
            until(lambda tree=tree: states(server)[str(tree)][0] == "idle")
        self.assertEqual(server.stop(), 0)
        server = self.serve()
        for tree in trees:
            until(lambda tree=tree: states(server)[str(tree)][0] in ("idle", "done_unseen"))
            self.assertEqual(states(server)[str(tree)][0], "idle", ascii(str(tree)))

    def test_a_mark_is_stored_before_it_is_confirmed_and_survives_what_is_wrong_beside_it(self):
        self.write(
            "logs/one.jsonl",
            {"at": moment(), "event": "prompt", "agent": "x", "cwd": str(self.tree), "text": "Go", "pid": self.start()},
            {"at": moment(), "event": "stop", "text": "Done."},
        )
        server = self.serve()
        until(lambda: self.reading(server)["activity"]["state"] == "done_unseen")
        self.assertEqual(server.ask(f"{LIST}/{self.reading(server)['id']}/seen", "POST")[0], 204)
        server.process.kill()
        server.process.wait()
        marks = self.folder / "no-timetable/seen-worktrees.json"
        kept = json.loads(marks.read_text())
        self.assertEqual([path for path, _ in kept], [str(self.tree)])
        marks.write_text(json.dumps([5, ["alone"], ["/x", 7], *kept, {}, ["/y", "never"]]))
        server = self.serve()
        until(lambda: self.reading(server)["activity"]["state"] in ("idle", "done_unseen"))
        self.assertEqual(self.reading(server)["activity"]["state"], "idle")
        server.stop()
        # A pipe in its place is not a file.
        marks.unlink()
        os.mkfifo(marks)
        server = self.serve()
        until(lambda: self.reading(server)["activity"]["state"] == "done_unseen")


if __name__ == "__main__":
    unittest.main()
