"""Two servers that act on one repository wait for each other."""

from __future__ import annotations

import contextlib
import fcntl
import os
import unittest
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from program import Folder
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
RESTORE = "/v1/git/restore"


class TwoServersTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.base = self.folder.path.resolve()
        self.root = self.base / "work"
        self.main = repository(self.root / "main")
        self.trees = [self.root / f"tree{number}" for number in range(3)]
        for tree in self.trees:
            git(self.main, "worktree", "add", "-q", "-b", tree.name, str(tree))
            for number in range(3):
                (tree / f"file{number}").write_text("text\n")
                git(tree, "add", ".")
                git(tree, "commit", "-q", "-m", f"commit {number}")

    def serve(self) -> Workspaces:
        server = Workspaces(self.folder, roots=[self.root])
        self.addCleanup(server.__exit__)
        return server

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the lock of the repository."""
        folder = os.open(self.main / ".git", os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def test_an_action_waits_for_another_server(self):
        server = self.serve()
        place = f"{LIST}/{server.named('tree0')['id']}"
        with ThreadPoolExecutor(1) as pool, contextlib.ExitStack() as held:
            held.enter_context(self.lock())
            going = pool.submit(server.ask, f"{place}/merge", "POST", {})
            # A read waits for no lock, and comes to its end while the merge waits.
            self.assertEqual(server.ask(f"{place}/merge/check")[0], 200)
            self.assertFalse(going.done())
            self.assertEqual(git(self.main, "log", "--merges", "--oneline"), "")
            held.close()
            self.assertEqual(going.result(60)[0], 200)
        self.assertNotEqual(git(self.main, "log", "--merges", "--oneline"), "")

    def test_an_action_that_waits_too_long_is_refused(self):
        server = self.serve()
        before = git(self.main, "rev-parse", "main")
        place = f"{LIST}/{server.named('tree0')['id']}"
        with self.lock():
            status, _, answer = server.ask(place, "DELETE")
        self.assertEqual((status, answer["error"]), (409, "operation_in_progress"), answer)
        self.assertIn("another server", answer["detail"])
        self.assertTrue(self.trees[0].exists())
        self.assertEqual(git(self.main, "rev-parse", "main"), before)
        self.assertEqual(server.ask(place, "DELETE")[0], 200)

    def test_two_servers_that_delete_and_restore_at_once_lose_nothing(self):
        servers = [self.serve(), self.serve()]
        heads = {tree.name: git(tree, "rev-parse", "HEAD") for tree in self.trees}
        logs = {tree.name: git(tree, "reflog", "--format=%H %gs") for tree in self.trees}
        ids = {tree.name: servers[0].named(tree.name)["id"] for tree in self.trees}
        rounds = 12

        def deletes() -> int:
            count = 0
            for _ in range(rounds):
                for name in ids.values():
                    count += servers[0].ask(f"{LIST}/{name}?delete_branch=1&force=1", "DELETE")[0] == 200
            return count

        def restores(going: Future) -> int:
            count = 0
            while not going.done():
                for point in servers[1].ask(RESTORE)[2]:
                    count += servers[1].ask(f"{RESTORE}/{point['id']}", "POST")[0] == 200
            return count

        with ThreadPoolExecutor(2) as pool:
            going = pool.submit(deletes)
            restored = pool.submit(restores, going)
            self.assertGreater(min(going.result(), restored.result()), 0)
        for point in servers[0].ask(RESTORE)[2]:
            servers[0].ask(f"{RESTORE}/{point['id']}", "POST")
        for tree in self.trees:
            with self.subTest(tree.name):
                self.assertTrue(tree.exists())
                self.assertEqual(git(tree, "symbolic-ref", "HEAD").strip(), f"refs/heads/{tree.name}")
                self.assertEqual(git(tree, "rev-parse", "HEAD"), heads[tree.name])
                self.assertTrue(git(tree, "reflog", "--format=%H %gs").endswith(logs[tree.name]))
                self.assertTrue(git(self.main, "reflog", "--format=%H", tree.name).startswith(heads[tree.name].strip()))
                self.assertEqual(git(tree, "status", "--porcelain"), "")


if __name__ == "__main__":
    unittest.main()
