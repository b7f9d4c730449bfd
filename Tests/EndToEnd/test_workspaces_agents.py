"""Simulated agents in worktrees: what the server shows of them, against the truth."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import unittest
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import program
from program import Folder, run, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

# How long the state before a change may be shown on a machine that is quiet. Half of them come within a quarter of
# a second; how late the agents' own acts are tells how much more a busy machine needs.
SLACK = 3.0
# Wall clocks are read in two processes, and planned moments are whole milliseconds.
CLOCKS = 0.05
LIST = "/v1/git/worktrees"
# What is shown of a worktree whose agent's process is gone.
GONE = ("ended", "done_unseen")


class Agents:
    """The program playing agents."""

    def __init__(self, home: Path, worktrees: list[Path], *options: str):
        self.process = subprocess.Popen(
            [program.LAB, "agent-sim", "--home", str(home), *options, "--worktrees",
             *map(str, worktrees)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def acts(self) -> Iterator[dict]:
        """What is told, one after the other."""
        for line in self.process.stdout:
            yield json.loads(line)

    def __enter__(self) -> "Agents":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def planned(act: dict) -> float:
    """When an act was to be done, by the clock of the machine: it was done then or later."""
    return moment(act["at"])


def moment(text: str) -> float:
    """A moment by the clock of the machine."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class States:
    """The states of all worktrees as events tell them, with the moments at which they came."""

    def __init__(self, server: Workspaces):
        self.paths: dict[str, str] = {}
        self.shown: dict[str, list[tuple[float, str]]] = {}
        self.events = 0
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=90)
        self.connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        try:
            for line in self.answer:
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])["event"]
                    self.events += 1
                    self._take(event["type"], event["payload"])
        except (OSError, ValueError, AttributeError):
            pass

    def _take(self, kind: str, payload: dict) -> None:
        if kind == "snapshot":
            for each in payload["worktrees"]:
                self.paths[each["id"]] = each["path"]
                self._show(each["path"], each["activity"])
        elif kind == "worktree:updated" and payload["updates"].get("activity"):
            self._show(self.paths[payload["worktree_id"]], payload["updates"]["activity"])

    def _show(self, path: str, activity: dict) -> None:
        self.shown.setdefault(path, []).append((time.time(), activity["state"]))

    def close(self) -> None:
        self.connection.sock and self.connection.sock.close()
        self.connection.close()


class AgentTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.home = base / "agents"
        self.main = repository(base / "work" / "main")
        self.trees = []
        for number in range(6):
            tree = base / "work" / f"tree.{number}"
            git(self.main, "worktree", "add", "-q", "-b", f"work-{number}", str(tree))
            self.trees.append(tree)
        self.places = [
            "--claude-home", str(self.home / "claude"), "--codex-home", str(self.home / "codex"),
            "--agent-logs", str(self.home / "agents"),
        ]

    def serve(self) -> Workspaces:
        return self.enterContext(
            Workspaces(self.folder, *self.places, roots=[self.main.parent])
        )


