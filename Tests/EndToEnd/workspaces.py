"""Repositories with worktrees, the server that watches them, and the truth as git itself tells it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from program import Folder, Server, until

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.org",
    "GIT_ALLOW_PROTOCOL": "file",
    # Each commit would start another git, which finds that there is nothing to clean up.
    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false",
}


def git(folder: str | Path, *arguments: str, check: bool = True) -> str:
    """Runs git and gives what it wrote; an error unless `check` is off."""
    answer = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False
    )
    text = answer.stdout.decode(errors="replace")
    if check and answer.returncode != 0:
        raise AssertionError(f"git {arguments} in {folder}: {answer.stderr.decode(errors='replace')}")
    return text


def repository(path: Path, files: int = 3) -> Path:
    """Makes a repository with one commit on `main`."""
    path.mkdir(parents=True)
    # Without the examples of hooks, each a file to write, to copy and to remove.
    git(path, "init", "-q", "-b", "main", "--template=")
    for name in ("hooks", "info"):
        (path / ".git" / name).mkdir()
    # The server merges as the person of the repository, and the machine may have no identity.
    with (path / ".git/config").open("a") as settings:
        settings.write("[user]\n\tname = Test\n\temail = test@example.org\n")
    for number in range(files):
        place = path / f"dir{number % 3}" / f"file{number}.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"line {line}\n" for line in range(12)))
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "first")
    return path


# MARK: The truth

SENTENCES = {
    "rebase": ("rebasing", "rebase in progress", "currently editing a commit", "splitting a commit"),
    "apply": ("middle of an am session",),
    "merge": ("You have unmerged paths", "still merging"),
    "cherry-pick": ("cherry-picking", "Cherry-pick currently in progress"),
    "revert": ("currently reverting", "Revert currently in progress"),
    "bisect": ("bisecting",),
}


def operation(folder: Path) -> str | None:
    """What was begun, from what `git status` says to people."""
    text = git(folder, "status")
    for name in ("rebase", "apply", "cherry-pick", "revert", "merge", "bisect"):
        if any(sentence in text for sentence in SENTENCES[name]):
            return name
    return None


def truth_of(folder: Path, source: str, stashes: int) -> dict:
    """The state of one worktree; all of a repository have the same stashes."""
    staged = unstaged = untracked = conflicts = 0
    names = git(folder, "status", "--porcelain=v1", "-z").split("\0")
    while names:
        entry = names.pop(0)
        if not entry:
            continue
        code = entry[:2]
        if code == "??":
            untracked += 1
        elif "U" in code or code in ("AA", "DD"):
            conflicts += 1
        else:
            staged += code[0] != " "
            unstaged += code[1] != " "
        if "R" in code or "C" in code:
            names.pop(0)
    head, name = git(folder, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD").splitlines()
    behind, ahead = git(folder, "rev-list", "--left-right", "--count", f"{source}...HEAD").split()
    return {
        "head": head, "branch": name.removeprefix("refs/heads/") if name != "HEAD" else None,
        "staged": staged, "unstaged": unstaged, "untracked": untracked, "conflicts": conflicts,
        "commit_count": int(ahead), "commits_behind": int(behind), "stashes": stashes,
        "operation": operation(folder),
    }


def worktrees_of(main: Path) -> dict[str, dict]:
    """The worktrees that are there, with what holds them."""
    found: dict[str, dict] = {}
    for block in git(main, "worktree", "list", "--porcelain").split("\n\n"):
        lines = dict(line.partition(" ")[::2] for line in block.splitlines())
        if "worktree" in lines and "prunable" not in lines and Path(lines["worktree"]).exists():
            found[lines["worktree"]] = {"locked": lines.get("locked")}
    return found


def truth(main: Path, source: str = "main") -> dict[str, dict]:
    """The state of all worktrees of a repository, by path."""
    stashes = len(git(main, "stash", "list").splitlines())
    return {
        path: {**truth_of(Path(path), source, stashes), **held} for path, held in worktrees_of(main).items()
    }


def shown(worktrees: list[dict]) -> dict[str, dict]:
    """The same members from an answer of the server."""
    found = {}
    for each in worktrees:
        state = each["git"]
        found[each["path"]] = {
            "head": each["commit_hash"], "branch": state.get("branch"),
            "staged": state["staged"], "unstaged": state["unstaged"],
            "untracked": state["untracked"], "conflicts": state["conflict_count"],
            "commit_count": each["commit_count"], "commits_behind": each["commits_behind"],
            "stashes": state["stashes"],
            "operation": (state.get("operation") or {}).get("kind"), "locked": state.get("locked"),
        }
    return found


# MARK: The server

class Workspaces(Server):
    """The program serving worktrees."""

    def __init__(self, folder: Folder, *options: str, roots: list[Path] | None = None, **more):
        arguments = [part for root in roots or [folder.path] for part in ("--workspaces", str(root))]
        super().__init__(folder / "no-timetable", *arguments, *options, now=None, **more)
        # An answer waits two seconds for the first scan of everything; on a busy machine that may take longer.
        asked = 0.0
        while time.monotonic() - asked > 1.5:
            asked = time.monotonic()
            self.ask("/v1/git/worktrees")
        # After three seconds it comes without the repositories that git has not answered for.
        until(lambda: not any(each["reason"] == "pending" for each in self.omissions()))

    def ask(
        self, path: str, method: str = "GET", body: object = None, **fields: str
    ) -> tuple[int, dict[str, str], object]:
        """Status, fields (names in small letters) and JSON body of an answer."""
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, method=method, headers=headers, data=data
        )
        try:
            answer = urllib.request.urlopen(request, timeout=90)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read()
            names = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, names, json.loads(text) if text else None

    def worktrees(self) -> list[dict]:
        """The list."""
        status, _, body = self.ask("/v1/git/worktrees")
        assert status == 200, body
        return body

    def omissions(self) -> list[dict]:
        """What is not shown; nothing from a server that asks for a token."""
        status, _, body = self.ask("/v1/git/omissions")
        return body if status == 200 else []

    def named(self, name: str) -> dict:
        """The worktree in a folder of that name."""
        return next(each for each in self.worktrees() if each["path"].endswith("/" + name))

    def metric(self, name: str) -> float:
        """A measurement, or the sum of those with labels."""
        with urllib.request.urlopen(self.url + "/v1/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


class Stream:
    """Reads server-sent events on a thread."""

    def __init__(self, server: Server, last: str | None = None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=90)
        fields = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
        self.connection.request("GET", "/v1/events", headers=fields)
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        self.changed = threading.Condition()
        self.events: list[tuple[str | None, dict]] = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        name = None
        try:
            for line in self.answer:
                text = line.decode().rstrip("\n")
                if text.startswith("id: "):
                    name = text[4:]
                elif text.startswith("data: "):
                    with self.changed:
                        self.events.append((name, json.loads(text[6:])["event"]))
                        self.changed.notify_all()
                    name = None
        except (OSError, ValueError, AttributeError):
            pass

    def wait(self, condition) -> tuple[str | None, dict]:
        """The first event for which a condition holds, as it comes."""
        with self.changed:
            found = self.changed.wait_for(
                lambda: next((each for each in self.events if condition(each[1])), None), timeout=90
            )
        assert found, f"it never came; there are {[event['type'] for _, event in self.events]}"
        return found

    def close(self) -> None:
        """Ends the connection."""
        self.connection.sock and self.connection.sock.close()
        self.connection.close()
