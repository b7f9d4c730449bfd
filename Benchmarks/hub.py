#!/usr/bin/env python3
"""Measures a hub of machines that report that nothing has changed: what it takes of a processor at rest.

Usage: hub.py PROGRAM [--seconds N] [--json FILE]

Machines are played: each has a connection, reports everything once, and then every 15 seconds, spread evenly, that nothing
has changed. Beside them a client follows the events. The threshold is in thresholds.json; the exit code is 1 if it is
missed.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from stand import WORK, finish

MACHINES, WORKTREES = 50, 20
HEARTBEAT = 15


def worktree(machine, number):
    """A worktree as servers describe them, with an agent that works."""
    name = f"feature-{number}"
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 60))
    agent = {"agent": "claude-code", "state": "working", "source": "claude_log", "since": at, "pid": 1000 + number}
    return {
        "id": f"{machine}-{number}", "repo_id": "example/shop", "name": f"shop/{name}", "path": f"/home/me/code/{name}", "branch": name,
        "source_branch": "main", "commit_hash": secrets.token_hex(20), "commit_count": number, "created_at": at, "last_accessed": at,
        "has_active_claude_session": True, "claude_activity_state": "active", "latest_user_prompt": "Make refunds one step, with tests. " * 6,
        "latest_claude_message": "The total is rounded once now, half to even. " * 8, "latest_claude_message_type": "assistant",
        "todos": [{"id": str(each), "content": f"Step {each} of the work", "status": "pending", "priority": "medium"} for each in range(6)],
        "git": {"head": secrets.token_hex(20), "branch": name, "staged": 1, "unstaged": 2, "untracked": 3, "conflicts": [], "conflict_count": 0,
                "stashes": 0},
        "activity": {"state": "working", "source": "claude_log", "since": at, "confidence": "high", "agents": [agent]},
        "git_age_seconds": 1.5, "activity_age_seconds": 60.0, "revision": number,
    }


class Machine:
    """A machine with its connection."""

    def __init__(self, name, port):
        self.name, self.port, self.token = name, port, secrets.token_hex(32)
        self.sequence = 0
        self.connection = None

    @property
    def line(self):
        return f"{self.name} {hashlib.sha256(self.token.encode()).hexdigest()}\n"

    def report(self, changed=None):
        """Sends a report: everything, or that nothing has changed."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            self.connection.connect()
            self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        base = {} if changed is not None else {"base": self.sequence}
        self.sequence += 1
        body = {"instance": f"{self.name}-run", "sequence": self.sequence, "age_ms": 0, "clock_ms": int(time.time() * 1000),
                "changed": changed or [], "removed": [], "omitted": 0, "last": False, **base}
        self.connection.request("POST", f"/v1/machines/{self.name}/report", json.dumps(body), {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 204:
            sys.exit(f"a report of {self.name} got {answer.status}: {text[:200]}")


def processor(pid):
    """The processor seconds of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    """The resident megabytes of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def ask(url, path):
    """The JSON of an answer."""
    with urllib.request.urlopen(url + path, timeout=60) as answer:
        return json.load(answer)


def play(machines, seconds):
    """Lets the machines report that nothing has changed."""
    pause = HEARTBEAT / len(machines)
    start = time.monotonic()
    turn = 0
    while time.monotonic() - start < seconds:
        time.sleep(max(start + turn * pause - time.monotonic(), 0))
        machines[turn % len(machines)].report()
        turn += 1
    return turn


def measure(program, seconds):
    root = WORK / "hub"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    machines = [Machine(f"machine-{number}", 0) for number in range(MACHINES)]
    (root / "machines").write_text("".join(each.line for each in machines))
    process = subprocess.Popen(
        [program, "serve", "--data", str(root / "data"), "--port", "0", "--log-level", "error", "--workspaces-hub", str(root / "machines")],
        stdout=subprocess.PIPE, text=True)
    follower = None
    try:
        url = re.search(r"http://\S+", process.stdout.readline()).group(0).rstrip("/")
        port = int(url.rsplit(":", 1)[1])
        for each in machines:
            each.port = port
        empty = processor(process.pid)
        time.sleep(HEARTBEAT)
        alone = (processor(process.pid) - empty) / HEARTBEAT
        before = processor(process.pid)
        for each in machines:
            each.report([worktree(each.name, number) for number in range(WORKTREES)])
        whole = processor(process.pid) - before
        if len(ask(url, "/v1/git/worktrees")) != MACHINES * WORKTREES:
            sys.exit("not every worktree is shown")
        follower = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        follower.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
        follower.getresponse().readline()
        revision = urllib.request.urlopen(url + "/v1/git/worktrees", timeout=60).headers["ETag"]
        # One round, so that every connection and cache is warm.
        play(machines, HEARTBEAT)
        before, began = processor(process.pid), time.monotonic()
        reports = play(machines, seconds)
        rest = (processor(process.pid) - before) / (time.monotonic() - began)
        if any(each["state"] != "live" for each in ask(url, "/v1/machines")):
            sys.exit("a machine was not live")
        if urllib.request.urlopen(url + "/v1/git/worktrees", timeout=60).headers["ETag"] != revision:
            sys.exit("something changed meanwhile")
        return {"rest_percent": rest * 100, "alone_percent": alone * 100, "reports": reports, "complete_reports_s": whole,
                "resident_mb": resident(process.pid)}
    finally:
        if follower:
            follower.close()
        process.terminate()
        process.wait()
        shutil.rmtree(root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60, help="how long the machines are at rest")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.program, options.seconds)
    print("| machines | worktrees | at rest, of a processor | without machines | complete reports | memory |")
    print("|---|---|---|---|---|---|")
    print(f"| {MACHINES} | {MACHINES * WORKTREES:,} | {figures['rest_percent']:.2f} % | {figures['alone_percent']:.2f} % "
          f"| {figures['complete_reports_s']:.2f} s | {figures['resident_mb']:.0f} MB |")
    sys.exit(finish(figures, {"hub_rest_percent": figures["rest_percent"]}, options.json))


if __name__ == "__main__":
    main()
