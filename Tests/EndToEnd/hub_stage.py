"""A hub, and machines with worktrees and agents that report to it."""

from __future__ import annotations

import os
import subprocess
import threading
from datetime import datetime
from pathlib import Path

from neutral_agent import NeutralAgent
from program import PROGRAM, Folder, Server, run
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"


class Hub(Workspaces):
    """The program showing what machines report."""

    def __init__(self, folder: Folder, machines: Path, *options: str, port: int | None = None, roots: list[Path] | None = None):
        own = [part for root in roots or [] for part in ("--workspaces", str(root))]
        again = [] if port is None else ["--port", str(port)]
        Server.__init__(self, folder / "hub-data", "--workspaces-hub", str(machines), *own, *options, *again, now=None)

    def machines(self) -> dict[str, dict]:
        """The machines by name."""
        status, _, body = self.ask("/v1/machines")
        assert status == 200, body
        return {each["name"]: each for each in body}

    def of(self, machine: str) -> dict[str, dict]:
        """The worktrees of a machine by the names of their folders."""
        return {
            each["path"].rsplit("/", 1)[1]: each
            for each in self.worktrees() if each.get("machine", {}).get("name") == machine
        }

    def state(self, machine: str, tree: str) -> str | None:
        """What is done in a worktree of a machine."""
        return self.of(machine).get(tree, {}).get("activity", {}).get("state")


class Reporter:
    """The program reporting the worktrees of a server."""

    def __init__(self, to: str, server: str, name: str, token: Path, environment: dict[str, str] | None = None):
        self.process = subprocess.Popen(
            [PROGRAM, "workspaces", "report", "--to", to, "--server", server, "--name", name, "--hub-token-file", str(token)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})},
        )
        self.lines: list[str] = []
        self.drain = threading.Thread(target=self._drain, daemon=True)
        self.drain.start()

    def _drain(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)

    def text(self) -> str:
        """What it wrote so far."""
        return "".join(self.lines)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.drain.join(timeout=30)
        self.process.stdout.close()


class Machine:
    """A machine: a repository with a worktree in which an agent works, a server, and a reporter."""

    def __init__(self, name: str, machines: Path, environment: dict[str, str] | None = None):
        """`environment`: what the reporter has beside that of the tests."""
        self.name = name
        self.folder = Folder()
        self.environment = environment
        base = self.folder.path.resolve()
        self.main = repository(base / "code" / "shop")
        self.tree = base / "code" / "feature"
        git(self.main, "worktree", "add", "-q", "-b", "feature", str(self.tree))
        self.token = base / "token"
        self.token.write_text(token(name, machines))
        self.agent = NeutralAgent(base / "agents", self.tree)
        self.agent.works()
        self.server = Workspaces(
            self.folder, "--claude-home", str(base / "none"), "--codex-home", str(base / "none"),
            "--agent-logs", str(base / "agents"), roots=[base / "code"],
        )
        self.reporter: Reporter | None = None

    def reports(self, to: str) -> Reporter:
        """Starts the reporter."""
        if self.reporter:
            self.reporter.close()
        self.reporter = Reporter(to, self.server.url, self.name, self.token, self.environment)
        return self.reporter

    def close(self) -> None:
        if self.reporter:
            self.reporter.close()
        self.agent.close()
        self.server.__exit__()
        self.folder.remove()


def token(name: str, machines: Path) -> str:
    """Makes the token of a machine."""
    answer = run("workspaces", "token", name, "--machines-file", str(machines))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def instant(text: str) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(text).timestamp()