class TruthTest(AgentTest):
    def test_every_state_shown_is_the_truth_and_what_is_seen_is_marked(self):
        server = self.serve()
        until(lambda: len(server.worktrees()) == 7)
        ids = {each["path"]: each["id"] for each in server.worktrees()}
        states = States(server)
        self.addCleanup(states.close)
        # Since when a state is true for sure: after it was told, and after what was asked of the server. And
        # until when: before the act that ends it, which may be shown before it is told.
        truth: dict[str, list[tuple[float, float, str, str]]] = {str(tree): [] for tree in self.trees}
        # Records have the planned moments. Where the machine was so late that a process began after the turn that its
        # log tells of, the server is right to show that turn as one that was left.
        started: dict[str, list[tuple[float, float]]] = {str(tree): [] for tree in self.trees}
        polled: list[tuple[float, dict[str, str]]] = []
        over = threading.Event()
        slowest = 0.0

        def poll() -> None:
            tag = None
            nonlocal slowest
            while not over.wait(1.5):
                fields = {"If_None_Match": tag} if tag else {}
                asked = time.monotonic()
                status, names, body = server.ask(LIST, **fields)
                slowest = max(slowest, time.monotonic() - asked)
                tag = names["etag"]
                if status == 200:
                    polled.append(
                        (time.time(), {each["path"]: each["activity"]["state"] for each in body})
                    )

        poller = threading.Thread(target=poll, daemon=True)
        self.addCleanup(poller.join)
        self.addCleanup(over.set)
        poller.start()
        options = sized(
            ["--minutes", "8", "--pace", "20", "--seed", "16"], long=["--minutes", "20", "--pace", "30", "--seed", "5"]
        )
        options += ["--edit", "--commit"]
        with Agents(self.home, self.trees, *options) as agents:
            for act in agents.acts():
                # Behind the last act nothing is sure: all processes are ended then.
                end = planned(act)
                if act["event"] == "state":
                    truth[act["worktree"]].append((time.time(), planned(act), act["state"], act["reason"]))
                elif act["event"] == "start":
                    started[act["worktree"]].append((planned(act), moment(act["written"])))
                elif act["event"] == "look":
                    status, _, _ = server.ask(f"{LIST}/{ids[act['worktree']]}/seen", method="POST")
                    self.assertIn(status, (200, 202, 204))
            self.assertEqual(agents.process.wait(timeout=60), 0, agents.process.stderr.read())
        over.set()
        poller.join()

        lateness = max(told - plan for acts in truth.values() for told, plan, _, _ in acts)
        slack = SLACK + 5 * max(lateness, slowest)
        wrong, delays, seen = [], [], set()
        for path, told in truth.items():
            shown = states.shown.get(path, [])
            wrong += self.out_of_order(path, told, shown, started[path], end)
            for (begin, plan, state, reason), (_, until_, _, _) in zip(told, told[1:] + [(end, end, "", "")]):
                first = next((at for at, each in shown if at >= begin and each == state), None)
                before = [each for at, each in shown if at < begin]
                if before[-1:] == [state]:
                    first = begin
                if first is not None and first < until_:
                    delays.append(first - begin)
                    seen.add(state)
                if until_ - begin <= slack or self.is_left(plan, state, started[path]):
                    continue
                during = [each for at, each in shown if at < begin + slack][-1:]
                during += [each for at, each in shown if begin + slack <= at < until_]
                if set(during) != {state}:
                    wrong.append(f"{path}: {state}, {reason}, for {until_ - begin:.1f} s; shown {during}")
                for at, list_ in polled:
                    if begin + slack <= at < until_ and list_[path] != state:
                        wrong.append(f"{path}: {state}, {reason}; the list said {list_[path]}")
        self.assertEqual(wrong, [])
        delays.sort()
        changes = sum(map(len, truth.values()))
        print(
            f"\n{len(delays)} of {changes} states shown while they lasted, half of them after "
            f"{delays[len(delays) // 2]:.2f} s, the last after {delays[-1]:.2f} s; acts up to {lateness:.2f} s late"
        )
        # Many last a second only.
        self.assertGreater(len(delays), changes // 3)
        self.assertLess(delays[len(delays) // 2], slack / 3, "half of all changes are shown within a second")
        self.assertEqual(seen, {"working", "needs_you", "idle", "done_unseen", "ended"})
        self.assertGreater(len(polled), 5)
        # In the end no process is there any more.
        until(lambda: all(server.named(tree.name)["activity"]["state"] in GONE for tree in self.trees))

        # What agents committed is in the list, and what they wrote is in the session.
        until(lambda: all(
            server.named(tree.name)["commit_count"]
            == int(git(tree, "rev-list", "--count", "main..HEAD")) for tree in self.trees
        ))
        listed = [server.named(tree.name) for tree in self.trees]
        self.assertTrue(any(each["commit_count"] > 0 for each in listed))
        self.assertTrue(all(each["latest_user_prompt"] for each in listed))
        self.assertTrue(any(each["todos"] for each in listed))
        status, _, session = server.ask(f"/v1/sessions/workspace/{listed[0]['id']}")
        self.assertEqual(status, 200)
        self.assertEqual(session["latestUserPrompt"], listed[0]["latest_user_prompt"])
        self.assertEqual(session["todos"], listed[0]["todos"])

    @staticmethod
    def is_left(plan: float, state: str, started: list[tuple[float, float]]) -> bool:
        """Whether the process was to be there when a turn began, and came later: the turn seems to be another one's."""
        return state == "working" and any(due <= plan < at for due, at in started)

    @classmethod
    def out_of_order(
        cls, path: str, told: list[tuple[float, float, str, str]], shown: list[tuple[float, str]],
        started: list[tuple[float, float]], end: float,
    ) -> list[str]:
        """What was shown of a worktree and was not true in that order, or not yet, however late the machine is.

        States that are soon over may be left out; none is shown before it begins, and none that has gone by comes back.
        """
        acts = [act for act, before in zip(told, [None, *told]) if before is None or act[2] != before[2]]
        begun = min(plan for _, plan, _, _ in acts)
        news = [
            (at, state) for (at, state), before in zip(shown, [None, *shown])
            if at >= begun and (before is None or state != before[1])
        ]
        wrong, place = [], 0
        for at, state in news:
            found = next((number for number in range(place, len(acts)) if acts[number][2] == state), None)
            if state == "idle" and any(cls.is_left(plan, each, started) for _, plan, each, _ in acts[:place]):
                continue
            if (found is None or acts[found][1] > at + CLOCKS) and state in GONE and at >= end - CLOCKS:
                # The processes of all agents end with the last act.
                break
            if found is None or acts[found][1] > at + CLOCKS:
                last = acts[max(place - 1, 0)]
                near = [each for each in told if abs(each[1] - at) < 60]
                starts = [each for each in started if abs(each[1] - at) < 60]
                wrong.append(
                    f"{path}: {state} shown at {at:.2f}, after {last}, before its time or late; told {near}, "
                    f"started {starts}, shown {[each for each in shown if abs(each[0] - at) < 30]}"
                )
            else:
                place = found + 1
        return wrong


class RecordingTest(AgentTest):
    def test_clients_are_recorded_and_the_report_says_what_the_recordings_do_not_show(self):
        server = self.serve()
        until(lambda: len(server.worktrees()) == 7)
        truth = self.folder / "truth.jsonl"
        # What changes within the last 15 s of a recording is not counted.
        seconds, minutes, pace = sized(("30", "12", "30"), long=("32", "6", "20"))
        files = [self.folder / "polled.jsonl", self.folder / "pushed.jsonl"]
        clients = [
            subprocess.Popen(
                [program.PROGRAM, "workspaces", "--server", server.url, "--watch", "--json", *stream,
                 "--record", str(file), "--for", seconds], stdout=subprocess.DEVNULL,
            ) for file, stream in zip(files, (["--no-stream"], []))
        ]
        options = ["--minutes", minutes, "--pace", pace, "--seed", "4", "--truth", str(truth)]
        with Agents(self.home, self.trees, *options) as agents:
            self.assertEqual([client.wait(timeout=90) for client in clients], [0, 0])
            self.assertEqual(agents.process.wait(timeout=60), 0)
        kinds = [{line.get("event", "request") for line in map(json.loads, file.read_text().splitlines())} for file in files]
        self.assertEqual(kinds, [{"request", "wire", "shown"}] * 2)

        answer = run(
            "report", "workspaces", *map(str, files), "--truth", str(truth), "--json", str(self.folder / "report.json")
        )
        self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["verdict"], "fail")
        for recording in report["recordings"]:
            self.assertEqual([gate for gate in recording["gates"] if not gate["passed"]], [])
        gates = {gate["id"]: gate["passed"] for gate in report["gates"]}
        # So short a time shows no hour of idle time; what it does show is right.
        self.assertFalse(gates["unchanged_when_idle"] or gates["requests_per_hour"])
        self.assertTrue(gates["truth_readable"], answer.stdout)
        pushed = {row["name"]: row["ms"] for row in report["delays"]}["todos, pushed"]
        # On a busy machine more of them are over before they are shown.
        self.assertGreater(pushed["count"], sized(5, long=20))
        # A quarter of a second on a machine that is quiet; well below the period of those that ask.
        self.assertLess(pushed["p50"], 10_000)
        self.assertGreater(report["streamedBytes"], 1_000)

    def test_what_cannot_be_used_is_named(self):
        empty, broken = self.folder / "empty", self.folder / "broken"
        empty.write_text("")
        broken.write_text('{"event":"state"}\n{"event":"state"}\n')
        for arguments, code, words in (
            ([str(self.folder / "gone")], 66, "gone: No such file"),
            ([str(empty)], 65, "no line of 0 is a sample"),
            ([str(empty), "--truth", str(broken)], 65, 'no line tells of a change; line 1: the member "at"'),
        ):
            answer = run("report", "workspaces", *arguments)
            self.assertEqual(answer.returncode, code)
            self.assertIn(words, answer.stderr)
        answer = run("workspaces", "--record", str(empty))
        self.assertEqual(answer.returncode, 64)
        self.assertIn("--record needs --watch", answer.stderr)


class TraceTest(AgentTest):
    def traces(self) -> dict[str, tuple]:
        """What the file system says of everything that agents wrote."""
        found = {}
        for path in [self.home, *sorted(self.home.rglob("*"))]:
            status = path.lstat()
            found[str(path)] = (
                status.st_mode, status.st_size, status.st_ino, status.st_mtime_ns,
                status.st_ctime_ns,
            )
        return found

    def test_nothing_is_written_where_agents_write(self):
        options = ["--minutes", "6", "--pace", "120", "--seed", "2", "--truth", "/dev/null"]
        self.assertEqual(
            run("agent-sim", "--home", str(self.home), *options, "--worktrees",
                *map(str, self.trees)).returncode, 0,
        )
        before = self.traces()
        self.assertGreater(len(before), 15)
        server = self.serve()
        until(lambda: sum(1 for each in server.worktrees() if each.get("latest_user_prompt")) == 6)
        for each in server.worktrees():
            for path in (f"{LIST}/{each['id']}", f"{LIST}/{each['id']}/diff",
                         f"/v1/sessions/workspace/{each['id']}"):
                server.ask(path)
            server.ask(f"{LIST}/{each['id']}/seen", method="POST")
        server.stop()
        self.assertEqual(self.traces(), before)


class SimulationTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.trees = [self.folder.path.resolve() / f"tree-{number}" for number in range(3)]
        for tree in self.trees:
            tree.mkdir()
        self.home = self.folder / "home"

    def test_the_program_judges_its_own_driver(self):
        answer = run(
            "agent-sim", "--home", str(self.home), "--minutes", "5", "--pace", "30", "--check",
            "--slack", "8000", "--worktrees", *map(str, self.trees),
        )
        self.assertEqual(answer.returncode, 0, answer.stderr)
        # The slack is that of a busy machine; that many are shown at all says that it is scanned.
        form = r"(\d+) changes of state: (\d+) shown, .* 0 later than 8000 ms; (\d+) were over before"
        said = re.match(form, answer.stderr)
        self.assertTrue(said, answer.stderr)
        changes, shown, short = map(int, said.groups())
        self.assertLessEqual(changes, shown + short, answer.stderr)
        self.assertGreater(shown, changes // 3)
        kinds = {json.loads(line)["kind"] for line in answer.stdout.splitlines()}
        self.assertEqual(len(kinds), 3)
        self.assertEqual([list(tree.iterdir()) for tree in self.trees], [[], [], []], "no --edit")

    def test_processes_end_with_the_program_even_if_it_is_killed(self):
        numbers = []
        with Agents(self.home, self.trees, "--minutes", "60", "--pace", "10") as agents:
            for act in agents.acts():
                if act["event"] == "start":
                    numbers.append(act["pid"])
                if len(numbers) == 3:
                    break
            links = [os.readlink(f"/proc/{number}/cwd") for number in numbers]
            self.assertEqual(sorted(links), sorted(map(str, self.trees)))
            agents.process.send_signal(signal.SIGKILL)
            until(lambda: not any(alive(number) for number in numbers))

    def test_folders_of_real_agents_are_refused(self):
        for name in (".claude", ".claude/below"):
            answer = subprocess.run(
                [program.LAB, "agent-sim", "--home", str(self.folder / name), "--worktrees",
                 str(self.trees[0])],
                env={**os.environ, "HOME": str(self.folder.path)}, capture_output=True, text=True,
                timeout=60, check=False,
            )
            self.assertEqual(answer.returncode, 73)
            self.assertIn("is a folder of real agents", answer.stderr)
            self.assertFalse((self.folder / name).exists())

    def test_wrong_options_are_named(self):
        for options, words in (
            (["--worktrees", str(self.folder / "gone")], "there is no such folder"),
            (["--worktrees", str(self.trees[0]), "--agents", "clippy"], '"clippy" is not one of'),
            (["--worktrees", str(self.trees[0]), "--pace", "0"], "--pace is"),
            (["--worktrees", str(self.trees[0]), "--minutes", "0"], "--minutes is"),
            (["--worktrees", str(self.trees[0]), "--count", "2", "--check"], "--check needs"),
        ):
            answer = run("agent-sim", "--home", str(self.home), *options)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(words, answer.stderr)


def alive(number: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return re.sub(r".*\) ", "", text)[0] != "Z"


if __name__ == "__main__":
    unittest.main()
