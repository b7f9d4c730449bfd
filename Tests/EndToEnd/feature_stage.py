"""A repository with one worktree on `feature`, and a server that has seen both."""

from __future__ import annotations

import unittest
from pathlib import Path

from program import Folder
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
FEATURE = "feature"


class FeatureTest(unittest.TestCase):
    """A test of what is done to that worktree."""

    #: What git ignores there.
    IGNORED = "*.env\n"
    server: Workspaces | None = None

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.root = self.folder.path.resolve() / "work"
        self.main = repository(self.root / "main")
        self.commit(self.main, ".gitignore", self.IGNORED)
        self.tree = self.root / FEATURE
        git(self.main, "worktree", "add", "-q", "-b", FEATURE, str(self.tree))

    def serve(self) -> None:
        """Starts a server that has seen what is there now, in the place of one that was started before."""
        if self.server:
            self.server.__exit__()
        self.server = Workspaces(self.folder, roots=[self.root])
        self.addCleanup(self.server.__exit__)
        self.place = f"{LIST}/{self.server.named(FEATURE)['id']}"

    def commit(self, folder: Path, name: str, text: str = "text\n", *options: str) -> str:
        """Commits a file and gives the commit."""
        (folder / name).write_text(text)
        git(folder, "add", "-f", name)
        git(folder, "commit", "-q", "-m", f"{name} {text[:10]}", *options)
        return self.head(folder)

    @staticmethod
    def head(folder: Path, name: str = "HEAD") -> str:
        """The commit of a name."""
        return git(folder, "rev-parse", name).strip()

    def ask(self, what: str = "", method: str = "POST", body: object = None) -> tuple[int, dict]:
        """Asks for something of the worktree; status and content of the answer."""
        status, _, answer = self.server.ask(self.place + what, method, body)
        return status, answer

    def does(self, what: str = "", body: object = None, method: str = "POST") -> dict:
        """Has something done to the worktree."""
        status, answer = self.ask(what, method, body)
        self.assertEqual(status, 200, answer)
        return answer
