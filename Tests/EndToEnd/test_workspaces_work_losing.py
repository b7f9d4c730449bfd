"""Whatever work is in a worktree: deleting it refuses, or what went comes back bit for bit."""

from __future__ import annotations

import subprocess
import unittest

from program import Folder
from scale import sized
from side_by_side import SideBySide
from work_losing import WAYS, Way, everything
from workspaces import ENVIRONMENT, Workspaces, git

LIST = "/v1/git/worktrees"
RESTORE = "/v1/git/restore"
NEVER = {"locked", "worktree-within"}
"""What stays in any case."""
PLAIN = {
    "nothing", "empty-folders", "only-copy-among-results-of-builds", "settings-of-the-branch", "settings-of-the-worktree",
    "sparse-checkout", "commit-on-the-branch", "commit-in-the-log-of-head-alone", "amended-commit",
    "many-commits-in-the-log-of-head-alone", "commit-in-a-ref-of-the-worktree", "tag-object-in-a-ref-of-the-worktree",
    "pipes", "unix-socket", "commit-in-fetch-head-alone", "commit-in-orig-head-alone", "detached-commit-with-a-tag", "stash",
    "stash-that-was-dropped", "submodule", "submodule-with-a-commit-in-its-log-alone", "clone-among-packages",
    "head-outside-of-branches",
}
"""What goes without being forced: everything else is refused first."""


def setUpModule():
    global folder, server, ways
    folder = Folder()
    unittest.addModuleCleanup(folder.remove)
    root = folder.path.resolve() / "work"
    ways = {}
    for name, make in WAYS.items():
        ways[name] = Way(root, name)
        make(ways[name])
    server = Workspaces(folder, roots=[root])
    unittest.addModuleCleanup(server.__exit__)


class WorkLosingTest(unittest.TestCase):
    maxDiff = 4_000

    def same(self, before: dict, it: Way, when: str) -> None:
        after = everything(it)
        for name, value in before.items():
            self.assertEqual(after[name], value, f"{name}, {when}")

    def place(self, it: Way) -> str:
        return next(f"{LIST}/{each['id']}" for each in server.worktrees() if each["path"] == str(it.tree))

    def keeps(self, it: Way) -> None:
        """Nothing that is needed is collected."""
        # Of what gc runs, this removes objects.
        collect = sized(["prune", "--expire=now"], long=["gc", "-q", "--prune=now"])
        subprocess.run(["git", *collect], cwd=it.main, env=ENVIRONMENT, check=True, capture_output=True)
        for repository, name in it.must:
            # The repositories of submodules went with the worktree.
            if repository.is_relative_to(it.main / ".git") and repository != it.main / ".git":
                continue
            if repository.is_relative_to(it.tree):
                continue
            git(repository, "cat-file", "-e", name)

    def deletes(self, it: Way, what: str, before: dict) -> dict | None:
        """Deletes it; the answer, or nothing if it stays, and then as it was."""
        status, _, answer = server.ask(self.place(it) + what, "DELETE")
        if status == 409:
            self.assertTrue(answer["detail"], answer)
            self.same(before, it, f"after {answer['error']}")
            return None
        self.assertEqual(status, 200, answer)
        self.assertFalse(it.tree.exists())
        self.assertFalse(it.directory.exists())
        point = answer["restore"]
        self.assertEqual((point["kind"], point["path"]), ("delete", str(it.tree)))
        self.assertIn(point["id"], [each["id"] for each in server.ask(RESTORE)[2]])
        return point

    def restores(self, point: dict, it: Way, before: dict) -> None:
        status, _, answer = server.ask(f"{RESTORE}/{point['id']}", "POST")
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["worktree"]["path"], str(it.tree))
        self.same(before, it, f"after the restore: {answer['message']}")
        for repository, name in it.must:
            git(repository, "cat-file", "-e", name)
        self.assertEqual(git(it.main, "for-each-ref", "refs/freshet"), "")
        self.assertFalse((it.main / ".git" / "freshet").exists())
        self.assertEqual(server.ask(f"{RESTORE}/{point['id']}", "POST")[0], 404)

    def try_way(self, name: str) -> None:
        it = ways[name]
        before = everything(it)
        point = self.deletes(it, "", before)
        self.assertEqual(point is not None, name in PLAIN)
        if point:
            self.keeps(it)
            self.restores(point, it, before)
        for what in sized(("?force=1&delete_branch=1",), long=("?force=1", "?force=1&delete_branch=1")):
            point = self.deletes(it, what, before)
            self.assertEqual(point is None, name in NEVER, what)
            if point is None:
                continue
            if "delete_branch" in what and before["symbolic head"] and before["head"]:
                ref = before["symbolic head"]
                self.assertEqual(git(it.main, "for-each-ref", ref), "", "the branch is gone")
            self.keeps(it)
            self.restores(point, it, before)


def _test(name: str):
    return lambda self: self.try_way(name)


for _name in WAYS:
    setattr(WorkLosingTest, f"test_{_name.replace('-', '_')}", _test(_name))


def load_tests(loader, tests, pattern) -> SideBySide:
    return SideBySide([tests])


if __name__ == "__main__":
    unittest.main()
